"""Programs whose time at another distance is foreseen and then measured."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

# Ten programs


def loop(r):
    for number in range(50):
        r.get(f"user:{number}")


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for number in range(100):
        pipe.get(f"user:{number}")
    pipe.execute()


def ten_pipelines(r):
    for _ in range(10):
        pipeline(r)


def watched(r):
    def change(pipe):
        value = int(pipe.get("n") or 0)
        pipe.multi()
        pipe.set("n", value + 1)

    for _ in range(5):
        r.transaction(change, "n")


def script(r):
    increment = r.register_script("return redis.call('INCR', KEYS[1])")
    for number in range(20):
        increment(keys=[f"n:{number}"])


def with_own_work(r):
    for number in range(20):
        r.get(f"user:{number}")
        sum(range(50_000))


def large_values(r):
    for _ in range(10):
        r.set("large", "x" * 20_000)
        r.get("large")


def scan(r):
    list(r.scan_iter("user:*", count=10))


def eight_threads(r):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: r.get(f"user:{number}"), range(160)))


async def tasks(r):
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(20)))
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(20)))


PROGRAMS = [
    loop, pipeline, ten_pipelines, watched, script, with_own_work, large_values, scan,
    eight_threads, tasks,
]  # fmt: skip


# Eleven others: tasks in crowds and in a row, threads, locks, long pipelines


async def sixty_tasks(r):
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(60)))


async def five_at_once(r):
    five = asyncio.Semaphore(5)

    async def one(number):
        async with five:
            await r.get(f"user:{number}")

    await asyncio.gather(*(one(number) for number in range(30)))


async def pipelines_at_once(r):
    async def one(first):
        pipe = r.pipeline(transaction=False)
        for number in range(20):
            pipe.get(f"user:{first + number}")
        await pipe.execute()

    await asyncio.gather(*(one(first) for first in range(6)))


async def chains_at_once(r):
    async def one(number):
        await r.incr(f"count:{number}")
        await r.set(f"copy:{number}", await r.get(f"count:{number}"))

    await asyncio.gather(*(one(number) for number in range(8)))


async def awaited_one_by_one(r):
    for number in range(20):
        await r.get(f"user:{number}")


def two_threads(r):
    def part(first):
        for number in range(first, first + 40):
            r.get(f"user:{number}")

    in_threads(part, (0, 40))


def in_threads(function, arguments):
    """Call the function with each argument in a thread of its own, all at once."""
    threads = [threading.Thread(target=function, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def waves_of_threads(r):
    for _ in range(5):
        in_threads(r.get, [f"user:{number}" for number in range(6)])


def pools_in_a_row(r):
    for _ in range(3):
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: r.get(f"user:{number}"), range(20)))


def locks(r):
    for _ in range(5):
        with r.lock("lock", timeout=5):
            r.incr("locked")


def sessions(r):
    for number in range(8):
        r.get(f"session:{number}")
        r.hset(f"seen:{number}", "page", number)
        r.pipeline().incr("views").lpush("feed", number).ltrim("feed", 0, 99).execute()


def long_pipelines(r):
    for _ in range(3):
        pipe = r.pipeline(transaction=False)
        for number in range(1_000):
            pipe.get(f"user:{number}")
        pipe.execute()


OTHERS = [
    sixty_tasks, five_at_once, pipelines_at_once, chains_at_once, awaited_one_by_one, two_threads,
    locks, sessions, long_pipelines, waves_of_threads, pools_in_a_row,
]  # fmt: skip


# Six more, written after seconds_at was as it is, and not looked at while it was made


async def page_of_a_feed(r):
    pipe = r.pipeline(transaction=False)
    pipe.incr("views").get("user:1").get("user:2")
    await pipe.execute()
    await asyncio.gather(*(r.hgetall(f"profile:{number}") for number in range(12)))
    await r.set("seen:feed", 1)


async def producer_and_consumer(r):
    waiting = asyncio.Queue(5)

    async def produce():
        for number in range(20):
            await r.lpush("jobs", number)
            await waiting.put(number)

    async def consume():
        for _ in range(20):
            await waiting.get()
            await r.rpop("jobs")

    await asyncio.gather(produce(), consume())


async def four_workers(r):
    numbers = iter(range(40))

    async def work():
        for number in numbers:
            await r.get(f"user:{number}")

    await asyncio.gather(*(work() for _ in range(4)))


async def beside_a_timer(r):
    async def tick():
        for _ in range(5):
            await asyncio.sleep(0.002)
            await r.incr("ticks")

    async def row():
        for number in range(20):
            await r.get(f"user:{number}")

    await asyncio.gather(tick(), row())


def cache_aside(r):
    for number in range(20):
        if r.get(f"page:{number % 10}") is None:
            r.set(f"page:{number % 10}", "y" * 500)
    for number in range(10):
        r.delete(f"page:{number}")


def threads_with_pipelines(r):
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: pipeline(r), range(12)))


HELD_OUT = [
    page_of_a_feed, producer_and_consumer, four_workers, beside_a_timer, cache_aside,
    threads_with_pipelines,
]  # fmt: skip
