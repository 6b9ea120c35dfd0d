"""Turns of asyncio tasks, played again at another distance: an event loop is one server with a queue.

A loop does one thing at a time. Each write and each reply that is read takes as much of its thread's CPU as it took; the thread's
own clock says how much, so neither other programs nor a server on the same CPU are in it. A reply can be read when it has come,
and is when the loop has done what was ready before. So what tasks do while replies travel is done once, in the time between.

In the seconds in which the loop had nothing to do, it waited: for a reply, or for something else, such as a timer.
"""

import heapq
import itertools
from bisect import bisect_right

SEND, REPLY, BOTH = range(3)


def is_of_loops(record):
    """Whether all its turns were made in tasks, with the CPU known that they took."""
    return bool(record.turns) and all(turn.cpu_sent is not None and turn.cpu_replied is not None for turn in record.turns) \
        and all(turn.line < len(record.loops) and record.loops[turn.line] is not None for turn in record.turns)


def played_on_loops(record, needed, unmeasured):
    """When the last reply was read, and when it will be; `needed(turn, loop)`: seconds from its write until its reply comes.

    `unmeasured` is what the trace took besides what was measured (see `overhead.py`).
    """
    loops = {number: Loop([turn for turn in record.turns if record.loops[turn.line] == number], unmeasured)
             for number in {record.loops[turn.line] for turn in record.turns}}
    ready, order, end = [], itertools.count(), 0.0
    for step in steps_of(record, loops):
        if not step.missing:
            heapq.heappush(ready, (step.ready + step.delay, next(order), step))
    while ready:
        now, _, step = heapq.heappop(ready)
        if step.kind is not BOTH:
            loop = loops[record.loops[step.turn.line]]
            now = loop.free = max(now, loop.free) + loop.work[id(step.turn), step.kind]
        if step.kind is SEND:
            step.then[0].delay = needed(step.turn, loop)
        end = max(end, now)
        for after in step.then:
            after.missing -= 1
            after.ready = max(after.ready, now)
            if not after.missing:
                heapq.heappush(ready, (after.ready + after.delay, next(order), after))
    return max(turn.replied for turn in record.turns), end


class Loop:
    """What one event loop did: the CPU that each write and reply took, and when it had nothing to do."""

    def __init__(self, turns, unmeasured):
        events = sorted([(turn.sent, SEND, turn.cpu_sent, turn) for turn in turns]
                        + [(turn.replied, REPLY, turn.cpu_replied, turn) for turn in turns], key=lambda event: event[:2])
        self.at = [at for at, *_ in events]
        self.idle, self.work, self.free = [0.0], {}, 0.0
        first, _, known, turn = events[0]
        self.work[id(turn), SEND] = max(0.0, first - turn.own)  # most of which was done before: tasks were made
        own, done = 0.0, known  # what the trace itself took, and what was used up to here without that
        for (earlier, _, cpu, _), (at, kind, cpu_at, turn) in itertools.pairwise(events):
            self.work[id(turn), kind] = max(0.0, cpu_at - own - done)
            done = max(done, cpu_at - own)
            self.idle.append(max(0.0, at - earlier - max(0.0, cpu_at - cpu)))
            own += turn.own + unmeasured.turn if kind is SEND else unmeasured.reply * (sum(turn.names.values()) - 1)
        self.idle_until = list(itertools.accumulate(self.idle))

    def idle_between(self, earlier, at):
        last, first = bisect_right(self.at, at) - 1, bisect_right(self.at, earlier) - 1
        return (self.idle_until[last] if last >= 0 else 0.0) - (self.idle_until[first] if first >= 0 else 0.0)

    def longest_idle(self, earlier, at):
        return max(self.idle[bisect_right(self.at, earlier):bisect_right(self.at, at)], default=0.0)


class Step:
    """A write, a reply that is read, or the moment when both of two steps are done: once all it waits for is, and a `delay`."""

    __slots__ = ("delay", "kind", "missing", "ready", "then", "turn")

    def __init__(self, kind, turn=None):
        self.kind, self.turn = kind, turn
        self.missing, self.ready, self.delay, self.then = 0, 0.0, 0.0, []

    def waits_for(self, other):
        self.missing += 1
        other.then.append(self)


def steps_of(record, loops):
    """The steps of all turns, each knowing what waits for it, in the order in which they were made."""
    steps, ends, flying = [], {}, []  # ends: {line, connection or what is below a line: (when, the Step that ends it)}
    for number, turn in enumerate(record.turns):
        while flying and flying[0][0] <= turn.sent:
            steps += end_of(record, ends, *heapq.heappop(flying)[::2])
        send, reply = Step(SEND, turn), Step(REPLY, turn)
        reply.waits_for(send)
        before = 0.0
        for key in (("below", turn.line), ("line", turn.line), ("connection", turn.connection),
                    *[("line", above) for above in lines_above(record, turn.line)]):
            if key in ends:
                ended, step = ends[key]
                send.waits_for(step)
                before = max(before, ended)
        send.delay = loops[record.loops[turn.line]].idle_between(before, turn.sent)
        heapq.heappush(flying, (turn.replied, number, reply))
        steps += send, reply
    return steps


def end_of(record, ends, replied, reply):
    """Notes that what waits for this line, or this connection, waits for this reply too; the Steps that were made for it."""
    turn, made = reply.turn, []
    for key in (("line", turn.line), ("connection", turn.connection),
                *[("below", above) for above in lines_above(record, turn.line)]):
        step = reply
        if key in ends:
            step = Step(BOTH)
            step.waits_for(ends[key][1])
            step.waits_for(reply)
            made.append(step)
        ends[key] = replied, step
    return made


def lines_above(record, line):
    line = record.starters[line]
    while line is not None:
        yield line
        line = record.starters[line]
