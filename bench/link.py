"""The link: is a distance what was asked for, beside a process that only sleeps as long?"""

import os
import statistics
import time

import lab_utils as lab
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link, through
from lab_utils.testbed.pinning import steady
from lab_utils.timing.rounds import no_garbage_collection

from .row import Row, endless_loops, percentile_95, seconds

RTTS = (0.25, 1, 2, 6, 20)
BLOCKS, BLOCK_S, FEWEST_CALLS, MOST_CALLS = 5, 0.25, 20, 100
# What the link may be late by beyond the sleeper, in ms: (median, 95th percentile).
BEYOND_MS = {"quiet": (0.03, 0.15), "busy": (0.3, None)}
COMMANDS, PIPELINE_ROUNDS, FAR_MS = 10_000, 9, 20


def rows():
    with no_garbage_collection():
        yield from ping_rows("quiet", RTTS)
        with endless_loops(os.cpu_count()):
            yield from ping_rows("busy", (1,))
        yield from pipeline_rows()


def ping_rows(machine, rtts):
    """Time PING at each distance, and a sleep of the same length, in turn."""
    clients = {rtt: lab.connect(rtt) for rtt in rtts}
    late_ms = {(who, rtt): [] for who in ("link", "sleeper") for rtt in rtts}
    with steady(server().pid, link()):
        for _ in range(BLOCKS):
            for rtt, client in clients.items():
                client.ping()
                for _ in range(min(MOST_CALLS, max(FEWEST_CALLS, int(BLOCK_S / (rtt / 1000))))):
                    late_ms["link", rtt].append(seconds(client.ping) * 1000 - rtt)
                    late_ms["sleeper", rtt].append(seconds(time.sleep, rtt / 1000) * 1000 - rtt)
    for rtt in rtts:
        ways = zip(
            ("median", "95th percentile"),
            (statistics.median, percentile_95),
            BEYOND_MS[machine],
            strict=True,
        )
        for name, of, beyond in ways:
            if beyond is not None:
                ours, sleepers = of(late_ms["link", rtt]), of(late_ms["sleeper", rtt])
                calls = len(late_ms["link", rtt])
                yield Row(
                    f"link, {machine}: PING at {rtt:g} ms, {name} of {calls}",
                    f"{ours:+.3f} ms",
                    f"a sleep of {rtt:g} ms: {sleepers:+.3f} ms",
                    f"the sleep's + {beyond:g} ms",
                    abs(ours) <= sleepers + beyond,
                )


def pipeline_rows():
    clients = {
        "direct": server().connect(),
        0: through(server(), link().port_without_delay(server())),
        FAR_MS: lab.connect(FAR_MS),
    }
    times = {name: [] for name in clients}
    with steady(server().pid, link()):
        for _ in range(PIPELINE_ROUNDS):
            for name, client in clients.items():
                client.ping()
                times[name].append(seconds(many_sets, client))
    direct = statistics.median(times["direct"])
    for rtt in (0, FAR_MS):
        share = direct / (statistics.median(times[rtt]) - rtt / 1000)
        yield Row(
            f"link: pipeline of {COMMANDS:,} SETs at {rtt} ms, but for the one RTT",
            f"{share:.0%}",
            f"without the link, {COMMANDS / direct:,.0f} SETs a second",
        )


def many_sets(r):
    pipe = r.pipeline(transaction=False)
    for i in range(COMMANDS):
        pipe.set(f"key{i}", f"value{i}")
    pipe.execute()
