"""Redis in memory for redis-py's plain clients: the socket of a connection is a fakeredis.

A reply is there RTT_S after its request was sent; who waits for it moves the clock to that moment.
"""

import collections
import errno

import redis.connection
from fakeredis import FakeServer
from fakeredis._helpers import NoResponse
from fakeredis._socket._fakesocket import FakeSocket

from . import clock, replies

RTT_S = 0.001
FOR_EVER = "This waits for ever: nothing else is there that could send something."
# Each port is a Redis of its own.
servers = collections.defaultdict(lambda: FakeServer(version=(8, 2)))


class InBytes:
    """A fakeredis socket that calls its method `take(data)` with each reply as bytes.

    It is mixed into fakeredis' sockets, for clients with and without asyncio.
    """

    def _decode_result(self, result):
        return replies.kept_apart(result, super()._decode_result)

    def put_response(self, reply):
        pushed = replies.is_push(reply, bool(self._pubsub))
        self.take(replies.encoded(reply, self._client_info.protocol_version, pushed))


class MemorySocket(InBytes, FakeSocket):
    """The client's end of a connection to a Redis in memory: a socket, as far as redis-py uses one.

    `port` says which Redis. Waiting for a reply moves the page's clock.
    """

    def __init__(self, port):
        self.unread = b""
        self.arrives = 0.0  # when, by the clock
        self.timeout = None
        super().__init__(servers[port], 0, None, redis.Redis)

    def take(self, data):
        self.unread += data

    def sendall(self, data):
        self.arrives = clock.now + RTT_S
        super().sendall(data)

    def recv(self, size, flags=0):
        if flags:  # MSG_PEEK: is the connection still open?
            raise BlockingIOError(errno.EWOULDBLOCK, "")
        within = self.timeout is None or self.arrives <= clock.now + self.timeout
        if not (self.unread and within):
            self.wait_in_vain()
        clock.wait_until(self.arrives)
        part, self.unread = self.unread[:size], self.unread[size:]
        return part

    def wait_in_vain(self):
        if self.timeout is None:
            raise RuntimeError(FOR_EVER)
        clock.sleep(self.timeout)
        raise TimeoutError("timed out") if self.timeout else BlockingIOError(errno.EWOULDBLOCK, "")

    def recv_into(self, buffer):
        part = self.recv(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def settimeout(self, seconds):
        self.timeout = seconds

    def gettimeout(self):
        return self.timeout

    def shutdown(self, how):
        pass

    def _blocking(self, timeout, func, shape=None):
        """Return the reply of a blocking command, such as BLPOP, without waiting.

        This replaces a method of fakeredis: nobody else could write meanwhile. `func(True)` tries
        the command, and returns None if it would have to wait. Outside of a transaction the reply
        then comes `timeout` seconds later by the clock, or never if `timeout` is 0: NoResponse().
        `shape`, if given, turns the result, None included, into the reply.
        """
        found = func(True)
        if found is None and not self._in_transaction:
            if not timeout:
                return NoResponse()
            self.arrives += timeout
        return shape(found) if shape else found


redis.connection.Connection._connect = lambda self: MemorySocket(self.port)
