"""Make many calls at once, by threads or by asyncio tasks, and measure how they queue."""

import asyncio
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import redis

import lab_utils as lab
from lab_utils.explorables.pool import explore

BEFORE_S, PAUSE_S = 0.8, 0.3  # of the service: how long until the server pauses, and the pause


def eight_at_once(call, client: redis.Redis) -> str:
    """Run `call(client)` in eight threads at once; return one line that counts the outcomes.

    The line is such as '5 × a reply, 3 × MaxConnectionsError: …', the most frequent first. "a
    reply" counts the calls that raised no redis.RedisError. All threads share `client`; what `call`
    returns is dropped.
    """
    start = Barrier(8)

    def heard(client):
        start.wait()
        try:
            call(client)
        except redis.RedisError as error:
            return f"{type(error).__name__}: {error}"
        return "a reply"

    with ThreadPoolExecutor(8) as pool:
        answers = Counter(pool.map(heard, [client] * 8))
    return ", ".join(f"{times} × {what}" for what, times in sorted(answers.items(), reverse=True))


async def longest_stall(start, runs: int = 3) -> float:
    """Return for how many seconds at most awaiting `start()` blocked the event loop.

    `start()` returns a coroutine. It is called and awaited `runs` times, and of each run the
    longest blocking is measured. The smallest of these is returned, since other programs delay the
    event loop too.
    """
    return min([await stall_beside(start()) for _ in range(runs)])


async def stall_beside(work) -> float:
    """Await the coroutine `work`; return for how many seconds at most it blocked the event loop.

    Another task sleeps a millisecond again and again meanwhile. The result is the longest delay
    with which that task woke up, in seconds.
    """
    late = []

    async def beat():
        while True:
            slept = time.perf_counter()
            await asyncio.sleep(0.001)
            late.append(time.perf_counter() - slept - 0.001)

    heart = asyncio.create_task(beat())
    await asyncio.sleep(0.01)
    await work
    await asyncio.sleep(0.01)
    heart.cancel()
    return max(late)


async def serve(
    call, client, a_second: float = 200, seconds: float = 2
) -> tuple[dict[float, int], dict[float, float]]:
    """Await `call(client)` many times, begun at random moments, as users arrive.

    No call waits for an earlier one. On average `a_second` calls begin in each second, for
    `seconds` in all. `call` is an `async def`, `client` its only argument. Returns two dicts whose
    keys are the moments at which calls began, in seconds from the start: {moment: number of other
    calls not yet ended then}, {moment: seconds that the call took}.
    """
    noted, held = {}, {}

    async def one(moment):
        noted[moment] = len(noted) - len(held)  # begun, and not ended
        came = time.perf_counter()
        await call(client)
        held[moment] = time.perf_counter() - came

    started, moment = time.perf_counter(), 0.0
    async with asyncio.TaskGroup() as calls:
        while moment < seconds:
            calls.create_task(one(moment))
            moment += random.expovariate(a_second)
            await asyncio.sleep(started + moment - time.perf_counter())
    return noted, held


async def pause(server: redis.Redis) -> None:
    """Wait 0.8 s, then pause a server for 0.3 s by CLIENT PAUSE.

    `server` is a client of that server, not an async one.
    """
    await asyncio.sleep(BEFORE_S)
    await asyncio.to_thread(server.client_pause, round(PAUSE_S * 1000))


def before_the_pause(
    noted: dict[float, int], held: dict[float, float]
) -> tuple[float, int, float, float]:
    """Summarize the calls that began in the first 0.7 s, before `pause` pauses the server.

    `noted` and `held` are the two dicts that `serve` returned: by the moment in seconds at which a
    call began, how many other calls were under way, and how many seconds the call took. Returns
    four numbers: the mean number of other calls under way when a call began, the largest such
    number, how many calls began a second, and the mean time of a call in seconds.
    """
    quiet = BEFORE_S - 0.1
    moments = [moment for moment in held if moment < quiet]
    in_use = [noted[moment] for moment in moments]
    took = sum(held[moment] for moment in moments) / len(moments)
    return sum(in_use) / len(moments), max(in_use), len(moments) / quiet, took


def plot_queues(served: dict[int, tuple], a_second: int, held_s: float):
    """Draw how many calls are under way while the server pauses: a line for each size of the pool.

    `served` is {connections in the pool: the pair of dicts that `serve` returned}. `a_second` is
    how many calls began a second, and `held_s` for how many seconds a call uses a connection.
    Returns a figure, an Explorable, in which readers can drag these two numbers.
    """
    counts = {size: noted for size, (noted, _) in served.items()}
    left = {size: list(noted.values())[-1] for size, noted in counts.items()}
    smallest = min(left)
    end = BEFORE_S + PAUSE_S
    still = lab.plot_lines(
        {f"a pool of {size}": {"": noted} for size, noted in counts.items()},
        "seconds",
        "calls under way or in the queue",
        f"Long after the pause a pool of {smallest} still holds {left[smallest]} calls",
        shaded=(BEFORE_S, end, "pause"),
    )
    return explore(still, counts, a_second, held_s, PAUSE_S)


def plot_bend(swept, sizes: list[int], calls: int, rtt: float) -> tuple:
    """Draw the time of `calls` calls in ms against the number of connections that share them.

    `swept` is the Comparison that `lab.compare` returned for functions named "N threads" and "N
    tasks", with each N in `sizes`, and for one named "pipeline", all at an RTT of `rtt` ms. Prints
    the time of one call divided by its CPU time. Returns (number of threads, the matplotlib
    figure): the smallest number whose time is less than 1.2 times that of the fastest.
    """
    took = {
        way: {size: swept.seconds(f"{size} {way}") * 1000 for size in sizes}
        for way in ("threads", "tasks")
    }
    threads, piped = took["threads"], swept.seconds("pipeline") * 1000
    fastest = min(threads.values())
    enough = next(size for size in sizes if threads[size] < 1.2 * fastest)
    even = [size for size in sizes if calls % size == 0 and size < calls]
    turn = min(threads[size] * size / calls for size in even)
    # the fastest is one turn, and the CPU of all calls but the one that is waited for
    cpu = (fastest - turn) / (calls - 1)
    print(f"measured: a call's time ÷ its CPU is about {threads[1] / calls / cpu:.0f}")
    straight = {
        "pipeline": {1: piped, calls: piped},
        "the waiting alone": {1: calls * rtt, calls: rtt},
        "the CPU alone": {1: calls * cpu, calls: calls * cpu},
    }
    figure = lab.plot_lines(
        took | straight,
        "connections",
        f"ms for {calls} records",
        f"{enough} connections are enough: from there on calls queue for the CPU",
        log_x=True,
        log_y=True,
        rtt_ms=rtt,
    )
    return enough, figure
