"""How long it took: variants of the same work, timed side by side, fairly.

Warm-up first; then rounds in which every variant runs once, in a new random order each round; garbage collection off,
client, server and link held steady (see `steady`). The timed pass runs plain redis-py with nothing of the lab in its path.
"""

import contextlib
import gc
import os
import random
import statistics
import time
from dataclasses import dataclass

from . import aio
from .errors import LabError
from .link import check_distance, link, through
from .pinning import steady
from .ratio import ratio
from .same_work import check_same_work
from .scale import scale
from .servers import check_options, connect, server
from .words import duration, milliseconds

SHORTEST_SAMPLE_S = 0.002  # a shorter call is repeated until a sample takes this long
LONG_CALL_S = 0.05  # a call this long is warmed up once: what was cold the first time says little in it


@dataclass(frozen=True)
class Budget:
    """Where a variant's `total` seconds went: `network` (waiting), `client` and `server` (CPU).

    Client and server CPU are read from the operating system and from Redis; the rest of the time nobody computed: that
    is the wait. Where client and server computed at the same time (a server of your own, on its own CPU), the three
    add up to more than the total, and `overlap` says by how much.
    """

    total: float
    network: float
    client: float
    server: float

    @property
    def overlap(self):
        return max(0.0, self.client + self.server + self.network - self.total)

    def __repr__(self):
        return (f"total {duration(self.total)}: network {duration(self.network)}, "
                f"client {duration(self.client)}, server {duration(self.server)}")


class Comparison:
    """Times of several variants at several distances. Seconds are for one call; `ops` operations are in each call."""

    def __init__(self, variants, ops, samples, runner, setup, parallel=False):
        self.variants, self.ops, self.samples = variants, ops, samples
        self._runner, self._setup, self._parallel = runner, setup, parallel
        self._budgets = {}

    @property
    def names(self):
        return list(self.variants)

    @property
    def rtts(self):
        return sorted({rtt for _, rtt in self.samples})

    def rounds(self, name, rtt_ms=None):
        """The seconds of one call in each round."""
        return self.samples[self._key(name, rtt_ms)]

    def seconds(self, name, rtt_ms=None):
        """Median seconds of one call."""
        return statistics.median(self.rounds(name, rtt_ms))

    def per_op(self, name, rtt_ms=None):
        """Median seconds of one operation."""
        return self.seconds(name, rtt_ms) / self.ops

    def speedup(self, name, over, rtt_ms=None):
        """How many times faster `name` is than `over`: a Ratio."""
        return ratio(self.rounds(name, rtt_ms), self.rounds(over, rtt_ms))

    def verdict(self, name, over, rtt_ms=None):
        """One sentence: 'pipeline is 5.2x faster than loop (4.9 to 5.6)', or that no difference shows."""
        return self.speedup(name, over, rtt_ms).sentence(name, over)

    def budget(self, name, rtt_ms=None):
        """Where the time of a variant goes: a Budget. Measured when first asked for, in passes of its own."""
        key = self._key(name, rtt_ms)
        if key not in self._budgets:
            self._budgets[key] = measure_budget(self._runner(*key), self._setup, parallel=self._parallel)
        return self._budgets[key]

    def plot(self, over=None, prediction=None, title=None):
        """Draws the variants at each distance and prints in words what was found. `over` is what ratios refer to (the first)."""
        from .plots import plot_comparison

        return plot_comparison(self, over or self.names[0], prediction, title)

    def plot_budget(self, rtt_ms=None, title=None):
        """Draws where each variant's time went at one distance, or at all of them."""
        from .plots import plot_budget

        return plot_budget(self, rtt_ms, title)

    def _key(self, name, rtt_ms):
        if rtt_ms is None:
            if len(self.rtts) > 1:
                raise LabError(f"This comparison has several distances: say which, rtt_ms={self.rtts[0]:g} for instance.")
            rtt_ms = self.rtts[0]
        if (name, rtt_ms) not in self.samples:
            raise LabError(f"{name!r} at {rtt_ms!r} ms was not measured. Measured: {', '.join(self.names)} at "
                           f"{', '.join(milliseconds(rtt) for rtt in self.rtts)}.")
        return name, rtt_ms

    def __repr__(self):
        width = max(len(name) for name in self.names)
        lines = []
        for rtt in self.rtts:
            for name in self.names:
                lines.append(f"{name:<{width}}  RTT {milliseconds(rtt):>7}   {duration(self.seconds(name, rtt)):>8}   "
                             f"{duration(self.per_op(name, rtt)):>8} an operation")
        return "\n".join(lines)


def compare(variants, ops=1, rtt_ms=(0,), setup=None, same=True, rounds=None, parallel=False, **options):
    """Times variants of the same work side by side at every distance, and returns a Comparison.

    `variants` maps a name to `f(client)` or `async def f(client)`; each must do its whole work in one call, and do the
    same work in every call. `ops` is how many operations a call does. `setup(client)` runs before each call, untimed.
    `rtt_ms` is one distance or several. `rounds` fixes the number of rounds; else time and LAB_SCALE decide.
    `parallel=True` lets the server and the link compute on another CPU while the client does, for variants with many
    requests in flight; it takes a distance, and a machine with one CPU does without. `options` go to the clients, as in
    `lab.connect`.

    Before anything is timed, each variant runs once, and they are checked to have done the same work: the same reply,
    or the same keys afterwards. Pass `same=False` for variants that differ on purpose. Raises LabError if they differ.
    """
    variants = checked_variants(variants)
    distances = checked_distances(rtt_ms)
    if parallel and not all(distances):
        raise LabError("parallel=True needs a distance: with none, a server on another CPU is another thing than one on this. "
                       "Set rtt_ms above 0, or compare without parallel.")
    if same and len(variants) > 1:
        check_same_work(variants, connect(**options), setup)
    clients = {rtt: client_at(rtt, parallel, options) for rtt in distances}
    with contextlib.ExitStack() as stack:
        held = held_clients(variants, clients, stack)

        def runner(name, rtt):
            return Runner(variants[name], held[rtt][aio.is_async(variants[name])], held[rtt][False])

        runners = {(name, rtt): runner(name, rtt) for rtt in distances for name in variants}
        with steady(server().pid, link() if any(distances) else None, parallel):
            samples = measure(runners, setup, rounds)
    return Comparison(variants, ops, samples, lambda name, rtt: fresh_runner(variants[name], rtt, options, parallel), setup,
                      parallel)


def client_at(rtt, parallel, options):
    """`lab.connect`, through a link that is set for the placement in which is measured."""
    if not parallel:
        return connect(rtt, **options)
    check_options(server(), options)
    check_distance(server(), rtt)
    return through(server(), link().port(server(), rtt, parallel), **options)


def checked_variants(variants):
    if not isinstance(variants, dict) or not variants or not all(callable(fn) for fn in variants.values()):
        raise LabError('lab.compare needs a dict of functions of a client, such as {"loop": loop, "pipeline": pipeline}: '
                       "the functions themselves, not what they return.")
    return variants


def checked_distances(rtt_ms):
    distances = (rtt_ms,) if isinstance(rtt_ms, (int, float)) else tuple(rtt_ms)
    if not distances:
        raise LabError("lab.compare needs at least one distance: rtt_ms=(0, 1) for instance.")
    return distances


def held_clients(variants, clients, stack):
    """{rtt: {False: sync client, True: asyncio client}}, the asyncio ones only where a variant wants one."""
    wants_async = any(aio.is_async(fn) for fn in variants.values())
    held = {}
    for rtt, client in clients.items():
        stack.callback(client.close)
        held[rtt] = {False: client}
        if wants_async:
            held[rtt][True] = aio.client_like(client)
            stack.callback(lambda own=held[rtt][True]: aio.run(own.aclose()))
    return held


def fresh_runner(fn, rtt, options, parallel=False):
    client = client_at(rtt, parallel, options)
    return Runner(fn, aio.client_like(client) if aio.is_async(fn) else client, client)


class Runner:
    """One variant with its client: calls it, and times it."""

    def __init__(self, fn, client, sync_client=None):
        self.fn, self.client = fn, client
        self.sync_client = sync_client or client

    def time(self, calls=1):
        """Seconds of one call, over `calls` of them."""
        if aio.is_async(self.fn):
            return aio.run(self._time_async(calls)) / calls
        fn, client = self.fn, self.client
        started = time.perf_counter()
        for _ in range(calls):
            fn(client)
        return (time.perf_counter() - started) / calls

    async def _time_async(self, calls):
        fn, client = self.fn, self.client
        started = time.perf_counter()
        for _ in range(calls):
            await fn(client)
        return time.perf_counter() - started


def measure(runners, setup, rounds):
    """{key: [seconds of one call, a value a round]}, the runners interleaved in random order."""
    plan = scale()
    calls, first = {}, 0.0
    for key, runner in runners.items():
        prepare(setup, runner)
        once = runner.time()  # opens connections, fills caches
        if once < LONG_CALL_S:
            prepare(setup, runner)
            once = runner.time()
        calls[key] = 1 if setup else max(1, round(SHORTEST_SAMPLE_S / once))
        first += once * calls[key]
    rounds = rounds or min(plan.rounds, max(plan.fewest, int(plan.seconds / first)))
    samples = {key: [] for key in runners}
    with no_garbage_collection():
        for _ in progress(range(rounds), rounds * first, plan):
            for key in random.sample(list(runners), len(runners)):
                prepare(setup, runners[key])
                samples[key].append(runners[key].time(calls[key]))
    return samples


def prepare(setup, runner):
    if setup:
        setup(runner.sync_client)


@contextlib.contextmanager
def no_garbage_collection():
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def progress(rounds, expected_s, plan):
    """A progress bar in a notebook where measuring takes more than two seconds; none in CI."""
    if not plan.progress or expected_s < 2 or os.environ.get("TQDM_DISABLE"):  # which tqdm's notebook bar does not heed
        return rounds
    from tqdm.auto import tqdm

    return tqdm(rounds, desc="measuring", leave=False)


def measure_budget(runner, setup, passes=5, parallel=False):
    """A Budget for one call: medians over a few passes of wall time, the client's CPU and the server's CPU."""
    admin = server().connect(single_connection_client=True)
    rows = []
    with steady(server().pid, link.known(), parallel), no_garbage_collection():
        prepare(setup, runner)
        calls = max(1, round(SHORTEST_SAMPLE_S * 10 / runner.time())) if not setup else 1
        for _ in range(passes):
            prepare(setup, runner)
            of_reading = cpu_of_server(admin), cpu_of_server(admin)
            client_before, before = time.process_time(), of_reading[1]
            wall = runner.time(calls)
            client = (time.process_time() - client_before) / calls
            spent = cpu_of_server(admin) - before - (of_reading[1] - of_reading[0])
            rows.append((wall, client, max(0.0, spent) / calls))
    admin.close()
    total, client, server_cpu = (statistics.median(column) for column in zip(*rows, strict=True))
    return Budget(total, max(0.0, total - client - server_cpu), client, server_cpu)


def cpu_of_server(admin):
    """Seconds of CPU that the server has used so far."""
    info = admin.info("cpu")
    return info["used_cpu_user"] + info["used_cpu_sys"]
