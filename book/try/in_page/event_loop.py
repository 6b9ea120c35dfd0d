"""An asyncio loop without sockets, and Redis in memory for redis-py's asyncio clients.

Waiting takes no time there: the clock jumps to the next moment at which something is to be done.
"""

import asyncio

import redis.asyncio.connection
from fakeredis._socket._async import AsyncFakeSocket

from . import clock
from .memory import FOR_EVER, RTT_S, InBytes, servers


class Loop(asyncio.BaseEventLoop):
    """An asyncio loop without files and sockets, in which waiting moves the page's clock.

    It is its own selector, which never finds a file ready. Waiting without an end raises
    RuntimeError.
    """

    def __init__(self):
        super().__init__()
        self._selector = self
        self._clock_resolution = 1e-9

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError(FOR_EVER)
        clock.sleep(timeout)
        return ()

    def time(self):
        return clock.now

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


def run(main, *, loop=None, **_):
    """Run the coroutine `main` as asyncio.run does, which this replaces; return its result.

    A browser's own loop, which runs already, is set aside meanwhile. `main` runs in `loop`, which
    stays open, or by default in a new Loop, in which tasks that are left at the end are cancelled.
    """
    outer = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    own = loop or Loop()
    try:
        return own.run_until_complete(main)
    finally:
        if not loop:
            own.run_until_complete(cancel_others())
            own.close()
        asyncio._set_running_loop(outer)


async def cancel_others():
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


class MemoryWriter(InBytes, AsyncFakeSocket):
    """The client's end of a connection to a Redis in memory, as an asyncio.StreamWriter.

    `port` says which Redis. What is written goes there; `reader`, an asyncio.StreamReader, gets the
    replies RTT_S seconds after their request was sent.
    """

    def __init__(self, port, reader):
        self.reader = reader
        self.unread = b""
        self.sent = 0.0
        self.closed = False
        super().__init__(servers[port], 0, None, redis.Redis)

    def take(self, data):
        # One call for all replies of a batch: two at the same moment might change places.
        if not self.unread:
            arrives = max(clock.now, self.sent + RTT_S)
            asyncio.get_running_loop().call_at(arrives, self.arrive)
        self.unread += data

    def arrive(self):
        data, self.unread = self.unread, b""
        self.reader.feed_data(data)

    def write(self, data):
        self.sent = clock.now
        self.sendall(data)

    def writelines(self, chunks):
        self.write(b"".join(chunks))

    async def drain(self):
        pass

    async def wait_closed(self):
        pass

    def close(self):
        if not self.closed:
            self.closed = True
            super().close()

    def is_closing(self):
        return self.closed


async def connect(connection):
    connection._reader = asyncio.StreamReader()
    connection._writer = MemoryWriter(connection.port, connection._reader)


redis.asyncio.connection.Connection._connect = connect
asyncio.run = run
