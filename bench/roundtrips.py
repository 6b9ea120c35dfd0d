"""What a trace costs, what room a million round trips take, how well it foresees a distance."""

import asyncio
import contextlib
import json
import statistics
import subprocess
import sys

import redis.asyncio
from roundtrips.estimate import leaves_out

import lab_utils as lab
from lab_utils.testbed import event_loop
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.link import link
from lab_utils.testbed.pinning import steady
from lab_utils.timing.rounds import no_garbage_collection
from roundtrips import trace

from .programs import PROGRAMS
from .row import Row, seconds

PAIRS = 60  # rounds of each, with and without a trace in turn
MANY, FEW, ROOM_AIM_MB = 1_000_000, 20_000, 20
DISTANCES_MS, OFF = (0.25, 1, 5), 0.2
PASSES, RUNS = 3, 3  # passes here and far away in turn, so that both find the machine alike
ROOM = """
import json, sys
import redis
from roundtrips import trace

def resident_mb():
    with open("/proc/self/statm") as told:
        return int(told.read().split()[1]) * 4096 / 1e6

client = redis.Redis(**json.loads(sys.argv[1]))
few, many = map(int, sys.argv[2:])
with trace() as t:
    for number in range(many):
        client.get("user:%d" % number)
        if number == few:
            before = resident_mb()
assert t.round_trips == many, t
print(resident_mb() - before)
"""


def rows():
    yield from cost_rows()
    yield room_row()
    yield from distance_rows()


# What it costs


def cost_rows():
    client, loop = lab.connect(), asyncio.new_event_loop()
    client.set("user:1", "x" * 20)
    own = redis.asyncio.Redis(**server().options)

    def gets():
        for _ in range(1_000):
            client.get("user:1")

    def pipelines():
        for _ in range(20):
            pipe = client.pipeline(transaction=False)
            for _ in range(100):
                pipe.get("user:1")
            pipe.execute()

    async def gathered():
        for _ in range(10):
            await asyncio.gather(*(own.get("user:1") for _ in range(100)))

    def nothing():
        sum(range(1_000_000))

    loop.run_until_complete(gathered())
    yield cost_row("a GET", gets, 1.10)
    yield cost_row("a pipeline of 100 GETs", pipelines, 1.05)
    yield cost_row("100 gathered GETs", lambda: loop.run_until_complete(gathered()), 1.15)
    yield cost_row("a block that sees nothing", nothing, 1.01)
    loop.run_until_complete(own.aclose())
    loop.close()


def cost_row(what, work, aim):
    """Compare work inside a block, its end included, with the same outside one."""

    def inside(block):
        with block:
            work()

    ratios = []
    with steady(server().pid, link()):
        work()
        for _ in range(PAIRS):
            plain = seconds(inside, contextlib.nullcontext())
            ratios.append(seconds(inside, trace()) / plain)
    ratio = statistics.median(ratios)
    what = f"trace: {what} at RTT 0, median of {PAIRS} pairs"
    return Row(what, f"{ratio:.3f}x", "without a block", f"at most {aim:g}x", ratio <= aim)


def room_row():
    """Measure in a process of its own; nothing should grow once the first ones have been kept."""
    asked = [sys.executable, "-c", ROOM, json.dumps(server().options), str(FEW), str(MANY)]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    grown = float(done.stdout)
    what = f"trace: memory from {FEW:,} to {MANY:,} round trips"
    aim = f"at most {ROOM_AIM_MB} MB"
    return Row(what, f"{grown:+.1f} MB", "before", aim, grown <= ROOM_AIM_MB)


# What it foresees


def distance_rows():
    """Compare what a trace of a run here says of a distance with runs over the link."""
    errors, untold = {}, []
    for rtt_ms in DISTANCES_MS:
        for program in PROGRAMS:
            error, told = error_of(program, rtt_ms)
            errors[program.__name__, rtt_ms] = error
            if abs(error) > OFF and not told:
                untold.append(f"{program.__name__} at {rtt_ms:g} ms")
            print(f"    {program.__name__} at {rtt_ms:g} ms: {error:+.1%}", file=sys.stderr)
    median = statistics.median(map(abs, errors.values()))
    worst = max(errors.values(), key=abs)
    what = f"trace: seconds_at, {len(PROGRAMS)} programs"
    over = "the same programs over the link"
    yield Row(f"{what}: median error", f"{median:.1%}", over)
    yield Row(f"{what}: worst error", f"{worst:+.1%}", over)
    named = ", ".join(untold) or "none"
    yield Row(f"{what}: off by over {OFF:.0%}, and not said", named, over, "none", not untold)


def error_of(program, rtt_ms):
    """Return (by how much what is foreseen differs from what it takes, whether that is said).

    0.1 is 10% too long. The shortest of either is taken: what disturbs a run makes it longer.
    """
    here = lab.connect()
    here.mset({f"user:{number}": "x" * 20 for number in range(200)})
    near, far, said, taken = runner(program, here), runner(program, lab.connect(rtt_ms)), [], []
    told = False
    with no_garbage_collection():
        for _ in range(PASSES):
            with steady(server().pid, link()):
                for _ in range(RUNS):
                    with trace() as t:
                        near()
                    said.append(t.seconds_at(rtt_ms))
                    told = told or bool(leaves_out(t.record))
            # A link takes time from a client's CPU, which no network does.
            with steady(server().pid, link(), parallel=True):
                taken += [seconds(far) for _ in range(RUNS)]
    return min(said) / min(taken) - 1, told


def runner(program, client):
    """Return a function without arguments that runs the program once, its connections open."""
    if not event_loop.is_async(program):
        program(client)
        return lambda: program(client)
    own = event_loop.client_like(client)
    event_loop.run(program, own)
    return lambda: event_loop.run(program, own)
