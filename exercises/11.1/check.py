"""Chapter 11: keys that stay together, a write that a replica has confirmed, the store of a fenced lock."""

import functools
import queue
import time

import redis
from redis.backoff import NoBackoff
from redis.connection import AbstractConnection
from redis.crc import key_slot
from redis.retry import Retry

from ...arguments import shown
from ...testbed.chosen_server import connect
from ...testbed.freezing import frozen
from ...testbed.replicas import replica
from ...tracing.cost import cost_of
from ...tracing.tap import Tap, chunks_of
from ...words import counted
from ..checking import Refused, commands_sent, exercise_client, names_in, names_sent, refuse_over, replaced, text
from ..exercises import exercise

# 11.1
USERS = [f"user{number}" for number in range(120)]
FIELDS = ["name", "mail", "city", "last seen", "newsletter"]
SLOTS, NODES = 16384, 3
FEWEST_SLOTS = 60  # of 120 users' slots; all different in most cases
# 11.2
ORDER = "exercise:order"
SOCKET_TIMEOUT_S = 2  # of the client that an answer is given
CONFIRMED_WITHIN_S, GRACE_S = 0.2, 1.0
THAWED_S = 30
READ_THE_NUMBER = ("The WAIT of a replica that can't be reached raises nothing. What does it return?",
                   "WAIT returns how many replicas have confirmed: return confirmed >= 1.")
# 11.3
REPORT, OTHER_REPORT, RACED_REPORT = "exercise:report", "exercise:other report", "exercise:raced report"
WRITES = (  # token, value, whether it is to be written
    (5, "a", True), (3, "b", False), (5, "c", True), (9, "d", True), (10, "e", True), (9, "f", False), (100, "g", True),
)
RIVALS_TOKEN = 99
READS = frozenset({"GET", "MGET", "HGET", "HMGET", "HGETALL", "HEXISTS", "EXISTS", "WATCH", "UNWATCH", "DISCARD", "PING",
                   "SCRIPT", "TYPE", "CLIENT", "HELLO", "AUTH", "SELECT"})
IN_BETWEEN = ("Between your look and your write somebody else may write. What keeps the two together?",
              "A script that looks and writes is one step: HGET the token, compare, HSET both fields. Or WATCH, and look again "
              "after a WatchError.")


@exercise("11.1", "write keys_of(user, fields): a key for each field, all of one user's in one slot, the users spread", (
    "Only what stands between the first { and the next } decides on the slot. What do all the keys of a user share?",
    "Put the braces around the user: f'{{user:{user}}}:{field}' gives {user:42}:name.",
))
def keys_of(answer):
    taken, slots = {}, []
    for user in USERS:
        keys = as_keys(answer(user, list(FIELDS)), user, len(FIELDS))
        for field, key in zip(FIELDS, keys, strict=True):
            if key in taken:
                raise Refused(f"{taken[key]} and the {field} of {user} share the key {key!r}",
                              "The whole name of the field belongs into its key, and the whole name of the user.")
            taken[key] = f"the {field} of {user}"
        alone = as_keys(answer(user, [FIELDS[2]]), user, 1)
        if alone != keys[2:3]:
            raise Refused(f"asked for the {FIELDS[2]} of {user} alone you name the key {alone[0]!r}, and among {len(FIELDS)} "
                          f"fields {keys[2]!r}: what the one writes the other never finds",
                          "A key is made from the user and the field, and from nothing else.")
        own = {key_slot(key.encode()) for key in keys}
        if len(own) > 1:
            raise Refused(f"the {len(FIELDS)} keys of {user} ({keys[0]!r} and so on) lie in {len(own)} different slots: "
                          "MSET would be refused")
        slots += own
    different = len(set(slots))
    if different < FEWEST_SLOTS:
        raise Refused(f"each user's keys are together, but {len(USERS)} users lie in {counted(different, 'slot')}: "
                      "one node would do the work of all")
    return f"{len(USERS)} users, the keys of each in one slot, on all {len({slot * NODES // SLOTS for slot in slots})} nodes"


def as_keys(said, user, number):
    if not isinstance(said, (list, tuple)) or len(said) != number:
        raise Refused(f"for {user} and {counted(number, 'field')} a list of {counted(number, 'key')} was expected, "
                      f"not {shown(said)}", "[… for field in fields]")
    return [str(text(key)) for key in said]


@exercise("11.2", "write save(r, key, value): True if a replica has confirmed the write within 200 ms, else False", (
    "Which command waits for replicas, how long, and what does it return?",
    "SET and WAIT 1 200 in one plain pipeline: r.pipeline(transaction=False). Its second reply is the number of replicas.",
))
def save(answer):
    with replica() as two, turn_about(two.primary) as client:
        check_confirmed(client, two, answer)
        two.cut()
        check_unconfirmed(client, answer, "the network to the replica is broken")
        two.heal()
        with frozen(two.replica, THAWED_S):
            check_unconfirmed(client, answer, "the replica stands still, its connection open")
        if not saved(client, answer, "again")[0]:
            raise Refused("the replica is back, and save still returns False", *READ_THE_NUMBER)
    return "a confirmed write is told from one that only the primary has"


def turn_about(primary):
    """A client whose two connections are used in turn, as if other threads were using the pool."""
    options = {name: primary.get_connection_kwargs()[name] for name in ("host", "port", "password")}
    pool = redis.BlockingConnectionPool(max_connections=2, timeout=1, queue_class=queue.Queue, socket_timeout=SOCKET_TIMEOUT_S,
                                        retry=Retry(NoBackoff(), 0), **options)
    client = redis.Redis.from_pool(pool)
    for _ in range(2):
        client.ping()
    return client


def saved(client, answer, value):
    """(what it returned as a bool, the seconds it took) of one call."""
    started = time.perf_counter()
    said = answer(client, ORDER, value)
    if said not in (True, False):
        raise Refused(f"save returned {shown(said)}. True or False was expected", *READ_THE_NUMBER)
    return bool(said), time.perf_counter() - started


def check_confirmed(client, two, answer):
    with Tap() as tap:
        said, _ = saved(client, answer, "paid")
    if text(two.primary.get(ORDER)) != "paid":
        raise Refused("save returned, and the primary does not hold the value", "r.set(key, value), or SET in a pipeline; a "
                      "pipeline needs execute().")
    names = names_sent(tap)
    if "MULTI" in names and "WAIT" in names:
        raise Refused("WAIT stands inside MULTI, where a server can't wait: it answers at once, and for what was written before",
                      "r.pipeline(), as it comes, is a transaction. Which of its options makes it a plain one?",
                      "r.pipeline(transaction=False)")
    if strangers(tap):
        raise Refused("the value went over one connection and WAIT over another: WAIT speaks of what its own connection wrote",
                      "Each call of r may take another connection of the pool. What sends both over one?",
                      "One pipeline, r.pipeline(transaction=False); or `with r.client() as one:` around both calls.")
    refuse_over(cost_of(tap), 2, "the value is stored")
    if not said:
        raise Refused("all is well, the replica has the value, and save returned False", *READ_THE_NUMBER)


def strangers(tap):
    """Whether a WAIT was sent over a connection that has not written the order."""
    wrote = set()
    for write in tap.writes:
        for name in [] if write.handshake else names_in(write.chunks):
            if name == "WAIT" and write.connection not in wrote:
                return True
            if name != "WAIT":
                wrote.add(write.connection)
    return False


def check_unconfirmed(client, answer, tale):
    try:
        said, took = saved(client, answer, "paid again")
    except redis.TimeoutError:
        raise Refused(f"{tale}: save had no answer within {SOCKET_TIMEOUT_S} s, when the socket's timeout ended it",
                      "WAIT's second number is a timeout in milliseconds; 0 means for ever.", "WAIT 1 200") from None
    if said:
        raise Refused(f"{tale}: no replica has the value, and save returned True", *READ_THE_NUMBER)
    if took > CONFIRMED_WITHIN_S + GRACE_S:
        raise Refused(f"{tale}: save returned after ~{took:.1f} s. 0.2 s is all it may take",
                      "WAIT's second number is a timeout in milliseconds.", "WAIT 1 200")


@exercise("11.3", "write write(r, key, value, token): the value is stored unless a higher token has written before", (
    "Store the token beside the value: two fields of one hash. What must be true of the two before you write?",
    *IN_BETWEEN,
))
def write(answer):
    with exercise_client() as client, connect() as rival:
        check_order(client, answer)
        check_race(client, rival, answer)
    return f"{len(WRITES)} writes in and out of order, and one overtaken between look and write: the highest token wins"


def written(client, answer, key, value, token, tale):
    said = answer(client, key, value, token)
    if said not in (True, False):
        raise Refused(f"{tale}: write returned {shown(said)}. True or False was expected", "True if it was written, else False.")
    return bool(said)


def check_order(client, answer):
    holds, highest, before = None, 0, []
    for token, value, right in WRITES:
        tale = f"token {token}, after {', '.join(map(str, before))}" if before else f"token {token}, the first of all"
        said = written(client, answer, REPORT, value, token, tale)
        holds = value if right else holds
        found = text(client.hget(REPORT, "value"))
        if found != holds:
            raise Refused(f"{tale}: the value is {found!r} and should be {holds!r}", *hints_for(token, highest))
        if said != right:
            raise Refused(f"{tale}: write returned {said}, and the value is {found!r}, as it should be",
                          "True if this call wrote, False if it did not.")
        highest = max(highest, token)
        before.append(token)
    if not written(client, answer, OTHER_REPORT, "first", 1, "token 1 under another key"):
        raise Refused("token 1 under another key: it was refused. Each key has its own highest token",
                      "The token belongs beside the value: a field of the same hash.")


def hints_for(token, highest):
    if token == highest:
        return ("The holder of a lock may write more than once with its token. Which comparison refuses too much?",
                "Refuse token < highest only.")
    if token > highest:
        return ("Is '10' higher than '9'? Not as texts.", "Compare numbers: int(…) in Python, tonumber(…) in Lua.")
    return ("A lower token comes too late. What must you have kept, to know?",
            "HSET key value … token …, both at once, and only where the token is not lower than the one that is there.")


def check_race(client, rival, answer):
    written(client, answer, RACED_REPORT, "old", 1, "token 1, the first of all")
    with Tap() as tap, overtaken(lambda: answer(rival, RACED_REPORT, "rival", RIVALS_TOKEN)) as story:
        said = written(client, answer, RACED_REPORT, "late", 2, "another client wrote while you were deciding")
    if not story:
        raise Refused(f"nothing was written through the client that was passed in, of {len(commands_sent(tap))} commands sent",
                      "Use r.")
    tale = f"token 2, and token {RIVALS_TOKEN} wrote between your look and your write"
    found = text(client.hget(RACED_REPORT, "value"))
    if found != "rival":
        raise Refused(f"{tale}: the value is {found!r} and should be the rival's", *IN_BETWEEN)
    if said:
        raise Refused(f"{tale}: write returned True, and the value is the rival's", *IN_BETWEEN)
    written(client, answer, RACED_REPORT, "later", 3, "token 3, after all that")
    if text(client.hget(RACED_REPORT, "value")) != "rival":
        raise Refused(f"{tale}; then token 3 was written. The token has to be stored as one step with the value", *IN_BETWEEN)


def overtaken(rivals_call):
    """Inside the block, `rivals_call()` runs once: just before the first command is sent that could write. Yields what it did."""
    original = AbstractConnection.send_packed_command
    story = Story()

    @functools.wraps(original)
    def send(self, command, *args, **kwargs):
        chunks = list(chunks_of(command))
        if not story and not set(names_in(chunks)) <= READS:
            story.append(None)  # the rival's own commands pass
            story[0] = rivals_call()
        return original(self, chunks, *args, **kwargs)

    story.patch = replaced(AbstractConnection, send_packed_command=send)
    return story


class Story(list):
    """What the rival was told, once it has had its turn; a `with` block in which it has it."""

    def __enter__(self):
        self.patch.__enter__()
        return self

    def __exit__(self, *ended):
        return self.patch.__exit__(*ended)
