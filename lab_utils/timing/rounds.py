"""Time variants in rounds: each once a round, in a new random order; choose the rounds to use.

A sample that other programs disturbed (see `cpu_times.py`) is taken again, within a limit of time,
and the least disturbed try counts. Results come from quiet rounds. If there are too few, the least
disturbed rounds count, less the time that other programs took; a Disturbance says how much.
"""

import contextlib
import gc
import os
import random
import statistics
import time
from dataclasses import astuple, dataclass, replace

from .. import notebook
from ..arguments import check_ran
from ..counting.watching import timed
from ..disturbance import QUIET_SHARE, Disturbance, is_quiet
from ..interrupts import Whole
from ..scale import Scale, scale
from ..testbed import event_loop

SHORTEST_SHOWN_S = 2  # what takes less says nothing below its cell
SHORTEST_SAMPLE_S = 0.002  # a shorter call is repeated until a sample takes this long,
SHORTEST_SHARE = 0.02  # and this share of the longest call, so that a near one is measured well too
LONG_CALL_S = 0.05  # a call this long is warmed up once: cold caches hardly lengthen it
WARM_CALLS = 3  # of a shorter one; the fastest says how many calls make a sample
ENOUGH_QUIET = 9  # rounds: below 8 there is no interval for a ratio (see `ratio.py`)
LONGER = 3  # times the planned seconds that measuring may take on a busy machine
TRIES = 4  # of one sample in one round
# Before a sample: a thread that the last one's end interrupted would count its wait in this one.
REST_S = 50e-6
# Repeat this many disturbed samples in any case; go on while this share of repeats comes out quiet.
PATIENCE = 8
WORTHWHILE = 0.25


@dataclass(frozen=True)
class Sample:
    """The times of one sample, a few calls of a variant, in seconds a call.

    `clock` is the whole time, `client` and `server` are their CPU time. `waited` is how long client
    or server waited for a CPU that other programs had, `taken` how long other programs had the CPUs
    in question, and `asked` for how long a round trip was under way at least. cpu_times.Spent has
    the last five.
    """

    clock: float
    client: float
    server: float
    waited: float = 0.0
    taken: float = 0.0
    asked: float = 0.0

    @property
    def quiet(self):
        return is_quiet(self.waited, self.clock)

    @property
    def share(self):
        """The share of the time that other programs took: 0 if quiet, else QUIET_SHARE or more."""
        return 0.0 if self.quiet else max(QUIET_SHARE, self.taken / self.clock)

    @property
    def seconds(self):
        """The seconds of a call without what other programs took, if they took much.

        It is at least the time for which a round trip was under way.
        """
        return max(self.asked, self.clock if self.quiet else self.clock - self.taken)


class Runner:
    """One variant, the function `fn`, with its client; `time` calls it and times the calls.

    `sync_client` is what `setup` gets, if `client` is an asyncio client.
    """

    def __init__(self, fn, client, sync_client=None):
        self.fn, self.client = fn, client
        self.sync_client = sync_client or client

    def time(self, calls=1):
        """Call the variant `calls` times; return (mean seconds of a call, last value returned)."""
        reply, started, ended = timed(self.fn, self.client, calls)
        return (ended - started) / calls, reply

    def sample(self, calls, watch):
        thread = event_loop.thread_id() if event_loop.is_async(self.fn) else None
        time.sleep(REST_S)
        before = watch.read()
        clock, reply = self.time(calls)
        spent = watch.spent(before, clock * calls, thread)
        check_ran(reply, "lab.compare")  # when all clocks are read
        return Sample(clock, *(seconds / calls for seconds in astuple(spent)))


class Patience:
    """Decides whether to repeat a disturbed sample: `left` is True while repeating is allowed.

    It is while there is time, three times `planned_s` seconds from now on, and while enough of the
    repeated samples come out quiet.
    """

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


def measure(runners: dict, setup, rounds: int | None, watch) -> tuple[dict, Disturbance]:
    """Time `runners`, {key: Runner}; return ({key: [Sample, one a round]}, Disturbance).

    `setup(client)`, if any, runs before each call, and `watch` is a CpuWatch. `rounds` is how many
    there are; if it is None, the planned time and LAB_SCALE decide. The samples are those of quiet
    rounds if there are enough, else of the least disturbed ones.
    """
    plan = scale()
    calls, round_s = warm_up(runners, setup, watch)
    most = rounds or min(plan.rounds, max(plan.fewest, int(plan.seconds / round_s)))
    patience = Patience(most * round_s)
    taken = []
    with no_garbage_collection(), progress(most * round_s, plan):
        for _ in range(most):
            taken.append(one_round(runners, setup, calls, watch, patience))
        while len(quiet_of(taken)) < most and patience.left:
            taken.append(one_round(runners, setup, calls, watch, patience))
    # where requests overlap (threads, asyncio), a disturbance makes them overlap less
    asked = {key: min(samples[key].asked for samples in taken) for key in runners}
    taken = [{key: replace(one[key], asked=asked[key]) for key in runners} for one in taken]
    counted, disturbance = those_that_count(taken, most)
    return {key: [samples[key] for samples in counted] for key in runners}, disturbance


def warm_up(runners, setup, watch):
    """Call each variant a few times; return ({key: calls in a sample}, seconds of a round).

    `runners` is {key: Runner}, `setup` is a function of a client or None, `watch` is a CpuWatch.
    """
    fastest = {key: fastest_call(runner, setup, watch) for key, runner in runners.items()}
    sample_s = max(SHORTEST_SAMPLE_S, SHORTEST_SHARE * max(fastest.values()))
    calls = {
        key: 1 if setup else max(1, round(sample_s / seconds)) for key, seconds in fastest.items()
    }
    return calls, sum(fastest[key] * calls[key] for key in runners)


def fastest_call(runner, setup, watch):
    """Return the seconds of the fastest of up to three calls of a Runner.

    `setup` is a function of a client that runs before each, or None; `watch` is a CpuWatch.
    """
    fastest = float("inf")
    for _ in range(WARM_CALLS):
        prepare(setup, runner)
        fastest = min(fastest, runner.sample(1, watch).seconds)
        if fastest > LONG_CALL_S:
            break
    return fastest


def one_round(runners, setup, calls, watch, patience):
    """Take one sample of each variant, in random order, and return {key: Sample}.

    `runners` is {key: Runner}, `setup` is a function of a client or None, `calls` {key: calls in a
    sample}, `watch` is a CpuWatch. A disturbed sample is repeated while the Patience lasts, and the
    least disturbed try counts.
    """
    found = {}
    for key in random.sample(list(runners), len(runners)):
        for tried in range(TRIES):
            prepare(setup, runners[key])
            sample = runners[key].sample(calls[key], watch)
            found[key] = min(found.get(key, sample), sample, key=lambda one: one.waited)
            if tried:
                patience.note(sample.quiet)
            if found[key].quiet or not patience.left:
                break
    return found


def quiet_of(rounds):
    return [samples for samples in rounds if all(each.quiet for each in samples.values())]


def those_that_count(rounds, planned):
    """Choose the rounds that make the result; return (these rounds, their Disturbance).

    `rounds` is [{key: Sample}]. The chosen ones are the first `planned` quiet rounds if there are
    enough of them, else the `planned` least disturbed ones, in the order measured.
    """
    quiet = quiet_of(rounds)
    if len(quiet) >= min(planned, ENOUGH_QUIET):
        return quiet[:planned], Disturbance(len(quiet), len(rounds))
    by_share = sorted(rounds, key=lambda samples: sum(each.share for each in samples.values()))
    counted = [samples for samples in rounds if any(samples is one for one in by_share[:planned])]
    # a mean, of rounds: a median is 0 where each variant was disturbed in a minority of them,
    # however few rounds were quiet
    share = statistics.fmean(max(each.share for each in samples.values()) for samples in counted)
    columns = ([samples[key] for samples in counted] for key in counted[0])
    widest = max(map(spread, columns)) if len(counted) > 2 else None
    return counted, Disturbance(len(quiet), len(rounds), share, widest)


def spread(samples):
    """Return half the range of the middle 80% of the Samples, as a share of their median."""
    seconds = sorted(sample.seconds for sample in samples)
    cut = len(seconds) // 10
    return (seconds[-1 - cut] - seconds[cut]) / 2 / statistics.median(seconds)


def prepare(setup, runner):
    if setup:
        check_ran(setup(runner.sync_client), "lab.compare")


class no_garbage_collection(Whole):
    """Collect garbage once, then switch collection off until the `with` block ends."""

    def enter(self):
        gc.collect()
        gc.disable()

    def leave(self):
        gc.enable()


@contextlib.contextmanager
def progress(expected_s: float, plan: Scale):
    """In a `with` block, show in a notebook that the measurement takes about `expected_s` seconds.

    `plan` is the Scale in force. The text is not stored in the notebook. In CI nothing is shown.
    """
    silent = not plan.progress or os.environ.get("TQDM_DISABLE") or not notebook.shows_pictures()
    if silent or expected_s < SHORTEST_SHOWN_S:
        yield
        return
    from IPython.display import display

    # Plain text: a widget would be stored, and be broken when the notebook is opened again.
    text = {"text/plain": f"measuring, about {expected_s:.0f} s"}
    words = display(text, raw=True, display_id=True)
    try:
        yield
    finally:
        words.update({}, raw=True)
