"""What the checks of the exercises share: a client, what an answer sent over it, budgets of turns, and the clean-up."""

import contextlib

from redis.client import Pipeline

from ..interrupts import Whole
from ..testbed import guard
from ..testbed.chosen_server import connect
from ..tracing.resp import commands_in
from ..words import counted

WITH_TEXT = frozenset({b"EVAL", b"EVAL_RO"})  # scripts whose text travels with each call
SCRIPTS = WITH_TEXT | {b"EVALSHA", b"EVALSHA_RO", b"FCALL", b"FCALL_RO"}


class Refused(Exception):
    """The answer is not right; the message says what was right, what was not, and by how much.

    `hints` fit this diagnosis, from a nudge to nearly the answer; without one, the exercise's own are shown.
    """

    def __init__(self, why="", *hints):
        super().__init__(why)
        self.hints = hints


def clean(client):
    """Deletes the keys of the exercises, which all begin with `exercise:`, and no other key."""
    guard.check(client)
    keys = list(client.scan_iter("exercise:*", count=1_000))
    for start in range(0, len(keys), 1_000):
        client.delete(*keys[start:start + 1_000])


@contextlib.contextmanager
def exercise_client(**options):
    """A client for an answer, its connection open, with no key of an exercise in the database before or afterwards.

    The clean-up has a client of its own: whatever the answer did to the one that it was given, it works.
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
    """All round trips of a Cost, those that opened connections included."""
    return cost.round_trips + cost.handshake_trips


def refuse_over(cost, budget, right="right values", *hints):
    """Raises Refused if the answer made more round trips than the budget, or none through the client it was given."""
    trips = trips_of(cost)
    if trips > budget:
        opened = (f" ({cost.handshake_trips:,} of them to open {counted(cost.connections, 'connection')})"
                  if cost.handshake_trips else "")
        if cost.round_trips <= budget:
            hints = ("The client that you were given has a connection, and it is open. Send through that one.",)
        raise Refused(f"{right}, but {counted(trips, 'round trip')}{opened}; the budget is {budget}", *hints)
    if not trips:
        raise Refused(f"{right}, but no round trip through the client that was passed in: use r",
                      "The first argument, r, is the client to send through.")


def refuse_pipelines(got):
    """Raises Refused if an answer holds a pipeline where a reply should be: what `pipe.get(…)` returns."""
    if holds_pipeline(got):
        raise Refused("you returned the pipeline itself where a reply should be",
                      "A call on a pipeline only queues a command, and returns the pipeline. The replies come from "
                      "pipe.execute(): one list, in the order in which you queued.")


def holds_pipeline(value, depth=2):
    if isinstance(value, (list, tuple)) and depth:
        return any(holds_pipeline(each, depth - 1) for each in value)
    return isinstance(value, Pipeline)


# What an answer sent

def names_in(chunks):
    """The names of the commands in written bytes, upper-case, in order."""
    return [command[0].decode(errors="replace").upper() for command in commands_in(chunks)]


def names_sent(tap):
    """The names of the commands that a closed tap saw sent, in order, without those of a connection's set-up."""
    return [name for write in tap.writes if not write.handshake for name in names_in(write.chunks)]


def commands_sent(tap):
    """The commands that a closed tap saw sent, each as a list of bytes, without those of a connection's set-up."""
    return [command for write in tap.writes if not write.handshake for command in commands_in(write.chunks)]


def in_one_piece(names):
    """True if the commands of these names ran with nothing in between: one command, one script, or one MULTI … EXEC."""
    return len(names) == 1 or (names[:1] == ["MULTI"] and names[-1:] == ["EXEC"] and names.count("EXEC") == 1)


def refuse_pieces(tap, why, *hints):
    """Raises Refused, with `why` after the commands' names, if others may be served between the commands that were sent."""
    names = names_sent(tap)
    if not in_one_piece(names):
        raise Refused(f"{why[0]}{' and '.join(names)}{why[1]}", *hints,
                      "r.pipeline(), as it comes, puts MULTI and EXEC around what is queued; transaction=False leaves them out.")


def refuse_pasted(tap, *values):
    """Raises Refused if a script was sent without KEYS, or with one of `values` (bytes) pasted into its text."""
    for name, *rest in commands_sent(tap):
        if name.upper() not in SCRIPTS:
            continue
        pasted = next((value for value in values if name.upper() in WITH_TEXT and value in rest[0]), None)
        if pasted is not None:
            raise Refused(f"right so far, but {pasted.decode()!r} stands in the script's text, so each value makes another "
                          "script: the server compiles and keeps every one",
                          "r.eval(script, 1, key, value): the script says KEYS[1] and ARGV[1], its text is always the same, and "
                          "the values travel beside it.")
        if rest[1:2] == [b"0"]:
            raise Refused("right so far, but the script names no key: a cluster could not tell which node to send it to",
                          "r.eval(script, 1, key, …): the number says how many of the arguments are keys. In the script the "
                          "first is KEYS[1].")


def borrowed(client):
    """The connection that a client with one connection uses, open; nobody holds it."""
    connection = client.connection_pool.get_connection()
    client.connection_pool.release(connection)
    return connection


class replaced(Whole):
    """Inside the `with` block some methods or attributes of a class of redis-py are others."""

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


# What an answer returned

def text(value):
    """Bytes as the text they are; anything else as it is."""
    return value.decode() if isinstance(value, bytes) else value


def first_difference(one, other):
    """The first place in which two lists differ; None where neither does, as far as the shorter one goes."""
    return next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
