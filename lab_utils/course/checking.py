"""Help the checks in exercises/: a client, a record of the commands sent, refusals.

`answer` is the learner's function throughout, and a check raises Refused to say what is wrong. The
checks import every name of the lab from here, so that a moved helper is renamed in one place.
"""

import contextlib
import gc
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import redis
from redis.client import Pipeline
from redis.connection import AbstractConnection
from roundtrips.redis_py import chunks_of
from roundtrips.resp import commands_in

from ..arguments import Option, check_ran, shown  # noqa: F401
from ..counting.cost import Cost, cost_of
from ..counting.recording import Recording
from ..testbed import event_loop, ownership  # noqa: F401
from ..testbed.chosen_server import connect
from ..testbed.freezing import frozen  # noqa: F401
from ..testbed.replicas import replica  # noqa: F401
from ..testbed.spare_server import spare  # noqa: F401
from ..words import counted
from .claims import DEPENDS, FAILS, HOLDS  # noqa: F401

WITH_TEXT = frozenset({b"EVAL", b"EVAL_RO"})  # scripts whose text travels with each call
NUMBER = int, float
QUEUED = (
    "A call on a pipeline only queues a command, and returns the pipeline. The replies come "
    "from pipe.execute(): one list, in the order in which you queued."
)
# Puts other methods or attributes into a class of redis-py for the length of a block.
replaced = patch.multiple
# Commands that leave every key as it is.
READS = frozenset(
    {"AUTH", "CLIENT", "DISCARD", "EVALSHA_RO", "EVAL_RO", "EXISTS", "FCALL_RO", "GET", "HELLO"}
    | {"HEXISTS", "HGET", "HGETALL", "HMGET", "HVALS", "MGET", "MULTI", "PING", "SCRIPT"}
    | {"SELECT", "STRLEN", "TTL", "TYPE", "UNWATCH", "WATCH"}
)
SCRIPTS = WITH_TEXT | {b"EVALSHA", b"EVALSHA_RO", b"FCALL", b"FCALL_RO"}


class Refused(Exception):
    """Raised by an exercise's check if the learner's answer is wrong.

    The message, `why`, says what was right in the learner's work, and what was wrong. `hints` are
    sentences that fit this mistake, from a nudge to nearly the answer; if there are none, the
    exercise's own hints are shown.
    """

    def __init__(self, why: str = "", *hints: str) -> None:
        super().__init__(why)
        self.hints = hints


def clean(client: redis.Redis) -> None:
    """Delete the keys of the exercises, which all begin with `exercise:`, and no other key.

    Raises LabError if `client` is not on a database of the lab's.
    """
    ownership.check(client)
    keys = list(client.scan_iter("exercise:*", count=1_000))
    if keys:
        client.delete(*keys)


@contextlib.contextmanager
def exercise_client(**options: Option) -> Iterator[redis.Redis]:
    """Yield a connected redis.Redis for a learner's function; delete the exercises' keys around it.

    The keys are deleted before and after the `with` block, by another client, so that it works
    whatever the function did to the yielded one. `options` are those of `lab.connect`: redis-py's,
    and `rtt_ms`, the distance in ms.
    """
    # A pipeline that an earlier answer left watching says UNWATCH when Python's collector finds it,
    # on a connection that it opens for that: not while this answer's round trips are counted.
    gc.collect()
    with connect() as own, connect(**options) as client:
        clean(own)
        client.ping()
        try:
            yield client
        finally:
            clean(own)


# Budgets of turns


def trips_of(cost: Cost) -> int:
    return cost.round_trips + cost.handshake_trips


def refuse_over(cost: Cost, budget: int, right: str = "right values", *hints: str) -> None:
    """Raise Refused if a learner's function made more round trips than `budget`, or none.

    `cost` is the Cost of calling the function; round trips that open connections count too. No
    round trip means that the function did not use the client that it was given. The message for the
    learner begins with `right`, a few words on what was right; `hints` are sentences to show the
    learner.
    """
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


def refuse_pipelines(got: object) -> None:
    """Raise Refused if a learner's function returned a pipeline, or something that contains one.

    `got` is what it returned.
    """
    if f".{Pipeline.__name__}(" in repr(got):
        raise Refused("you returned the pipeline itself where a reply should be", QUEUED)


# What an answer sent


def names_in(chunks: list[bytes]) -> list[str]:
    """Return the names of the commands in written bytes, in upper case and in order.

    `chunks` are the bytes that were written to a connection.
    """
    return [command[0].decode(errors="replace").upper() for command in commands_in(chunks)]


class Attempt:
    """A recorded call of a learner's function: its `reply`, its `cost` and what it sent.

    The call is `answer(*arguments)`, and `reply` what it returned. `recording` is the closed
    Recording, `cost` a Cost. `commands` are lists of bytes, `names` the commands' names in upper
    case; both leave out the commands that open connections.
    """

    def __init__(self, answer: Callable, *arguments: Any) -> None:
        with Recording() as self.recording:
            self.reply = answer(*arguments)
        self.cost = cost_of(self.recording)
        self.commands = [
            command
            for write in self.recording.writes
            if not write.setup
            for command in commands_in([write.data])
        ]
        self.names = [command[0].decode(errors="replace").upper() for command in self.commands]


def steps_of(names: list[str]) -> list[list[str]]:
    """Divide command names into atomic steps, a list each: one name, or all from MULTI to EXEC.

    `names` are in upper case, in the order of sending.
    """
    steps, queued = [], False
    for name in names:
        if queued:
            steps[-1].append(name)
        else:
            steps.append([name])
        queued = name == "MULTI" or (queued and name != "EXEC")
    return steps


def refuse_pieces(attempt: Attempt, why: str, *hints: str) -> None:
    """Raise Refused unless the learner's function did its work in one atomic step.

    An atomic step is a command, a script or a transaction. `attempt` is the recorded call of that
    function, `why` ends the message; `hints` are sentences to show the learner.
    """
    if len(steps_of(attempt.names)) > 1:
        raise Refused(
            f"right so far, but {' and '.join(attempt.names)} are not one step: {why}",
            *hints,
            "r.pipeline(), as it comes, puts MULTI and EXEC around what is queued; "
            "transaction=False leaves them out.",
        )


def refuse_pasted(attempt: Attempt, *values: bytes) -> None:
    """Raise Refused if a script that the learner's function sent contains a value, or names no key.

    `attempt` is the recorded call of that function, `values` are the values that belong into the
    script's arguments. A value in the text makes another script for each value, which the server
    compiles and stores.
    """
    for name, *rest in attempt.commands:
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


def borrowed(client: redis.Redis) -> Any:
    """Return the open connection of a client whose pool has only one.

    The connection, redis-py's, is back in the pool already, so the client can still use it.
    """
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    return connection


def sending(hook: Callable) -> Any:
    """Return a context manager: in its block, `hook` is called whenever redis-py sends bytes.

    The call is `hook(connection, chunks, send)`, in place of sending, for every client. `chunks` is
    a list of bytes, and `send(chunks)` really sends them. The value that `hook` returns is returned
    to redis-py.
    """
    original = AbstractConnection.send_packed_command

    def send_packed_command(self: Any, command: Any, *args: Any, **kwargs: Any) -> Any:
        return hook(self, chunks_of(command), lambda parts: original(self, parts, *args, **kwargs))

    return replaced(AbstractConnection, send_packed_command=send_packed_command)


# What an answer returned


def text(value: Any) -> Any:
    """Return a value decoded as text if it is bytes, and any other value unchanged."""
    return value.decode() if isinstance(value, bytes) else value


def near(said: float, right: float, tolerance: float = 0.01) -> bool:
    """Return whether `said` differs from `right` by at most the share `tolerance` of `right`."""
    return abs(said - right) <= tolerance * right


def of_kind(kind: type | tuple[type, ...], value: Any, call: str, wanted: str, *hints: str) -> Any:
    """Return `value`; raise Refused unless it is of type `kind`, which may be a tuple of types.

    A bool passes only if `kind` is bool, although it is an int too. For the message, `call` is the
    text of the call that returned the value, and `wanted` the type in words; `hints` are sentences
    to show the learner.
    """
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise Refused(f"{call} returned {shown(value)}, not {wanted}", *hints)
    return value


def packer() -> Callable[..., list[bytes]]:
    """Return redis-py's function that packs a command: `pack("GET", "key")` gives a list of bytes.

    Calling the returned function sends nothing.
    """
    with connect() as client:
        return borrowed(client).pack_command


WALKS = ("KEYS", "SCAN")  # commands that look at every key of the database
NO_WALKS = (
    "A name that can be worked out need not be searched for. Which names does the question "
    "itself tell you?",
    "Where several entries answer the question, keep them, or their names, under one key: "
    "a hash or a set.",
)


def refuse_walks(attempt: Attempt) -> None:
    """Raise Refused if the learner's function sent KEYS or SCAN, which look at every key.

    `attempt` is the recorded call of that function.
    """
    walks = [name for name in WALKS if name in attempt.names]
    if walks:
        raise Refused(
            f"right answer, but by {' and '.join(walks)}, which looks at every key of the database",
            *NO_WALKS,
        )


def refuse_bytes_in_names(attempt: Attempt) -> None:
    """Raise Refused if the learner's function used a key whose name contains b'…'.

    Such a name is made by formatting a bytes value, such as a set's member, into it. `attempt` is
    the recorded call of that function.
    """
    parts = [part.decode(errors="replace") for command in attempt.commands for part in command[1:]]
    for name in parts:
        if name.startswith("exercise:") and "b'" in name:
            raise Refused(
                f"you ask for {name!r}, and no key has that name: redis-py returns the "
                "members of a set as bytes, and an f-string writes b'…' for them",
                "int(…) or .decode() makes a number or a text of the bytes.",
            )


def stored(r: Any) -> dict[bytes, Any]:
    """Return {key: its whole content}, all bytes, of the exercises' keys: strings and hashes.

    `r` is a redis.Redis. A hash's content is its fields and values, a line each.
    """
    held = {}
    for key in sorted(r.scan_iter("exercise:*")):
        if r.type(key) == b"hash":
            held[key] = b"\n".join(part for pair in r.hgetall(key).items() for part in pair)
        else:
            held[key] = r.get(key)
    return held


def in_one_turn(answer: Callable, client: redis.Redis, *arguments: Any) -> Any:
    """Call `answer(client, *arguments)`, the learner's function, and return its reply.

    Raises Refused if the function took more than one round trip, if its commands are not one atomic
    step, or if one of `arguments` stands in the text of a script instead of among the script's
    arguments.
    """
    client.ping()
    attempt = Attempt(answer, client, *arguments)
    refuse_over(attempt.cost, 1, "right so far")
    refuse_pasted(attempt, *(each.encode() for each in arguments if isinstance(each, str)))
    refuse_pieces(
        attempt,
        "if the key expires between the two, the second makes one that never does",
        "MULTI and EXEC around the two, or a script.",
    )
    return attempt.reply


def in_flight(attempt: Attempt) -> int:
    """Return the largest number of requests that were under way at the same time.

    `attempt` is the recorded call of a learner's function.
    """
    turns = [turn for turn in attempt.recording.round_trips if not turn.setup]
    steps = sorted([(turn.sent, 1) for turn in turns] + [(turn.replied, -1) for turn in turns])
    return max(itertools.accumulate(step for _, step in steps), default=0)


def refuse_other_list(got: Any, right: list, call: str, *hints: str) -> None:
    """Raise Refused, naming the first difference, unless `got` equals the list `right`.

    `got` is what the learner's function returned: it may also be a tuple, and its texts may be
    bytes. `call` is the text of the call, for the message; `hints` are sentences to show the
    learner.
    """
    refuse_pipelines(got)
    if not isinstance(got, (list, tuple)):
        what = "a dict" if isinstance(got, dict) else shown(got)
        raise Refused(f"{call} returned {what}, not a list of {len(right)}", *hints)
    said = [text(each) for each in got]
    if said == right:
        return
    if sorted(map(str, said)) == sorted(map(str, right)):
        raise Refused(f"{call} returned what it should, but not in the right order", *hints)
    if len(said) != len(right):
        raise Refused(f"{call} returned a list of {len(said)}, not of {len(right)}", *hints)
    place = next(place for place, value in enumerate(said) if value != right[place])
    raise Refused(
        f"{call}: place {place} holds {shown(said[place])} and should hold {shown(right[place])}",
        *hints,
    )


def lines_within(
    trips: int, answer: Callable, given: Sequence, expected: list, call: str, *hints: str
) -> None:
    """Raise Refused unless a learner's function returns `expected` in at most `trips` round trips.

    The call is `answer(*given)`, where `given` begins with the client; `expected` is a list of
    lines. `call` is the text of this call in the message; `hints` are sentences to show the learner
    if the lines are wrong.
    """
    attempt = Attempt(answer, *given)
    refuse_other_list(attempt.reply, expected, call, *hints)
    refuse_over(attempt.cost, trips, f"{call}: right lines")
