"""Programs whose time at another distance is foreseen and then measured."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def loop(r):
    for number in range(50):
        r.get(f"user:{number}")


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    for number in range(100):
        pipe.get(f"user:{number}")
    pipe.execute()


def watched(r):
    def change(pipe):
        value = int(pipe.get("n") or 0)
        pipe.multi()
        pipe.set("n", value + 1)

    for _ in range(5):
        r.transaction(change, "n")


def with_own_work(r):
    for number in range(20):
        r.get(f"user:{number}")
        sum(range(50_000))


def eight_threads(r):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: r.get(f"user:{number}"), range(160)))


async def tasks(r):
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(20)))
    await asyncio.gather(*(r.get(f"user:{number}") for number in range(20)))


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


async def awaited_one_by_one(r):
    for number in range(20):
        await r.get(f"user:{number}")


def locks(r):
    for _ in range(5):
        with r.lock("lock", timeout=5):
            r.incr("locked")


def sessions(r):
    for number in range(8):
        r.get(f"session:{number}")
        r.hset(f"seen:{number}", "page", number)
        r.pipeline().incr("views").lpush("feed", number).ltrim("feed", 0, 99).execute()


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


PROGRAMS = [
    loop, pipeline, watched, with_own_work, eight_threads, tasks,
    five_at_once, pipelines_at_once, awaited_one_by_one, locks, sessions,
    page_of_a_feed, producer_and_consumer, beside_a_timer, cache_aside,
]  # fmt: skip
