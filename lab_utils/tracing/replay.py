"""What a traced block would take at another distance: its turns played again, each longer by the difference.

What followed on a turn (on the same thread or task, the same connection, a line that one of the two started) follows on it again,
after as long as before: that was the program's own work. Turns that overlapped overlap again. Opening a connection costs one more
round trip than the turns on it: TCP's own.

A reply that came while the program was busy with another task or thread was only read when that was done: at a distance such
work is done while the reply travels. So a turn that overlapped others' takes as long as a short one of its kind did, or as
reading it took, and the distance; unless two turns, one after the other, were made meanwhile: then it was not there yet. The
whole is never shorter than it was: threads take turns at Python, so what they do adds up, near or far.

Where tasks alone made the turns, their loop's own clock says what it did, and it is played as a queue: see `queueing.py`. So
are threads that the block started, by the clock of each: see `gil.py`. What the trace itself took of their time is taken away:
`overhead.py` says what of it can't be measured at each turn. All else is played by the times at which turns were seen.

Turns beyond the first 10,000 were added up, so their order is not known. They overlap as much as they outnumber their waits.

Workers of one pool of threads are alike: what one of them did is done by whichever is free first. A client that waits long enough
to sleep has to be woken, which costs it a little each turn.

It leaves out what a distance changes besides: bandwidth, a pool that would have been larger, tasks that meet elsewhere. A task
that uses a connection after another one is taken to wait for it. That threads waited for one another is known where one was
joined; not where a semaphore, a queue, an event or a future's result told them, nor in a pool of few connections. A task that
blocks its loop without computing, in `time.sleep`, is taken to have awaited.
"""

import itertools
from bisect import bisect_left
from dataclasses import replace

from ..arguments import check_number
from .commands import blocks
from .gil import is_of_threads, played_on_threads, pools_of, reading_cpu
from .overhead import seconds_a_reply, unmeasured, unmeasured_of_threads
from .queueing import is_of_loops, played_on_loops

NEAR_S = 0.0002  # a shortest turn below this is no distance, but two processes on one machine
FEW, SMALL = 10, 20_000  # commands, and bytes: a turn of so many takes less than that on one machine
SHORTER = 10  # a tenth of the turns are shorter than the one that is taken
SLEEPS_MS, WAKING_S = 0.5, 0.00005  # a client that waits so long sleeps, and reads a reply so long after it came
OWN_S = 0.00005  # of a turn on one machine
SLEEPING_S = 0.000015  # of CPU: a thread goes to sleep until a reply comes; by the clocks of busy processes, near and far


def seconds_at(record, rtt_ms, here_ms=None):
    """The seconds at `rtt_ms` of a Record that was made at `here_ms`."""
    check_number(rtt_ms, "rtt_ms", 0)
    traced, record = record, without_own(record)
    here = distance_of(record) if here_ms is None else check_number(here_ms, "here_ms", 0) / 1000
    longer = rtt_ms / 1000 - here
    if not here and rtt_ms >= SLEEPS_MS:
        longer += WAKING_S
    if is_of_loops(record):
        return replayed_on_loops(traced, longer)
    if is_of_threads(record):
        return replayed_on_threads(traced, longer, 0.0 if here else SLEEPING_S)
    seconds = replayed(record, longer, here)
    return max(seconds, record.seconds) if longer >= 0 else seconds  # the client's own work is not done sooner


def distance_of(record):
    """The round trip in seconds at which it was made, by its shorter turns; the very shortest may be an accident of the clock.

    Without evidence of it there is none.
    """
    turns = [turn for turn in record.turns if is_evidence(turn)]
    usual = short_one(turns)
    if usual < NEAR_S:
        return 0.0
    if is_of_threads(record):  # whose clocks say what reading took; the rest may be another thread's work
        waited = min(waits_by_kind(record).values())
        return waited if waited >= NEAR_S else 0.0
    # Where many tasks send before the first of them reads, replies wait for the program: then it did not wait for them.
    waited = [seconds for seconds in before_replies(record.turns) if seconds >= NEAR_S]
    return usual - OWN_S if 2 * sum(waited) >= usual else 0.0


def is_evidence(turn):
    """Whether a turn that took long says that Redis is far away: a blocking command waits at the server, many need their time."""
    return (turn.outcome == "answered" and sum(turn.names.values()) <= FEW and turn.bytes_sent + turn.bytes_received <= SMALL
            and not any(map(blocks, turn.commands)))


def before_replies(turns):
    """The seconds before each reply that is evidence, in which nothing at all was sent or read."""
    events = sorted([(turn.sent, False) for turn in turns] + [(turn.replied, is_evidence(turn)) for turn in turns])
    return [at - earlier for (earlier, _), (at, is_reply) in itertools.pairwise(events) if is_reply]


def short_one(turns):
    """The seconds of a turn that nothing held up."""
    seconds = sorted(turn.seconds for turn in turns)
    return seconds[len(seconds) // SHORTER] if seconds else 0.0


def usual_by_kind(record):
    """{kind of turn: the seconds of one that nothing held up}: a BLPOP, or a pipeline of a thousand, takes longer than a GET."""
    kinds = {}
    for turn in record.turns:
        kinds.setdefault(kind_of(turn), []).append(turn)
    return {kind: short_one(turns) for kind, turns in kinds.items()}


def kind_of(turn):
    return turn.site, tuple(turn.names.items()), turn.outcome


def replayed(record, longer, here):
    """The seconds with each turn longer by so many than `here` (shorter, if below 0)."""
    played, opened = Played(record), set()
    shared, usual, read = overlapping(record.turns), usual_by_kind(record), reading(record.turns, here)
    for turn, overlaps in zip(record.turns, shared, strict=True):
        before, now = played.before(turn)
        sent = now + turn.sent - before
        trips = 1
        if turn.setup and turn.connection not in opened:
            trips = 2
            opened.add(turn.connection)
        short = min(turn.seconds, usual[kind_of(turn)], read(turn))
        seconds = short if overlaps and longer > 0 else turn.seconds
        played.add(turn, sent + max(0.0, seconds + trips * longer))
    return max(0.0, played.end + rest_of(record, record.seconds - played.end_before, longer))


def replayed_on_loops(record, longer):
    """The same of turns that tasks made, by what the loop's thread did."""
    shared = {id(turn): overlaps for turn, overlaps in zip(record.turns, overlapping(record.turns), strict=True)}
    opened, made_meanwhile = set(), chained(record.turns)

    def needed(turn, loop):
        trips = 1
        if turn.setup and turn.connection not in opened:
            trips = 2
            opened.add(turn.connection)
        held_up = shared[id(turn)] and longer > 0 and not made_meanwhile(turn)
        waited = (loop.longest_idle if held_up else loop.idle_between)(turn.sent, turn.replied)
        return max(0.0, waited + trips * longer)

    end_before, end = played_on_loops(record, needed, unmeasured())
    return max(0.0, end + rest_of(record, record.seconds - end_before, longer))


def replayed_on_threads(record, longer, sleeping):
    """The same of turns that threads made, by what each thread's own clock said."""
    opened, waits = set(), waits_by_kind(record)

    def waited(turn):
        trips = 1
        if turn.setup and turn.connection not in opened:
            trips = 2
            opened.add(turn.connection)
        return max(0.0, min(turn.seconds - reading_cpu(turn), waits[kind_of(turn)]) + trips * longer)

    end_before = max(turn.replied for turn in record.turns)
    end = played_on_threads(record, waited, pools_of(record), unmeasured_of_threads(), sleeping if longer > 0 else 0.0)
    return max(0.0, end + rest_of(record, record.seconds - end_before, longer))


def waits_by_kind(record):
    """{kind of turn: the seconds of a short one in which its thread did not compute}."""
    kinds = {}
    for turn in record.turns:
        kinds.setdefault(kind_of(turn), []).append(max(0.0, turn.seconds - reading_cpu(turn)))
    return {kind: sorted(seconds)[len(seconds) // SHORTER] for kind, seconds in kinds.items()}


def chained(turns):
    """A function from a turn to whether two others, one after the other, were made meanwhile."""
    sent = [turn.sent for turn in turns]
    answered = list(itertools.accumulate((turn.replied for turn in reversed(turns)), min, initial=float("inf")))[::-1]

    def were_made(turn):
        first = answered[bisect_left(sent, turn.sent)]
        return answered[bisect_left(sent, first)] < turn.replied
    return were_made


def without_own(record):
    """The Record, with the trace's own work taken out of its times."""
    own = list(itertools.accumulate(map(own_of, record.turns), initial=0.0))
    if not own[-1]:
        return record
    sent = [turn.sent for turn in record.turns]

    def clean(at):
        return at - own[bisect_left(sent, at)]

    turns = [replace(turn, sent=clean(turn.sent), replied=clean(turn.replied)) for turn in record.turns]
    return replace(record, turns=turns, seconds=record.seconds - own[-1])


def own_of(turn):
    """The seconds that the trace took of it."""
    replies = sum(turn.names.values()) if turn.cpu_sent is None else 1
    return turn.own + (seconds_a_reply() * replies if replies > 1 else 0.0)


def reading(turns, here):
    """A function from a turn that overlapped others' to the seconds that it took if its reply only waited to be read."""
    sent = [turn.sent for turn in turns]
    events, was_away = sorted([*sent, *[turn.replied for turn in turns]]), chained(turns)

    def seconds(turn):
        if was_away(turn):
            return turn.seconds
        return here + OWN_S + turn.replied - events[bisect_left(events, turn.replied) - 1]
    return seconds


def rest_of(record, seconds, longer):
    """The seconds, once `seconds`, from the end of the last turn that was kept whole: what was added up, and what came after."""
    waits = max(0, record.waits - max((turn.depth for turn in record.turns), default=0))
    turns = sum(fold.turns for fold in record.folds if not fold.setup)
    at_once = max(1.0, turns / waits) if waits else 1.0
    if longer <= 0:
        return seconds + waits * longer
    return max(seconds, seconds / at_once + waits * longer)  # where several are on their way, they wait for one another's work


def overlapping(turns):
    """For each turn whether one of another line was on its way at the same time."""
    found, latest = [False] * len(turns), {}
    for place, turn in enumerate(turns):
        for line, (ended, other) in list(latest.items()):
            if ended <= turn.sent:
                del latest[line]
            elif line != turn.line:
                found[place] = found[other] = True
        latest[turn.line] = max((turn.replied, place), latest.get(turn.line, (0.0, place)))
    return found


class Played:
    """The turns played so far: when each line and connection was last heard of, before and now."""

    def __init__(self, record):
        self.starters, self.pools = record.starters, pools_of(record)
        self.free = {}  # pool -> when each of its workers will be free, now
        for pool in self.pools.values():
            self.free.setdefault(pool, []).append(0.0)
        self.pending, self.lines, self.below, self.connections = [], {}, {}, {}
        self.end_before = self.end = 0.0

    def before(self, turn):
        """(when the last thing this turn had to wait for ended, when it ends now)."""
        for place, pending in reversed(list(enumerate(self.pending))):
            if pending[0] <= turn.sent:
                self.end_of(*pending)
                del self.pending[place]
        pool = self.pools.get(turn.line)
        known = [(self.below, turn.line), *[(self.lines, above) for above in self.above(turn.line)]]
        known += [(self.connections, turn.connection), (self.lines, turn.line)] if pool is None else []
        found = [ends[key] for ends, key in known if key in ends]
        if pool is not None:
            found.append((self.lines.get(turn.line, (0.0, 0.0))[0], min(self.free[pool])))
        return max((ended for ended, _ in found), default=0.0), max((now for _, now in found), default=0.0)

    def add(self, turn, now):
        self.pending.append((turn.replied, now, turn.line, turn.connection))
        self.end_before, self.end = max(self.end_before, turn.replied), max(self.end, now)
        if (pool := self.pools.get(turn.line)) is not None:
            free = self.free[pool]
            free[free.index(min(free))] = now

    def end_of(self, ended, now, line, connection):
        note(self.lines, line, ended, now)
        note(self.connections, connection, ended, now)
        for above in self.above(line):
            note(self.below, above, ended, now)

    def above(self, line):
        line = self.starters[line] if line < len(self.starters) else None
        while line is not None:
            yield line
            line = self.starters[line]


def note(ends, key, ended, now):
    known = ends.get(key, (0.0, 0.0))
    ends[key] = max(known[0], ended), max(known[1], now)
