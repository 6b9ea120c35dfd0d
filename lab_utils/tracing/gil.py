"""Turns of threads, played again at another distance: Python's lock (the GIL) is one server with a queue.

One thread runs Python at a time. Each thread's own clock says how much CPU each write took, and each reply that was read, so
neither what it waited for other threads nor what a server on the same CPU did is in it. At a distance the threads do the same
work, one at a time, whoever is ready first; replies travel meanwhile.

A thread begins when the one that started it has got so far, and those are over that were joined before. That it got a connection
which another had given back was by chance: redis-py's pool would have opened one more. What the thread that opened the block did
beside its turns, such as handing out work, it does when it has started the last thread; what it did after the last reply, it does
then. Workers of a pool are alike: what one of them did is done by whichever is free first.

A thread that neither computed nor waited for a reply, while no other computed either, was in `time.sleep` or waited for
something else than Redis: it does so again. Less than half a millisecond of that is not told from the server's own work.

A thread whose reply is on its way goes to sleep and is woken, which costs CPU: on one machine the reply is there by then. It is
done while the reply travels, so it delays other threads alone. System calls need no lock, but are played as if they did: so
they do on one CPU.
"""

import heapq
import itertools
import re
from bisect import bisect_left
from collections import deque

SEND, REPLY = range(2)
WORKER = re.compile(r"(.+)_\d+\Z")  # the name of a pool's thread
SLEPT_S = 0.0005  # in which nobody computed: less may have been the server's work


def is_of_threads(record):
    """Whether threads made the turns, with the CPU known that they took: the one that opened the block, and some it started."""
    opener, lines = record.opener, {turn.line for turn in record.turns}
    known = min(map(len, (record.starters, record.loops, record.cpu_started, record.joined)))
    if opener is None or lines <= {opener.line} or max(lines) >= known:
        return False
    for line in lines:
        while line != opener.line:
            if line is None or record.loops[line] is not None or record.cpu_started[line] is None:
                return False
            starter = record.starters[line]
            if starter == opener.line and record.cpu_started[line] < opener.cpu_began:
                return False  # a pool's worker from before the block: its clock holds what it did there
            line = starter
    return record.loops[opener.line] is None and all(
        turn.line == opener.line or (turn.cpu_sent is not None and turn.cpu_replied is not None) for turn in record.turns)


def played_on_threads(record, waited, pools, unmeasured, sleeping):
    """The seconds until the last reply was read; `waited(turn)`: those from its write until its reply has come.

    `sleeping` are the seconds of CPU that each turn costs at a distance besides.

    `pools` are {line: its pool}; `unmeasured` is what the trace took besides what was measured (see `overhead.py`).
    """
    return play(Threads(record, waited, pools, unmeasured, sleeping).steps())


def pools_of(record):
    """{number of a line: the pool of threads that it is a worker of}. A name that comes again is of another pool, made later."""
    pools, workers = {}, {}
    for number, name in enumerate(record.lines):
        if found := WORKER.match(name):
            kind = found[1], record.starters[number]
            known = workers.setdefault(kind, [set()])
            if name in known[-1]:
                known.append(set())
            known[-1].add(name)
            pools[number] = (*kind, len(known))
    return pools


def reading_cpu(turn):
    """The seconds of its thread's CPU from its write until its reply was read, where they are known."""
    return 0.0 if turn.cpu_replied is None or turn.cpu_sent is None else turn.cpu_replied - turn.cpu_sent


class Step:
    """Something that needs the lock for `work` seconds, `delay` seconds after all that it waits for is done."""

    __slots__ = ("delay", "gives", "missing", "ready", "takes", "then", "work")

    def __init__(self, work=0.0, delay=0.0):
        self.work, self.delay, self.ready, self.missing, self.then = max(0.0, work), max(0.0, delay), 0.0, 0, []
        self.takes = self.gives = None  # the pool of which it takes a worker, and the one to which it gives one back

    def waits_for(self, other):
        self.missing += 1
        other.then.append(self)


def play(steps):
    """When the last step that somebody waits for is done."""
    order, ready, idle, queued, free, end = itertools.count(), [], {}, {}, 0.0, 0.0

    def goes(step):
        if step.takes is not None:
            if not idle.get(step.takes):
                queued.setdefault(step.takes, deque()).append(step)
                return
            idle[step.takes] -= 1
        heapq.heappush(ready, (step.ready + step.delay, next(order), step))

    for step in steps:
        if not step.missing:
            goes(step)
    while ready:
        now, _, step = heapq.heappop(ready)
        if step.work:
            now = free = max(now, free) + step.work
        end = max(end, now)
        if step.gives is not None:
            idle[step.gives] = idle.get(step.gives, 0) + 1
            if queued.get(step.gives):
                after = queued[step.gives].popleft()
                after.ready = max(after.ready, now)
                goes(after)
        for after in step.then:
            after.missing -= 1
            after.ready = max(after.ready, now)
            if not after.missing:
                goes(after)
    return end


class Threads:
    """The threads of a Record: what each of them did so far, while its events are gone through in order."""

    def __init__(self, record, waited, pools, unmeasured, sleeping):
        self.record, self.waited, self.pools, self.unmeasured = record, waited, pools, unmeasured
        self.sleeping = sleeping
        self.opener = record.opener.line
        self.all, self.last = [], {}  # line -> its last Step
        self.known, self.own = {self.opener: record.opener.cpu_began}, {}  # line -> CPU used so far; what of it the trace took
        self.used = Used(record)
        self.below = {}  # line -> the last Steps of what it started, which it has not waited for
        self.to_start = {}  # line -> those it will start, in that order
        for line in sorted({line for turn in record.turns for line in (turn.line, *self.above(turn.line))} - {self.opener},
                           key=lambda line: record.cpu_started[line]):
            self.to_start.setdefault(record.starters[line], deque()).append(line)

    def steps(self):
        turns, sends = self.record.turns, {}
        events = [(turn.sent, SEND, turn) for turn in turns] + [(turn.replied, REPLY, turn) for turn in turns]
        for at, kind, turn in sorted(events, key=lambda event: event[:2]):
            line, pool = turn.line, self.pools.get(turn.line)
            if kind is SEND:
                self.start(line)
                after = [self.last.get(line)] if pool is None else []
                step = self.step(line, turn.cpu_sent, [*after, *self.below.pop(line, ())], self.used.slept(line, at))
                step.takes, sends[id(turn)], self.last[line] = pool, step, step
            else:
                sent, comes = sends[id(turn)], Step(delay=self.waited(turn))
                comes.waits_for(sent)
                asleep = Step(self.sleeping)
                asleep.waits_for(sent)
                self.all += comes, asleep
                step = self.step(line, turn.cpu_replied, [comes, asleep])
                step.gives, self.last[line] = pool, step
                self.own[line] = (self.own.get(line, 0.0) + turn.own + self.unmeasured.turn
                                  + self.unmeasured.reply * (sum(turn.names.values()) - 1))
                for above in self.above(line):
                    self.below.setdefault(above, []).append(step)
        self.hand_out()
        return self.all

    def step(self, line, cpu, after, delay=0.0):
        """A new Step of this line, which had used `cpu` seconds then; None: it was alone, and its time is in the delay."""
        work = 0.0
        if cpu is not None:
            used = cpu - self.own.get(line, 0.0)
            work = used - self.known.get(line, 0.0)
            self.known[line] = max(used, self.known.get(line, 0.0))
        made = Step(work, delay)
        for step in after:
            if step is not None:
                made.waits_for(step)
        self.all.append(made)
        return made

    def start(self, line):
        """Sees to it that this line has been started, after those that its starter started before."""
        if line == self.opener or line in self.last:
            return
        starter = self.record.starters[line]
        self.start(starter)
        while line not in self.last:
            each = self.to_start[starter].popleft()
            step = self.step(starter, self.record.cpu_started[each], [self.last.get(starter), *self.ends_before(each)])
            step.gives = self.pools.get(each)  # one worker more
            self.last[starter] = self.last[each] = step

    def ends_before(self, line):
        """The Steps that end the lines which this one's starter had joined before it started this one."""
        for joined in self.record.joined[line]:
            yield self.last.get(joined)
            yield from self.below.get(joined, ())

    def hand_out(self):
        """What the opener did beside its turns, once it has started the last line, but for what came after the last reply."""
        record, opener = self.record, self.record.opener
        after = record.seconds - max(turn.replied for turn in record.turns)
        if not record.folds:
            self.step(self.opener, opener.cpu_over - opener.own - after, [self.last.get(self.opener)])

    def above(self, line):
        while line != self.opener:
            line = self.record.starters[line]
            yield line


class Used:
    """When each line computed or waited for a reply, as far as it is known: for how long between its events."""

    def __init__(self, record):
        self.spans = {}  # line -> [(from, until, seconds of it)]
        events = [(turn.sent, SEND, turn.cpu_sent, turn.line) for turn in record.turns]
        events += [(turn.replied, REPLY, turn.cpu_replied, turn.line) for turn in record.turns]
        before = {}
        for at, kind, cpu, line in sorted(events, key=lambda event: event[:2]):
            began, had = before.get(line, (0.0, 0.0 if line != record.opener.line else record.opener.cpu_began))
            if cpu is None:
                cpu = had = record.opener.cpu_began  # alone
            self.spans.setdefault(line, []).append((began, at, max(0.0, cpu - had) if kind is SEND else at - began))
            before[line] = at, cpu
        opener = record.opener
        began, had = before.get(opener.line, (0.0, opener.cpu_began))
        self.spans.setdefault(opener.line, []).append((began, max(began, record.seconds), max(0.0, opener.cpu_over - had)))
        self.starts = {line: [span[0] for span in spans] for line, spans in self.spans.items()}
        self.alone = {(turn.line, turn.sent) for turn in record.turns if turn.cpu_sent is None}

    def slept(self, line, at):
        """The seconds before its write at `at` in which no line can have computed or waited for Redis."""
        began, until, cpu = next(span for span in reversed(self.spans[line][:bisect_left(self.starts[line], at) + 1])
                                 if span[1] == at)
        if (line, at) in self.alone:
            return until - began
        left = until - began - cpu
        for other, spans in self.spans.items():
            if left < SLEPT_S:
                return 0.0
            if other != line:
                place = max(0, bisect_left(self.starts[other], began) - 1)
                for first, last, used in itertools.takewhile(lambda span: span[0] < until, spans[place:]):
                    left -= max(0.0, min(used, min(last, until) - max(first, began)))
        return left if left >= SLEPT_S else 0.0
