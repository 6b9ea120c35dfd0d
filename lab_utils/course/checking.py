"""What the checks of exercises/ share: a client, what an answer sent, budgets, and refusals.

The checks take every name of the lab from here, so that what moves is renamed in one place.
"""

import contextlib
import functools
import itertools

from redis.client import Pipeline
from redis.connection import AbstractConnection
from roundtrips.redis_py import chunks_of
from roundtrips.resp import commands_in

from ..arguments import check_ran, shown  # noqa: F401
from ..counting.cost import cost_and_result, cost_of  # noqa: F401
from ..counting.recording import Recording
from ..interrupts import Whole
from ..testbed import event_loop, guard  # noqa: F401
from ..testbed.chosen_server import connect
from ..testbed.freezing import frozen  # noqa: F401
from ..testbed.replicas import replica  # noqa: F401
from ..testbed.spare_server import spare  # noqa: F401
from ..words import counted
from .claims import DEPENDS, FAILS, HOLDS  # noqa: F401

WITH_TEXT = frozenset({b"EVAL", b"EVAL_RO"})  # scripts whose text travels with each call
QUEUED = (
    "A call on a pipeline only queues a command, and returns the pipeline. The replies come "
    "from pipe.execute(): one list, in the order in which you queued."
)
SCRIPTS = WITH_TEXT | {b"EVALSHA", b"EVALSHA_RO", b"FCALL", b"FCALL_RO"}


class Refused(Exception):
    """Say what was right in an answer, what was not, and by how much.

    `hints` fit this diagnosis, from a nudge to nearly the answer; without one, the exercise's own
    are shown.
    """

    def __init__(self, why="", *hints):
        super().__init__(why)
        self.hints = hints


def clean(client):
    """Delete the keys of the exercises, which all begin with `exercise:`, and no other key."""
    guard.check(client)
    keys = list(client.scan_iter("exercise:*", count=1_000))
    for start in range(0, len(keys), 1_000):
        client.delete(*keys[start : start + 1_000])


@contextlib.contextmanager
def exercise_client(**options):
    """Yield a client for an answer, its connection open, with no key of an exercise around it.

    The clean-up has a client of its own, so it works whatever the answer did to the other.
    """
    with connect() as own, connect(**options) as client:
        clean(own)
        client.ping()
        try:
            yield client
        finally:
            clean(own)


# Budgets of turns


def trips_of(cost):
    """Return all round trips of a Cost, those that opened connections included."""
    return cost.round_trips + cost.handshake_trips


def refuse_over(cost, budget, right="right values", *hints):
    """Raise Refused if the answer made more round trips than the budget, or none through r."""
    trips = trips_of(cost)
    if trips > budget:
        opened = (
            f" ({cost.handshake_trips:,} of them to open {counted(cost.connections, 'connection')})"
            if cost.handshake_trips
            else ""
        )
        if cost.round_trips <= budget:
            hints = (
                "The client that you were given has a connection, and it is open. Send "
                "through that one.",
            )
        raise Refused(
            f"{right}, but {counted(trips, 'round trip')}{opened}; the budget is {budget}", *hints
        )
    if not trips:
        raise Refused(
            f"{right}, but no round trip through the client that was passed in: use r",
            "The first argument, r, is the client to send through.",
        )


def refuse_pipelines(got):
    """Raise Refused if an answer holds a pipeline where a reply should be."""
    if holds_pipeline(got):
        raise Refused("you returned the pipeline itself where a reply should be", QUEUED)


def holds_pipeline(value, depth=2):
    if isinstance(value, (list, tuple)) and depth:
        return any(holds_pipeline(each, depth - 1) for each in value)
    return isinstance(value, Pipeline)


# What an answer sent


def names_in(chunks):
    """Return the names of the commands in written bytes, upper-case, in order."""
    return [command[0].decode(errors="replace").upper() for command in commands_in(chunks)]


def names_sent(seen):
    """Return the names of the commands in a closed Recording, without connections' set-up."""
    return [name for write in seen.writes if not write.setup for name in names_in([write.data])]


def commands_sent(seen):
    """Return the commands in a closed Recording, each a list of bytes, without set-up."""
    return [
        command for write in seen.writes if not write.setup for command in commands_in([write.data])
    ]


def in_one_piece(names):
    """Tell whether these commands ran as one: a single one, a script, or one MULTI … EXEC."""
    return len(names) == 1 or (
        names[:1] == ["MULTI"] and names[-1:] == ["EXEC"] and names.count("EXEC") == 1
    )


def refuse_pieces(seen, why, *hints):
    """Raise Refused, the names between why[0] and why[1], if it was not sent as one step."""
    names = names_sent(seen)
    if not in_one_piece(names):
        raise Refused(
            f"{why[0]}{' and '.join(names)}{why[1]}",
            *hints,
            "r.pipeline(), as it comes, puts MULTI and EXEC around what is queued; "
            "transaction=False leaves them out.",
        )


def refuse_pasted(seen, *values):
    """Raise Refused if a script names no key, or has one of `values` (bytes) in its text."""
    for name, *rest in commands_sent(seen):
        if name.upper() not in SCRIPTS:
            continue
        pasted = next(
            (value for value in values if name.upper() in WITH_TEXT and value in rest[0]), None
        )
        if pasted is not None:
            raise Refused(
                f"right so far, but {pasted.decode()!r} stands in the script's text, so "
                "each value makes another script: the server compiles and keeps each",
                "script = r.register_script(text), then script(keys=[key], "
                "args=[value]): the text says KEYS[1] and ARGV[1] and is always the "
                "same.",
            )
        if rest[1:2] == [b"0"]:
            raise Refused(
                "right so far, but the script names no key: a cluster could not tell "
                "which node to send it to",
                "script(keys=[key], args=[…]), or r.eval(text, 1, key, …): the number "
                "says how many of the arguments are keys. In the script the first is "
                "KEYS[1].",
            )


def borrowed(client):
    """Return a one-connection client's connection, open and released to its pool."""
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    return connection


class replaced(Whole):
    """Put other methods or attributes into a class of redis-py for the length of a block."""

    def __init__(self, owner, **others):
        self.owner, self.others = owner, others
        self.originals = {name: getattr(owner, name) for name in others}

    def enter(self):
        self.set(self.others)

    def leave(self):
        self.set(self.originals)

    def set(self, values):
        for name, value in values.items():
            setattr(self.owner, name, value)


def sending(hook):
    """Call `hook(connection, chunks, send)` in place of each send inside the block.

    `send(chunks)` sends them; what `hook` returns is what the sender gets.
    """
    original = AbstractConnection.send_packed_command

    @functools.wraps(original)
    def send_packed_command(self, command, *args, **kwargs):
        return hook(self, chunks_of(command), lambda parts: original(self, parts, *args, **kwargs))

    return replaced(AbstractConnection, send_packed_command=send_packed_command)


# What an answer returned


def text(value):
    """Return bytes as the text they are, and anything else as it is."""
    return value.decode() if isinstance(value, bytes) else value


def first_difference(one, other):
    """Return the first place in which two lists differ; None if none as far as both go."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), None)


def near(said, right, tolerance=0.01):
    """Tell whether two numbers are the same but for a share of the second."""
    return abs(said - right) <= tolerance * right


def number(said, call, wanted):
    """Return what a call returned, if it is a number; raise Refused otherwise."""
    if not isinstance(said, (int, float)) or isinstance(said, bool):
        raise Refused(
            f"{call} returned {said!r}, not a {wanted}",
            f"Let the function return the {wanted} itself, not print it.",
        )
    return said


def packer():
    """Return redis-py's own function from a command's parts to chunks of bytes; it sends none."""
    with connect() as client:
        return borrowed(client).pack_command


WALKS = ("KEYS", "SCAN")  # commands that look at every key of the database
NO_WALKS = (
    "A name that can be worked out need not be searched for. Which names does the question "
    "itself tell you?",
    "Where several entries answer the question, keep them, or their names, under one key: "
    "a hash or a set.",
)


def refuse_walks(sent):
    """Raise Refused if KEYS or SCAN is among the names sent, a Counter."""
    walks = [name for name in WALKS if sent[name]]
    if walks:
        raise Refused(
            f"right answer, but by {' and '.join(walks)}, which looks at every key of the database",
            *NO_WALKS,
        )


def stored(r):
    """Return {key: all that it holds, as bytes} of the keys of the exercises."""
    held = {}
    for key in sorted(r.scan_iter("exercise:*")):
        kind = r.type(key)
        if kind == b"string":
            held[key] = r.get(key)
        elif kind == b"hash":
            held[key] = b"\n".join(part for pair in r.hgetall(key).items() for part in pair)
        else:
            held[key] = r.dump(key)
    return held


def in_one_turn(answer, client, *arguments):
    """Return what the answer returned; raise Refused unless it came as one step, in one turn."""
    client.ping()
    with Recording() as seen:
        reply = answer(client, *arguments)
    refuse_over(cost_of(seen), 1, "right so far")
    refuse_pasted(seen, *(each.encode() for each in arguments if isinstance(each, str)))
    refuse_pieces(
        seen,
        (
            "right so far, but ",
            " are not one step: if the key expires between the two, the second makes "
            "one that never does",
        ),
        "MULTI and EXEC around the two, or a script.",
    )
    return reply


def in_flight(seen):
    """Return the most requests that were under way at the same moment."""
    turns = [turn for turn in seen.round_trips if not turn.setup]
    steps = sorted([(turn.sent, 1) for turn in turns] + [(turn.replied, -1) for turn in turns])
    return max(itertools.accumulate(step for _, step in steps), default=0)


def lines_within(trips, answer, given, expected, call, *hints):
    """Run the answer; raise Refused unless it returns these lines in so many round trips.

    The refusal names the first line that differs.
    """
    with Recording() as seen:
        said = answer(*given)
    if not isinstance(said, (list, tuple)):
        raise Refused(
            f"{call} returned {shown(said)}. A list of lines was expected",
            "Return the list, line by line as the slow one makes it.",
        )
    place = first_difference(said, expected)
    if place is not None:
        raise Refused(
            f"{call}: line {place + 1} is {shown(said[place])} and should be {expected[place]!r}",
            *hints,
        )
    if len(said) != len(expected):
        raise Refused(
            f"{call} returned {counted(len(said), 'line')} and should return {len(expected)}",
            *hints,
        )
    refuse_over(cost_of(seen), trips, f"{call}: right lines")
