"""Rounds: every variant once a round, in a new random order, and which rounds count in the end.

A sample that other programs disturbed (see `evidence.py`) is taken again, within a bound of time,
and the least disturbed try counts. Results come from quiet rounds. Where those are too few, the
least disturbed count, without what was taken from them, and the Calm says how much that was.
"""

import gc
import os
import random
import statistics
import time
from dataclasses import dataclass

from ..arguments import check_ran
from ..calm import Calm, quiet
from ..interrupts import Whole
from ..scale import scale
from ..testbed import event_loop

SHORTEST_SAMPLE_S = 0.002  # a shorter call is repeated until a sample takes this long,
SHORTEST_SHARE = 0.02  # and this share of the longest call, so that a near one is measured well too
LONG_CALL_S = 0.05  # a call this long is warmed up once: what was cold says little in it
WARM_CALLS = 3  # of a shorter one; the fastest says how many calls make a sample
ENOUGH_QUIET = 9  # rounds: below 8 there is no interval for a ratio (see `ratio.py`)
LONGER = 3  # times the planned seconds that measuring may take on a busy machine
TRIES = 4  # of one sample in one round
# Before a sample: a thread that the last one's end interrupted would count its wait in this one.
REST_S = 50e-6
PATIENCE, WORTHWHILE = 8, 0.25  # tries made anyway; more while this share comes out quiet


@dataclass(frozen=True)
class Sample:
    """Seconds of a call by the clock, `taken` of them by others, CPU of client and server."""

    clock: float
    taken: float
    client: float
    server: float

    @property
    def quiet(self):
        return quiet(self.taken, self.clock)

    @property
    def share(self):
        """Return the share that others took; 0.0 if quiet."""
        return 0.0 if self.quiet else self.taken / self.clock

    @property
    def seconds(self):
        """Return the time by the clock without what was taken; never less than its own CPU."""
        return self.clock if self.quiet else max(self.clock - self.taken, self.client)


class Runner:
    """One variant with its client: calls it, and times it."""

    def __init__(self, fn, client, sync_client=None):
        self.fn, self.client = fn, client
        self.sync_client = sync_client or client

    def time(self, calls=1):
        """Return (seconds of one call, over `calls` of them, what the last one returned)."""
        if event_loop.is_async(self.fn):
            return event_loop.run(self._time_async, calls)
        fn, client = self.fn, self.client
        started = time.perf_counter()
        for _ in range(calls):
            reply = fn(client)
        return (time.perf_counter() - started) / calls, reply

    async def _time_async(self, calls):
        fn, client = self.fn, self.client
        started = time.perf_counter()
        for _ in range(calls):
            reply = await fn(client)
        return (time.perf_counter() - started) / calls, reply

    def sample(self, calls, watch):
        thread = event_loop.thread_id() if event_loop.is_async(self.fn) else None
        time.sleep(REST_S)
        before = watch.read()
        clock, reply = self.time(calls)
        spent = watch.spent(before, clock * calls, thread)
        check_ran(reply, "lab.compare")  # when all clocks are read
        return Sample(clock, spent.taken / calls, spent.client / calls, spent.server / calls)


class Patience:
    """Whether a disturbed sample is taken again: while there is time, and while it is worth it."""

    def __init__(self, planned_s):
        self.ends = time.perf_counter() + LONGER * planned_s
        self.tried = self.helped = 0

    @property
    def left(self):
        helps = self.tried < PATIENCE or self.helped >= WORTHWHILE * self.tried
        return helps and time.perf_counter() < self.ends

    def note(self, quiet):
        self.tried += 1
        self.helped += quiet


def measure(runners: dict, setup, rounds: int | None, watch) -> tuple[dict, Calm]:
    """Time `runners`, {key: Runner}: return ({key: [Sample, one a round]}, Calm).

    `rounds` fixes the number of rounds, else time and scale do. Those that count are quiet ones
    where there are enough, else the least disturbed.
    """
    plan = scale()
    calls, round_s = warm_up(runners, setup, watch)
    most = rounds or min(plan.rounds, max(plan.fewest, int(plan.seconds / round_s)))
    patience = Patience(most * round_s)
    taken = []
    with no_garbage_collection():
        for _ in progress(range(most), most * round_s, plan):
            taken.append(one_round(runners, setup, calls, watch, patience))
        while len(quiet_of(taken)) < most and patience.left:
            taken.append(one_round(runners, setup, calls, watch, patience))
    counted, calm = those_that_count(taken, most)
    return {key: [samples[key] for samples in counted] for key in runners}, calm


def warm_up(runners, setup, watch):
    """Open connections, fill caches; return ({key: calls of a sample}, a round's seconds)."""
    fastest = {key: fastest_call(runner, setup, watch) for key, runner in runners.items()}
    sample_s = max(SHORTEST_SAMPLE_S, SHORTEST_SHARE * max(fastest.values()))
    calls = {
        key: 1 if setup else max(1, round(sample_s / seconds)) for key, seconds in fastest.items()
    }
    return calls, sum(fastest[key] * calls[key] for key in runners)


def fastest_call(runner, setup, watch):
    """Return the seconds of the fastest of a few calls."""
    fastest = float("inf")
    for _ in range(WARM_CALLS):
        prepare(setup, runner)
        fastest = min(fastest, runner.sample(1, watch).seconds)
        if fastest > LONG_CALL_S:
            break
    return fastest


def one_round(runners, setup, calls, watch, patience):
    """Return {key: Sample}, in random order; of disturbed samples the least disturbed counts."""
    found = {}
    for key in random.sample(list(runners), len(runners)):
        for tried in range(TRIES):
            prepare(setup, runners[key])
            sample = runners[key].sample(calls[key], watch)
            found[key] = min(found.get(key, sample), sample, key=lambda one: one.taken)
            if tried:
                patience.note(sample.quiet)
            if found[key].quiet or not patience.left:
                break
    return found


def quiet_of(rounds):
    return [samples for samples in rounds if all(each.quiet for each in samples.values())]


def those_that_count(rounds, planned):
    """Return (the rounds to go by, in the order in which they were measured; the Calm of it)."""
    quiet = quiet_of(rounds)
    if len(quiet) >= min(planned, ENOUGH_QUIET):
        return quiet[:planned], Calm(len(quiet), len(rounds))
    by_share = sorted(rounds, key=lambda samples: sum(each.share for each in samples.values()))
    counted = [samples for samples in rounds if any(samples is one for one in by_share[:planned])]
    # a mean, of rounds: a median is 0 where each variant was disturbed in a minority of them,
    # however few rounds were quiet
    share = statistics.fmean(max(each.share for each in samples.values()) for samples in counted)
    columns = ([samples[key] for samples in counted] for key in counted[0])
    widest = max(map(spread, columns)) if len(counted) > 2 else None
    return counted, Calm(len(quiet), len(rounds), share, widest)


def spread(samples):
    """Return half the range of the middle 80% of the samples, as a share of their median."""
    seconds = sorted(sample.seconds for sample in samples)
    cut = len(seconds) // 10
    return (seconds[-1 - cut] - seconds[cut]) / 2 / statistics.median(seconds)


def prepare(setup, runner):
    if setup:
        check_ran(setup(runner.sync_client), "lab.compare")


class no_garbage_collection(Whole):
    """Collect the garbage once, and then leave it until the block ends."""

    def enter(self):
        self.was_on = gc.isenabled()
        gc.collect()
        gc.disable()

    def leave(self):
        if self.was_on:
            gc.enable()


def progress(rounds, expected_s, plan):
    """Return a progress bar where measuring takes more than two seconds; none in CI."""
    # tqdm's notebook bar does not heed TQDM_DISABLE
    if not plan.progress or expected_s < 2 or os.environ.get("TQDM_DISABLE"):
        return rounds
    from tqdm.auto import tqdm

    return tqdm(rounds, desc="measuring", leave=False)
