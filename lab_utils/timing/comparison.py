"""How long it took: variants of the same work, timed side by side, fairly.

Warm-up first; then rounds (`rounds.py`), garbage collection off, client, server and link held
steady (see `steady`). The timed pass runs plain redis-py with nothing of the lab in its path.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from .. import calm
from ..arguments import check_dict, check_function, check_number, check_positive
from ..calm import Calm
from ..errors import LabError
from ..median import Median
from ..testbed import event_loop
from ..testbed.chosen_server import client_of, connect, server
from ..testbed.evidence import Watch
from ..testbed.link import check_distance, link
from ..testbed.pinning import steady
from ..words import duration, milliseconds
from . import noted
from .ratio import Ratio, ratio
from .rounds import Runner, measure
from .same_work import check_same_work


@dataclass(frozen=True)
class Budget:
    """Where a variant's `total` seconds went: `network` (waiting), `client` and `server` (CPU).

    CPU is read around the very rounds that were timed, from the system or, where the server's
    process can't be seen, from INFO; in the rest of the time nobody computed. Where client and
    server computed at once (a server of your own, on its CPU), the three are more than the total.
    """

    total: float
    network: float
    client: float
    server: float

    def __repr__(self):
        return (
            f"total {duration(self.total)}: network {duration(self.network)}, "
            f"client {duration(self.client)}, server {duration(self.server)}"
        )


class Comparison:
    """Times of several variants at several distances: seconds of a call of `ops` operations.

    `samples` is {(name, RTT): [seconds, one a round]}, `budgets` {(name, RTT): Budget}. `calm` says
    whether the machine was calm meanwhile: a Calm. On a busy one the seconds are without what other
    programs took, as far as that is known.
    """

    def __init__(self, variants, ops, samples, budgets=None, calm=None):
        self.variants, self.ops, self.samples = variants, ops, samples
        self.budgets, self.calm = budgets or {}, calm or Calm()

    @property
    def names(self):
        return list(self.variants)

    @property
    def rtts(self):
        return sorted({rtt for _, rtt in self.samples})

    def rounds(self, name: str, rtt_ms: float | None = None) -> list[float]:
        """Return the seconds of one call in each round."""
        return self.samples[self._key(name, rtt_ms)]

    def seconds(self, name: str, rtt_ms: float | None = None) -> float:
        """Return the median seconds of one call."""
        return Median(self.rounds(name, rtt_ms))

    def per_op(self, name: str, rtt_ms: float | None = None) -> float:
        """Return the median seconds of one operation."""
        return self.seconds(name, rtt_ms) / self.ops

    def speedup(self, name: str, over: str, rtt_ms: float | None = None) -> Ratio:
        """Return how many times faster `name` is than `over`: a Ratio."""
        return ratio(self.rounds(name, rtt_ms), self.rounds(over, rtt_ms))

    def verdict(self, name: str, over: str, rtt_ms: float | None = None) -> str:
        """Say 'pipeline is 5.2x faster than loop (4.9 to 5.6)', or that no difference shows."""
        return self.speedup(name, over, rtt_ms).sentence(name, over) + self._busy()

    def budget(self, name: str, rtt_ms: float | None = None) -> Budget:
        """Return where the time of a variant went, in the rounds that were timed: a Budget."""
        return self.budgets[self._key(name, rtt_ms)]

    def plot(self, over: str | None = None, said=None, title: str | None = None):
        """Draw the variants at each distance and print in words what was found.

        `over` is what ratios refer to (the first). `said` is a guess, in "x": how many times faster
        the last other variant is than `over`, at the first distance.
        """
        from ..figures.comparison import plot_comparison

        return plot_comparison(self, over or self.names[0], said, title)

    def plot_budget(self, rtt_ms: float | None = None, title: str | None = None):
        """Draw where each variant's time went at one distance, or at all of them."""
        from ..figures.budget import plot_budget

        return plot_budget(self, rtt_ms, title)

    def _key(self, name, rtt_ms):
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

    def __repr__(self):
        width = max(len(name) for name in self.names)
        lines = [
            f"{name:<{width}}  RTT {milliseconds(rtt):>7}   "
            f"{duration(self.seconds(name, rtt)):>8}   "
            f"{duration(self.per_op(name, rtt)):>8} an operation"
            for rtt in self.rtts
            for name in self.names
        ]
        return "\n".join(lines) + self._busy()

    def _busy(self):
        return f"  ({self.calm.sentence()})" if self.calm.busy else ""


def compare(
    variants: dict[str, Callable],
    ops: float = 1,
    rtt_ms: float | Iterable[float] = (0,),
    setup: Callable | None = None,
    same: bool = True,
    rounds: int | None = None,
    parallel: bool = False,
    **options,
) -> Comparison:
    """Time variants of the same work side by side at every distance.

    `variants` maps a name to `f(client)` or `async def f(client)`; each must do its whole work, the
    same in every call: `ops` operations. `setup(client)` runs before each call, untimed. `rtt_ms`
    is one distance or several. `rounds` fixes the number of rounds; else time and LAB_SCALE decide.
    `parallel=True` lets the server and the link compute on another CPU while the client does, for
    variants with many requests in flight; it takes a distance, and a machine with one CPU does
    without. `options` go to the clients, as in `lab.connect`.

    Before anything is timed, each variant runs once. Raises LabError unless all did the same work:
    the same commands, the same reply, or the same keys afterwards. Pass `same=False` for variants
    that differ on purpose.
    """
    variants, distances = checked_variants(variants), checked_distances(rtt_ms)
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
        admin = stack.enter_context(server().connect())  # it connects when it is asked
        with steady(server().pid, passed, parallel):
            watch = Watch(server().pid, passed, lambda: cpu_of_server(admin))
            samples, found = measure(runners, setup, rounds, watch)
    calm.note(found)
    seconds = {key: [sample.seconds for sample in taken] for key, taken in samples.items()}
    noted.note(variants, (ops, setup, parallel, options), seconds)
    budgets = {key: budget_of(taken) for key, taken in samples.items()}
    return Comparison(variants, ops, seconds, budgets, found)


def checked_variants(variants):
    for fn in check_dict(variants, "lab.compare", '{"loop": loop, "pipeline": pipeline}').values():
        check_function(fn, "lab.compare", '{"loop": loop}', may_be_async=True)
    return variants


def checked_distances(rtt_ms):
    several = isinstance(rtt_ms, Collection) and not isinstance(rtt_ms, (str, bytes))
    distances = tuple(rtt_ms) if several else (rtt_ms,)
    for rtt in distances:
        check_distance(rtt)
    if not distances:
        raise LabError("lab.compare needs at least one distance: rtt_ms=(0, 1) for instance.")
    return distances


def cpu_of_server(admin):
    """Ask a server whose process can't be seen for the seconds of CPU it has used so far."""
    info = admin.info("cpu")
    return info["used_cpu_user"] + info["used_cpu_sys"]


def budget_of(samples):
    """Return the Budget of the median round: medians of the whole time and of both CPUs."""
    total, client, server_cpu = (
        Median([getattr(sample, part) for sample in samples])
        for part in ("seconds", "client", "server")
    )
    return Budget(total, max(0.0, total - client - server_cpu), client, server_cpu)
