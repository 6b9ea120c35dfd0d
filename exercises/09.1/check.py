"""Send thousands of packed commands in one piece, and read every reply."""

import contextlib
import itertools
import time

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (Refused, borrowed, commands_in, connect, counted,
                                       exercise_client, shown, spare)

# More replies than one recv() brings.
VALUES = ({f"exercise:row:{i}": f"value {i}" for i in range(15_000)}
          | {"exercise:row:é": "naïve café", "exercise:row:two lines": "one\r\ntwo",
             "exercise:row:empty": ""})
ARRIVAL_S = 1.0
REST_OF_THEM = ("read_response() raises where a reply is an error, and the replies behind it are "
                "still to come. Who reads them?",
                "Catch redis.ResponseError around each read_response() and keep it as the reply. "
                "What breaks off otherwise must close: except BaseException: "
                "connection.disconnect(); raise.")
NOT_GIVEN_BACK = ("try: … finally: r.connection_pool.release(connection) gives it back whatever "
                  "happens in between.")
ONE_PIECE = ("b''.join(…) of all the packed commands makes one piece of bytes; "
             "send_packed_command([data]) sends it as it is.")


def check(answer):
    with exercise_client() as other, connect(max_connections=1) as client:
        traffic = watch(client)
        number, returned = client.client_id(), watch_release(client, traffic)
        traffic.clear()
        replies = loaded(answer, client)
        seen = list(traffic)
        let_arrive(other)
        check_stored(other)
        check_left_usable(client, number)
        check_sent(seen)
        check_read(returned)
        check_replies(replies)
    check_refused_one(answer)
    return (f"{counted(len(VALUES), 'SET')} in one piece and one turn, every reply read, errors "
            "too, the connection given back")


def loaded(answer, client):
    try:
        return answer(client, dict(VALUES))
    except TypeError as error:
        if "not 'int'" not in str(error):
            raise
        raise Refused(f"your code raised TypeError: {error}. send_packed_command goes through what "
                      "it is handed, and bytes are a row of numbers",
                      "Hand it a list of one piece: "
                      "connection.send_packed_command([data])") from error


def check_refused_one(answer):
    """Raise Refused if replies behind a refused SET wait for the next caller."""
    client = spare(max_connections=1, retry=Retry(NoBackoff(), 0))
    try:
        client.execute_command("ACL", "SETUSER", "default", "resetkeys", "~exercise:row:*")
        try:
            replies = answer(client,
                             {"exercise:row:1": "a", "exercise:forbidden": "b",
                              "exercise:row:2": "c"})
        except redis.ResponseError:
            replies = None  # raising is an answer too, if what came behind the error is nobody's
        heard = heard_next(client)
        if heard != b"exercise":
            raise Refused("right values; but where the server refuses one SET, the next one to use "
                          f"the client asks for ECHO and reads {heard!r}", *REST_OF_THEM)
        if replies is not None and not (len(replies) == 3
                                        and isinstance(replies[1], redis.ResponseError)):
            raise Refused("right values; but where the server refuses the second of three SETs, "
                          f"you return {shown(replies)}: the refusal is neither raised nor among "
                          "the replies", "append(error) in place of the reply that it is.")
    finally:
        with contextlib.suppress(redis.RedisError):
            client.shutdown(nosave=True)
        client.close()


def heard_next(client):
    """Return what the next one to use the client reads for an ECHO of "exercise"."""
    try:
        return client.echo("exercise")
    except redis.exceptions.MaxConnectionsError:
        raise Refused("where the server refuses one SET, the connection is not given back: a pool "
                      "of one is empty then", "try: … finally: pool.release(connection)") from None
    except redis.RedisError as error:
        return error


def let_arrive(client):
    """Wait for the server, which an answer that reads no reply does not."""
    last, deadline = list(VALUES)[-1], time.monotonic() + ARRIVAL_S
    while not client.exists(last) and time.monotonic() < deadline:
        time.sleep(0.01)


def check_stored(client):
    for (key, value), stored in zip(VALUES.items(), client.mget(VALUES), strict=True):
        if stored != value.encode():
            raise Refused(f"{key} should hold {value.encode()!r} and holds {stored!r}")


def check_left_usable(client, number):
    """Raise Refused unless the connection, `number` by CLIENT ID, is as good as before."""
    try:
        reply = client.echo("exercise")
    except redis.exceptions.MaxConnectionsError:
        raise Refused("right values, but the connection was not given back: a pool of one is empty "
                      "now", NOT_GIVEN_BACK) from None
    if reply != b"exercise":
        raise Refused("right values, but the next one to use the client asks for ECHO and reads "
                      f"{reply!r}: there are replies left that nobody read",
                      "Every SET has a reply: read as many as there are values.")
    if client.client_id() != number:
        raise Refused("right values, but the connection came back closed: the next caller has to "
                      "connect and log in again",
                      "A connection whose replies have all been read is as good as new: release "
                      "it, and leave it open.")


def watch(client):
    """Return a list of what the client's socket sends from now on, and how many bytes it reads."""
    traffic = []
    connection = borrowed(client)
    connection.disconnect()
    open_socket = connection._connect
    connection._connect = lambda: Watched(open_socket(), traffic)
    client.ping()
    traffic.clear()  # of the handshake
    return traffic


class Watched:
    """A socket that notes what is sent and how many bytes are read."""

    def __init__(self, sock, traffic):
        self._sock, self._traffic = sock, traffic

    def __getattr__(self, name):
        return getattr(self._sock, name)

    def sendall(self, data, *flags):
        self._traffic.append(bytes(data))
        return self._sock.sendall(data, *flags)

    def send(self, data, *flags):
        sent = self._sock.send(data, *flags)
        self._traffic.append(bytes(data[:sent]))
        return sent

    def recv(self, *args):
        data = self._sock.recv(*args)
        self._traffic.append(len(data))
        return data

    def recv_into(self, *args):
        size = self._sock.recv_into(*args)
        self._traffic.append(size)
        return size


def watch_release(client, traffic):
    """Note, whenever a connection is given back, how many bytes had been read."""
    pool, returned = client.connection_pool, []
    release = pool.release

    def noted(connection):
        returned.append(sum(step for step in traffic if isinstance(step, int)))
        return release(connection)

    pool.release = noted
    return returned


def check_read(returned):
    owed = len(VALUES) * len(b"+OK\r\n")
    if returned and returned[0] < owed:
        raise Refused(f"right values, but the connection was given back after {returned[0]:,} of "
                      f"{owed:,} bytes of replies: whoever takes it in the meantime reads yours",
                      "Read all replies first, then release.")


def check_sent(traffic):
    pieces = [step for step in traffic if isinstance(step, bytes)]
    if not pieces:
        raise Refused("right values, but nothing was sent over a connection of r")
    turns = sum(isinstance(step, bytes) and isinstance(after, int)
                for step, after in itertools.pairwise([*traffic, 0]))
    if turns != 1:
        raise Refused(f"right values, but {counted(turns, 'round trip')}; the budget is 1")
    commands = sum(1 for _ in commands_in(pieces))
    if commands != len(VALUES):
        raise Refused(f"right values, but {counted(commands, 'command')} for {len(VALUES)} values",
                      "hiredis.pack_command(('SET', key, value)) packs one command.")
    if len(pieces) != 1:
        raise Refused(f"right values in one turn, but sent in {len(pieces)} pieces; the budget is "
                      "1", ONE_PIECE)


def check_replies(replies):
    said = list(replies) if isinstance(replies, (list, tuple)) else replies
    if said not in ([b"OK"] * len(VALUES), ["OK"] * len(VALUES), [True] * len(VALUES)):
        raise Refused(f"all is stored, but instead of {len(VALUES)} replies your function returned "
                      f"{shown(replies)}", "Return what read_response() gave, for each value.")
