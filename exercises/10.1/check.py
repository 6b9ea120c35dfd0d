"""Chapter 10: a batch that may be sent twice, a client that gives up in time."""

import contextlib
import functools
import time

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.crc import key_slot
from redis.retry import Retry

from ...arguments import shown
from ...testbed.freezing import frozen
from ...testbed.spare_server import spare
from ...tracing.cost import cost_of
from ...tracing.resp import commands_in
from ...tracing.tap import Tap, chunks_of
from ...words import counted
from ..checking import Refused, clean, exercise_client, replaced
from ..exercises import exercise

# 10.1
NEVER_COUNTED = ("The batch's name was noted, and its sums were not made: each later try finds the name and does nothing. "
                 "When may the name be noted?",
                 "The name and the sums must be one step: neither without the other, wherever the cut falls. What runs on the "
                 "server as one piece and can decide?")
SALES = {"tea": 3, "mug": 1, "pot": 2}
SHOP = "exercise:{shop}:"  # one slot for all
MONDAY, TUESDAY = f"{SHOP}monday", f"{SHOP}tuesday"
DAY_S = 86_400
NO_NUMBER = ("A script or a transaction that fails half-way takes nothing back. What must be known before the first write?",
             "Read every counter first, and raise if one holds something else than a whole number: int(…) in Python, "
             "string.match(value, '^-?%d+$') in Lua. Then the sums and the mark, together.")
WATCH_LOST = ("A WATCH ends with its connection. redis-py raises WatchError then, and does not begin again: who does?",
              "A loop with an end: on redis.WatchError watch again, look for the batch's name again, and count where it is "
              "missing.")
NO_NUMBERS = "twelve", "1.5"  # Lua's tonumber takes the second; INCRBY takes neither
UNDISTURBED = "a batch, undisturbed"
NOT_ADDED = ("Each number of `sales` is added to the counter of its product. A pipeline keeps what you queue until execute().",)
RETRIES = 3
MOST_COMMANDS = 40
# 10.2
BUDGET_S, GRACE_S = 1.0, 0.1
SLOW_S = 0.2  # how long a healthy server may take
ROOM_TO_ANSWER = "A healthy reply may take 0.2 s: let socket_timeout be longer, and make fewer attempts."
AWAKE_S = 1.3  # when the stalled server wakes, so that no check waits for a minute


@exercise("10.1", "write record(r, batch, sales): every product's counter grows once, however often the batch is sent", (
    "Sent twice, INCRBY counts twice. The server must know that it has seen this batch: where do you note its name, and when?",
    "The mark and the sums must be one step: if the mark comes first, a cut leaves a mark without sums; if it comes last, "
    "sums without a mark. What runs on the server as one piece and can decide?",
    "A Lua script: if redis.call('EXISTS', KEYS[1]) == 1 then return end; look at every counter; then for i = 2, #KEYS do "
    "redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end; redis.call('SET', KEYS[1], 1, 'EX', 172800)",
))
def record(answer):
    with exercise_client(retry=Retry(NoBackoff(), RETRIES)) as client:
        check_uncut(client, answer)
        total = commands_of(client, answer)
        for place in range(total + 1):
            check_cut(client, answer, place, total)
        check_marks(client)
        for value in NO_NUMBERS:
            check_no_number(client, answer, value)
    return f"sent in {counted(total, 'command')}, cut at every place, sent again: every sale is counted once"


def check_uncut(client, answer):
    clean(client)
    answer(client, MONDAY, SALES)
    compare_sales(client, 1, UNDISTURBED)
    answer(client, MONDAY, SALES)
    compare_sales(client, 1, "the same batch, called a second time")
    answer(client, TUESDAY, SALES)
    compare_sales(client, 2, "a second batch of another name")


def commands_of(client, answer):
    """How many commands the answer sends for a batch that is new."""
    clean(client)
    with Tap() as tap:
        answer(client, MONDAY, SALES)
    total = cost_of(tap).commands
    if not total:
        raise Refused("right sums, but nothing went through the client that was passed in", "Use r.")
    if total > MOST_COMMANDS:
        raise Refused(f"right sums, but {total} commands for {len(SALES)} products",
                      "One step for all: a script, or one MULTI … EXEC.")
    return total


def check_cut(client, answer, place, total):
    clean(client)
    what = (f"the connection broke after {place} of {counted(total, 'command')} and redis-py tried again" if place < total
            else "all was done, only the last reply was lost, and redis-py tried again")
    with cut_after(place):
        try:
            answer(client, MONDAY, SALES)
        except redis.RedisError as error:
            hints = WATCH_LOST if isinstance(error, redis.WatchError) else ()
            raise Refused(f"{what}: your code raised {type(error).__name__}", *hints) from None
    compare_sales(client, 1, what)


def check_marks(client):
    """The batch has just been counted: what is there beside the counters must last for a day, and lie in their slot."""
    for key in client.scan_iter("exercise:*"):
        if key.decode().removeprefix(SHOP) in SALES:
            continue
        left = client.ttl(key)
        if 0 <= left < DAY_S - 60:
            raise Refused(f"the mark {key.decode()} is gone in {left:,} s; the batch may come again within a day, and would "
                          "count twice",
                          "EX takes seconds; a day has 86,400.")
        if key_slot(key) != key_slot(MONDAY.encode()):
            raise Refused(f"the mark {key.decode()} lies in another slot than the counters: a cluster refuses the two in one "
                          "step",
                          "`batch` is in the counters' slot: it has their tag.")


def check_no_number(client, answer, value):
    clean(client)
    last = SHOP + list(SALES)[-1]
    client.set(last, value)
    try:
        answer(client, MONDAY, SALES)
    except Exception:
        pass
    else:
        raise Refused(f"{last} holds {value!r}, to which nothing can be added, and your function says nothing: raise an "
                      "error", *NO_NUMBER)
    for product in list(SALES)[:-1]:
        held = int(client.get(SHOP + product) or 0)  # a 0 that was added counts nothing
        if held:
            raise Refused(f"{last} holds {value!r}: your function raised, but {SHOP + product} is {held} already; sent again it "
                          "counts twice, or the rest never", *NO_NUMBER)
    client.delete(last)
    try:
        answer(client, MONDAY, SALES)
    except redis.RedisError as error:
        raise Refused(f"a counter held {value!r} and was mended; sent again, your code raised {type(error).__name__}",
                      *NO_NUMBER) from None
    compare_sales(client, 1, f"a counter held {value!r} and was mended, and the batch was sent again")


def compare_sales(client, times, what):
    for place, (product, number) in enumerate(SALES.items()):
        key, expected = SHOP + product, times * number
        got = int(client.get(key) or 0)
        if got != expected:
            used_up = "; did the first product use up the batch's name?" if place and not got else ""
            marked = "broke" in what and not got and client.exists(MONDAY)
            hints = NO_NUMBER if "mended" in what else NEVER_COUNTED if marked else NOT_ADDED if what == UNDISTURBED else ()
            raise Refused(f"{what}: {key} is {got} and should be {expected}{used_up}", *hints)


def cut_after(place):
    """Breaks the connection once: when the server has run `place` commands that were sent inside, their last reply unheard."""
    original = AbstractConnection.send_packed_command
    left = [place]  # commands that still pass; None after the cut

    @functools.wraps(original)
    def send(self, command, *args, **kwargs):
        chunks = list(chunks_of(command))
        commands = list(commands_in(chunks))
        if left[0] is None or left[0] > len(commands):
            left[0] = None if left[0] is None else left[0] - len(commands)
            return original(self, chunks, *args, **kwargs)
        passing, left[0] = left[0], None
        if passing:
            original(self, self.pack_commands(commands[:passing]))
            for _ in range(passing):
                with contextlib.suppress(redis.ResponseError):
                    self.read_response()
        self.disconnect()
        raise redis.ConnectionError("cut by the check")

    return replaced(AbstractConnection, send_packed_command=send)


@exercise("10.2", "write client_for(address): a redis.Redis that gives up within a second when the server stands still", (
    "A client gives up after (retries + 1) × timeout. Which two options set these, and what are redis-py's defaults?",
    "socket_timeout=0.3 with retry=Retry(NoBackoff(), 1), or a longer timeout without a retry. A first connection waits for "
    "replies too, so the same options bound it.",
))
def client_for(answer):
    server = spare(retry=None)
    address = {name: server.get_connection_kwargs()[name] for name in ("host", "port", "password")}
    try:
        made = as_client(answer(dict(address)))
        check_patience(made)
        check_stalled(made, server, "a connection that was open")
        check_stalled(as_client(answer(dict(address))), server, "a connection that had yet to be opened")
        check_gone(as_client(answer(dict(address))))
    finally:
        with contextlib.suppress(redis.RedisError):
            server.shutdown(nosave=True)
        server.close()
    return f"it waits {SLOW_S:g} s for a slow reply, and gives up on a stalled server within {BUDGET_S:g} s"


def as_client(made):
    if not isinstance(made, redis.Redis):
        raise Refused(f"a redis.Redis was expected, not {shown(made)}", "return redis.Redis(**address, …)")
    return made


def check_patience(client):
    try:
        client.ping()
    except redis.ConnectionError as error:
        raise Refused(f"your client does not reach the server: {type(error).__name__}. Did you pass **address on?",
                      "redis.Redis(**address, …) takes host, port and password from it.") from None
    except redis.TimeoutError as error:
        raise Refused(f"even a PING ended in {type(error).__name__}: too hasty", ROOM_TO_ANSWER) from None
    try:
        client.blpop("exercise:nothing", SLOW_S)
    except (redis.TimeoutError, redis.ConnectionError) as error:
        raise Refused(f"a healthy reply that took {SLOW_S:g} s ended in {type(error).__name__}: too hasty",
                      ROOM_TO_ANSWER) from None


def check_stalled(client, server, where):
    tale = f"{where}, a server that stands still"
    with frozen(server, AWAKE_S):
        started = time.perf_counter()
        try:
            client.get("exercise:anything")
        except (redis.TimeoutError, redis.ConnectionError):
            took = time.perf_counter() - started
        else:
            raise Refused(f"{tale}: no error within {AWAKE_S:g} s, and then the server woke up. {attempts_of(client)}")
        finally:
            client.close()
    if took > BUDGET_S + GRACE_S or patience_of(client) >= BUDGET_S:
        raise Refused(f"{tale}: the error came after ~{took:.1f} s. {attempts_of(client)}; together they must stay below "
                      f"{BUDGET_S:g} s")


def check_gone(client):
    """A machine that is gone answers nobody. What the client would wait for is counted, not waited for: systems differ in how."""
    attempts = attempts_by(client)
    patience = client.connection_pool.make_connection().socket_connect_timeout
    if patience is None or attempts * patience >= BUDGET_S:
        each = "for ever" if patience is None else f"{patience:g} s"
        waits = "waits" if attempts == 1 else "wait"
        raise Refused(f"it gives up on a server that stands still; on a machine that is gone, {counted(attempts, 'attempt')} to "
                      f"connect {waits} {each} each", "Opening a connection has an option of its own.",
                      "socket_connect_timeout=0.3")
    replies, openings, paused_s = waits_when_gone(client)
    timeout = client.get_connection_kwargs()["socket_timeout"]
    total = replies * timeout + openings * patience + paused_s
    if total >= BUDGET_S:
        raise Refused(f"where the machine goes while a connection is open, your client waits {timeout:g} s for a reply and "
                      f"then, {counted(openings, 'time')}, {patience:g} s to connect: ~{total:.1f} s in all",
                      "Each retry of the command opens a connection, and that opening has all its retries too: retries × "
                      "(retries + 1) of them. Which of the two timeouts may be shorter?",
                      "socket_timeout=0.3, socket_connect_timeout=0.3 and one retry make (1 + 1 × 2) × 0.3 s.")


def waits_when_gone(client):
    """(replies waited for, connections tried, seconds paused) by one command on a connection that was open, all in vain."""
    client.ping()
    tried = []

    def no_reply(self, *args, **kwargs):
        tried.append("reply")
        raise redis.TimeoutError("nobody answers")

    def no_connection(self):
        tried.append("opening")
        raise TimeoutError("nobody answers")

    with replaced(AbstractConnection, read_response=no_reply), replaced(redis.Connection, _connect=no_connection):
        started = time.perf_counter()
        with contextlib.suppress(redis.TimeoutError, redis.ConnectionError):
            client.get("exercise:anything")
        paused_s = time.perf_counter() - started
    client.close()
    return tried.count("reply"), tried.count("opening"), paused_s


def attempts_by(client):
    retry = client.get_retry()
    return 1 + (retry.get_retries() if retry else 0)


def patience_of(client):
    """How long its attempts wait for a reply, together, in seconds; 0 where no timeout of theirs says it."""
    return attempts_by(client) * (client.get_connection_kwargs().get("socket_timeout") or 0)


def attempts_of(client):
    timeout = client.get_connection_kwargs().get("socket_timeout")
    return f"Your client makes {counted(attempts_by(client), 'attempt')} with a timeout of {timeout} s each"
