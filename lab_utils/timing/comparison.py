"""Compare variants of the same work for lab.compare: time them side by side.

Each is warmed up, then timed in rounds (`rounds.py`), without garbage collection, with client,
server and link held on CPUs (`steady` in testbed/pinning.py). Plain redis-py is timed: nothing is
recorded.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

from ..arguments import Client, Option, check_dict, check_function, check_number, check_positive
from ..disturbance import Disturbance, note
from ..errors import LabError
from ..median import Median
from ..testbed import event_loop
from ..testbed.chosen_server import client_of, connect, server
from ..testbed.cpu_times import CpuWatch
from ..testbed.link import check_distance, link
from ..testbed.pinning import steady
from ..words import duration, milliseconds
from .ratio import Ratio, ratio
from .rounds import Runner, Sample, measure
from .same_work import check_same_work


@dataclass(frozen=True)
class Budget:
    """Where the time of one call of a variant went, in seconds.

    `total` is the whole call, `client` and `server` are CPU time: medians over the timed rounds.
    CPU times come from the system, or from INFO if the server's process can't be seen. `network`
    (waiting) is the remaining time, in which neither client nor server computed. If both computed
    at once, on two CPUs, the three add up to more than the total.
    """

    total: float
    network: float
    client: float
    server: float

    def __repr__(self) -> str:
        return (
            f"total {duration(self.total)}: network {duration(self.network)}, "
            f"client {duration(self.client)}, server {duration(self.server)}"
        )


class Comparison:
    """Times of several functions at several distances, in seconds a call of `ops` operations.

    `variants`, the compared functions, is {name: function}, `samples` {(name, RTT in ms): [seconds
    of a call, one a round]}, `budgets` {(name, RTT in ms): Budget}. `disturbance` says how much
    other programs disturbed the rounds. On a busy machine the time that they took is subtracted
    from the seconds, as far as it is known; no result is shorter than the distance of its round
    trips.

    In all methods `name` and `over` are names of variants. `rtt_ms` is the distance in ms, and may
    be left out if there is only one; LabError is raised for one that was not measured.
    """

    def __init__(
        self,
        variants: dict[str, Callable],
        ops: float,
        samples: dict[tuple[str, float], list[float]],
        budgets: dict[tuple[str, float], Budget] | None = None,
        disturbance: Disturbance | None = None,
    ) -> None:
        self.variants = variants
        self.ops = ops
        self.samples = samples
        self.budgets = budgets or {}
        self.disturbance = disturbance or Disturbance()

    @property
    def names(self) -> list[str]:
        return list(self.variants)

    @property
    def rtts(self) -> list[float]:
        return sorted({rtt for _, rtt in self.samples})

    def rounds(self, name: str, rtt_ms: float | None = None) -> list[float]:
        """Return the seconds of one call of the compared function `name`, a number for each round.

        `rtt_ms` is the distance in ms; it can be left out if only one was measured.
        """
        return self.samples[self._key(name, rtt_ms)]

    def seconds(self, name: str, rtt_ms: float | None = None) -> Median:
        """Return the median seconds of one call of the compared function `name`.

        The result is a Median: a float whose attribute `rounds` is the tuple of the single rounds'
        seconds. `rtt_ms` is the distance in ms; it can be left out if only one was measured.
        """
        return Median(self.rounds(name, rtt_ms))

    def per_op(self, name: str, rtt_ms: float | None = None) -> float:
        """Return the median seconds of one operation: those of a call, divided by `ops`.

        `name` is the variant's; `rtt_ms` is the distance in ms, and can be left out if only one was
        measured.
        """
        return self.seconds(name, rtt_ms) / self.ops

    def speedup(self, name: str, over: str, rtt_ms: float | None = None) -> Ratio:
        """Return how many times faster the compared function `name` is than `over`, as a Ratio.

        `rtt_ms` is the distance in ms; it can be left out if only one was measured.
        """
        return ratio(self.rounds(name, rtt_ms), self.rounds(over, rtt_ms))

    def verdict(self, name: str, over: str, rtt_ms: float | None = None) -> str:
        """Return a sentence on whether the compared function `name` is faster than `over`.

        It is such as 'pipeline is 5.2x faster than loop (4.9 to 5.6)', or says that the rounds do
        not show a difference; on a busy machine it says so too. `rtt_ms` is the distance in ms; it
        can be left out if only one was measured.
        """
        return self.speedup(name, over, rtt_ms).sentence(name, over) + self._busy()

    def budget(self, name: str, rtt_ms: float | None = None) -> Budget:
        """Return where the seconds of one call of the compared function `name` went, a Budget.

        `rtt_ms` is the distance in ms; it can be left out if only one was measured.
        """
        return self.budgets[self._key(name, rtt_ms)]

    def plot(self, over: str | None = None, said: Any = None, title: str | None = None) -> Any:
        """Draw the variants at each distance, print the result in words, and return the Figure.

        Factors compare with the variant `over`, by default the first one. `said` is the Guess that
        `lab.guess` returned, in "x", or None: how many times faster than `over` one other variant
        is, at the first distance. That is the last variant, or the first if the last is `over`
        itself. `title` replaces the usual title.
        """
        from ..figures.comparison import plot_comparison

        return plot_comparison(self, over or self.names[0], said, title)

    def plot_budget(self, rtt_ms: float | None = None, title: str | None = None) -> Any:
        """Draw where the time of one call of each compared function went, in ms; return the Figure.

        `rtt_ms` is the distance in ms, by default all that were measured. `title` replaces the
        usual title.
        """
        from ..figures.comparison import plot_budget

        return plot_budget(self, rtt_ms, title)

    def _key(self, name: str, rtt_ms: float | None) -> tuple[str, float]:
        if rtt_ms is None:
            if len(self.rtts) > 1:
                raise LabError(
                    "This comparison has several distances: say which, "
                    f"rtt_ms={self.rtts[0]:g} for instance."
                )
            rtt_ms = self.rtts[0]
        if (name, rtt_ms) not in self.samples:
            raise LabError(
                f"{name!r} at {rtt_ms!r} ms was not measured. "
                f"Measured: {', '.join(self.names)} at "
                f"{', '.join(milliseconds(rtt) for rtt in self.rtts)}."
            )
        return name, rtt_ms

    def __repr__(self) -> str:
        width = max(len(name) for name in self.names)
        lines = [
            f"{name:<{width}}  RTT {milliseconds(rtt):>7}   "
            f"{duration(self.seconds(name, rtt)):>8}   "
            f"{duration(self.per_op(name, rtt)):>8} an operation"
            for rtt in self.rtts
            for name in self.names
        ]
        return "\n".join(lines) + self._busy()

    def _busy(self) -> str:
        return f"  ({self.disturbance.sentence()})" if self.disturbance.busy else ""


def compare(
    variants: dict[str, Callable],
    ops: float = 1,
    rtt_ms: float | Iterable[float] = (0,),
    setup: Callable | None = None,
    same: bool = True,
    rounds: int | None = None,
    parallel: bool = False,
    **options: Option,
) -> Comparison:
    """Time variants of the same work side by side at every distance; return a Comparison.

    `variants` is {name: function}, each `f(client)` or `async def f(client)`; every call does the
    same whole work, `ops` operations. `setup(client)` runs before each call, untimed. `rtt_ms` is
    one distance in ms, or several. `rounds` is the number of rounds, in each of which every variant
    is timed once; without it time and LAB_SCALE decide. `parallel=True` gives server and
    link a CPU of their own beside the client's, for variants with many requests in flight; it needs
    a distance, and on a machine with one CPU it changes nothing. `options` are those of
    redis.Redis, for the clients.

    Before anything is timed, each variant runs once. Raises LabError unless all did the same work:
    unless the commands are the same in all, or the replies, or the keys that they leave. Pass
    `same=False` for variants that differ on purpose.
    """
    for fn in check_dict(variants, "lab.compare", '{"loop": loop, "pipeline": pipeline}').values():
        check_function(fn, "lab.compare", '{"loop": loop}', may_be_async=True)
    distances = checked_distances(rtt_ms)
    check_positive(ops, "ops")
    if rounds is not None:
        check_number(rounds, "rounds", 1, whole=True)
    if setup is not None:
        check_function(setup, "lab.compare(setup=…)", "ways, setup=fill")
    if parallel and not all(distances):
        raise LabError(
            "parallel=True needs a distance: with none, a server on another CPU is "
            "another thing than one on this. Set rtt_ms above 0, or compare without "
            "parallel."
        )
    if same and len(variants) > 1:
        with connect(**options) as client:
            check_same_work(variants, client, setup)
    runners = {}
    with contextlib.ExitStack() as stack:
        for rtt in distances:
            made = client_of(server(), rtt, options, True) if parallel else connect(rtt, **options)
            client = stack.enter_context(made)
            for name, fn in variants.items():
                like = event_loop.like if event_loop.is_async(fn) else contextlib.nullcontext
                runners[name, rtt] = Runner(fn, stack.enter_context(like(client)), client)
        passed = link() if any(distances) else None
        admin = stack.enter_context(server().connect())  # connects with its first command
        with steady(server().pid, passed, parallel):
            watch = CpuWatch(server().pid, passed, lambda: cpu_of_server(admin))
            samples, disturbance = measure(runners, setup, rounds, watch)
    note(disturbance)
    seconds = {key: [sample.seconds for sample in taken] for key, taken in samples.items()}
    budgets = {key: budget_of(taken) for key, taken in samples.items()}
    return Comparison(variants, ops, seconds, budgets, disturbance)


def checked_distances(rtt_ms: Any) -> tuple[float, ...]:
    several = isinstance(rtt_ms, Collection) and not isinstance(rtt_ms, (str, bytes))
    distances = tuple(rtt_ms) if several else (rtt_ms,)
    for rtt in distances:
        check_distance(rtt)
    if not distances:
        raise LabError("lab.compare needs at least one distance: rtt_ms=(0, 1) for instance.")
    return distances


def cpu_of_server(admin: Client) -> float:
    """Return the seconds of CPU that a server has used since it started, by its INFO.

    This is for a server whose process this machine can't see; `admin` is a client of it.
    """
    info = admin.info("cpu")
    return info["used_cpu_user"] + info["used_cpu_sys"]


def budget_of(samples: list[Sample]) -> Budget:
    """Return where the time of one call of a compared function went, a Budget in seconds.

    `samples` are the function's measurements; the Budget has their medians. The part of the whole
    time that is neither client's nor server's CPU time counts as waiting.
    """
    total, client, server_cpu = (
        Median([getattr(sample, part) for sample in samples])
        for part in ("seconds", "client", "server")
    )
    return Budget(total, max(0.0, total - client - server_cpu), client, server_cpu)
