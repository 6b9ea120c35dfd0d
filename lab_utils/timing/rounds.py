"""Time variants in rounds: each once a round, in a new random order; choose the rounds to use.

A sample that other programs disturbed (see `cpu_times.py`) is measured again, within a limit of
time, and the least disturbed try counts. Results come from undisturbed rounds. If there are too
few, the least disturbed rounds count, less the time that other programs took; a Disturbance says
how much.
"""

import contextlib
import gc
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass, replace

from .. import notebook
from ..arguments import check_ran
from ..counting.watching import timed
from ..disturbance import QUIET_SHARE, Disturbance, is_quiet
from ..interrupts import Whole
from ..scale import Scale, scale
from ..testbed import event_loop
from ..testbed.cpu_times import CpuWatch

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
    """The times of one sample, which is a few calls of a compared function, in seconds a call.

    `clock` is the whole time, `client` and `server` are their CPU time. `waited` is how long client
    or server were ready to run and waited for a CPU, `taken` the part of that in which other
    programs had the CPU, and `asked` for how long at least one round trip was under way. All but
    `clock` come from a cpu_times.Spent.
    """

    clock: float
    client: float
    server: float
    waited: float = 0.0
    taken: float = 0.0
    asked: float = 0.0

    @property
    def quiet(self) -> bool:
        return is_quiet(self.waited, self.clock)

    @property
    def share(self) -> float:
        """The share of the time, 0 to 1, that other programs took; 0 for an undisturbed sample.

        For a disturbed one it is 0.05 or more.
        """
        return 0.0 if self.quiet else max(QUIET_SHARE, self.taken / self.clock)

    @property
    def seconds(self) -> float:
        """The seconds of a call; for a disturbed sample without the time that other programs took.

        It is at least the time for which a round trip was under way.
        """
        return max(self.asked, self.clock if self.quiet else self.clock - self.taken)


class Runner:
    """One of the compared functions, `fn`, with its client; `time` calls it and times the calls.

    `client` is the argument of `fn`, a redis.Redis or an asyncio client. `sync_client` is a
    redis.Redis for `setup`, by default `client`.
    """

    def __init__(self, fn: Callable, client: object, sync_client: object = None) -> None:
        self.fn, self.client = fn, client
        self.sync_client = sync_client or client

    def time(self, calls: int = 1) -> tuple[float, object]:
        """Call the function `calls` times; return (mean seconds of a call, the last result)."""
        reply, started, ended = timed(self.fn, self.client, calls)
        return (ended - started) / calls, reply

    def sample(self, calls: int, watch: CpuWatch) -> Sample:
        thread = event_loop.thread_id() if event_loop.is_async(self.fn) else None
        time.sleep(REST_S)
        before = watch.read()
        clock, reply = self.time(calls)
        spent = watch.spent(before, clock * calls, thread)
        check_ran(reply, "lab.compare")  # when all clocks are read
        return Sample(clock, *(seconds / calls for seconds in astuple(spent)))


class Patience:
    """Decides whether a disturbed sample is measured again: `left` is True while that is allowed.

    It is allowed for three times `planned_s` seconds from the creation of this object, as long as a
    quarter of the repeated samples come out undisturbed. The first eight repeats need not.
    """

    def __init__(self, planned_s: float) -> None:
        self.ends = time.perf_counter() + LONGER * planned_s
        self.tried = self.helped = 0

    @property
    def left(self) -> bool:
        helps = self.tried < PATIENCE or self.helped >= WORTHWHILE * self.tried
        return helps and time.perf_counter() < self.ends

    def note(self, quiet: bool) -> None:
        self.tried += 1
        self.helped += quiet


Key = tuple[str, float]  # (name of a variant, RTT in ms)


def measure(
    runners: dict[Key, Runner], setup: Callable | None, rounds: int | None, watch: CpuWatch
) -> tuple[dict[Key, list[Sample]], Disturbance]:
    """Time the functions of `runners` in rounds; return ({key: [Sample, …]}, Disturbance).

    `runners` is {(variant, RTT in ms): Runner}; a Runner is a compared function with its client. In
    the result the same keys have a list with a Sample for each round: of the undisturbed rounds if
    there are enough, else of the least disturbed ones. `setup(client)`, if any, runs before each
    sample, and `watch` reads CPU times. `rounds` is how many rounds there are; if it is None, the
    planned time and LAB_SCALE decide.
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


def warm_up(
    runners: dict[Key, Runner], setup: Callable | None, watch: CpuWatch
) -> tuple[dict[Key, int], float]:
    """Call each Runner a few times; return ({key: calls in a sample}, seconds of a round).

    `runners` is {(variant, RTT in ms): Runner}, `setup` is a function of a client or None, `watch`
    reads CPU times. A sample is what is timed at once: several calls, if one call is short. A round
    is a sample of each Runner.
    """
    fastest = {key: fastest_call(runner, setup, watch) for key, runner in runners.items()}
    sample_s = max(SHORTEST_SAMPLE_S, SHORTEST_SHARE * max(fastest.values()))
    calls = {
        key: 1 if setup else max(1, round(sample_s / seconds)) for key, seconds in fastest.items()
    }
    return calls, sum(fastest[key] * calls[key] for key in runners)


def fastest_call(runner: Runner, setup: Callable | None, watch: CpuWatch) -> float:
    """Return the seconds of the fastest of up to three calls of the function of a Runner.

    `setup` is a function of a client that runs before each call, or None; `watch` reads CPU times.
    """
    fastest = float("inf")
    for _ in range(WARM_CALLS):
        prepare(setup, runner)
        fastest = min(fastest, runner.sample(1, watch).seconds)
        if fastest > LONG_CALL_S:
            break
    return fastest


def one_round(
    runners: dict[Key, Runner],
    setup: Callable | None,
    calls: dict[Key, int],
    watch: CpuWatch,
    patience: Patience,
) -> dict[Key, Sample]:
    """Measure one sample of each Runner, in random order, and return {key: Sample}.

    `runners` is {key: Runner}; a Runner is a compared function with its client. `setup` is a
    function of a client or None, `calls` is {key: calls in a sample}, and `watch` reads CPU times.
    A disturbed sample is measured up to four times, as long as `patience` allows, and the least
    disturbed one is returned.
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


def quiet_of(rounds: list[dict[Key, Sample]]) -> list[dict[Key, Sample]]:
    return [samples for samples in rounds if all(each.quiet for each in samples.values())]


def those_that_count(
    rounds: list[dict[Key, Sample]], planned: int
) -> tuple[list[dict[Key, Sample]], Disturbance]:
    """Choose the rounds that make the result; return (these rounds, their Disturbance).

    `rounds` is [{key: Sample}], a dict for each round. The chosen ones are the first `planned`
    undisturbed rounds if there are enough of them, else the `planned` least disturbed ones, in the
    order measured.
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


def spread(samples: Iterable[Sample]) -> float:
    """Return half the range of the middle 80% of the Samples' seconds, divided by their median."""
    seconds = sorted(sample.seconds for sample in samples)
    cut = len(seconds) // 10
    return (seconds[-1 - cut] - seconds[cut]) / 2 / statistics.median(seconds)


def prepare(setup: Callable | None, runner: Runner) -> None:
    if setup:
        check_ran(setup(runner.sync_client), "lab.compare")


class no_garbage_collection(Whole):
    """Collect garbage once, then switch collection off until the `with` block ends."""

    def enter(self) -> None:
        gc.collect()
        gc.disable()

    def leave(self) -> None:
        gc.enable()


@contextlib.contextmanager
def progress(expected_s: float, plan: Scale) -> Iterator[None]:
    """In a `with` block, show in a notebook that the measurement takes about `expected_s` seconds.

    `plan` is the Scale in force. The text is not stored in the notebook. In CI nothing is shown.
    """
    silent = not plan.progress or os.environ.get("TQDM_DISABLE") or not notebook.shows_pictures()
    if silent or expected_s < SHORTEST_SHOWN_S:
        yield
        return
    from IPython.display import display

    # Plain text: a widget would be stored, and be broken when the notebook is opened again.
    words = display(
        {"text/plain": f"measuring, about {expected_s:.0f} s"}, raw=True, display_id=True
    )
    try:
        yield
    finally:
        words.update({}, raw=True)
