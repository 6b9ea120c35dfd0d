"""Programs that use Redis through other people's libraries; each is told a port, and how much.

`python third_party.py NAME PORT count`, where requirements.txt is installed, traces one of them
from its first line to its last, and prints what was counted, and what a proxy saw. With `growth`
it prints how the round trips grow with n, by growth() and by the proxy.
"""

import asyncio
import json
import sys
import threading
from collections import Counter

import redis
import redis.asyncio

from proxy import Proxy
from roundtrips import growth, trace

WAYS = "bytes_sent", "bytes_received"
# Who unsubscribes may not wait for that reply, nor for the one of a SUBSCRIBE before: the wire
# doesn't tell.
UNSUBSCRIBES = {"UNSUBSCRIBE", "PUNSUBSCRIBE"}
SUBSCRIPTION = {"SUBSCRIBE", "PSUBSCRIBE", *UNSUBSCRIBES}


def rq(port, n):
    from rq import Queue, SimpleWorker

    connection = redis.Redis(port=port)
    queue = Queue(connection=connection)
    jobs = [queue.enqueue("builtins.len", "four") for _ in range(n)]
    SimpleWorker([queue], connection=connection).work(burst=True, logging_level="ERROR")
    assert [job.return_value() for job in jobs] == [4] * n


def django_redis(port, n):
    import django
    from django.conf import settings

    backend = "django_redis.cache.RedisCache"
    url = f"redis://127.0.0.1:{port}/1"
    if not settings.configured:
        settings.configure(CACHES={"default": {"BACKEND": backend, "LOCATION": url}})
        django.setup()
    from django.core.cache import cache

    for number in range(n):
        cache.set(f"page:{number}", {"text": "x" * 100}, 60)
    cache.set_many({f"page:{number}": number for number in range(2, 12)})
    assert len(cache.get_many([f"page:{number}" for number in range(2, 12)])) == 10
    cache.set("hits", 1)
    assert cache.incr("hits") == 2
    assert cache.get_or_set("other", lambda: 7) == 7
    with cache.lock("only"):
        cache.get("page:1")
    cache.delete_pattern("page:*")


def limits(port, n):
    from limits import RateLimitItemPerMinute
    from limits.storage import RedisStorage
    from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter

    storage, five = RedisStorage(f"redis://127.0.0.1:{port}"), RateLimitItemPerMinute(5)
    for limiter in (FixedWindowRateLimiter(storage), MovingWindowRateLimiter(storage)):
        who = type(limiter).__name__
        assert [limiter.hit(five, who) for _ in range(5 + n)].count(True) == 5
        limiter.get_window_stats(five, who)


def celery_worker(port, n):
    from celery import Celery
    from celery.contrib.testing.worker import start_worker

    url = f"redis://127.0.0.1:{port}/4"
    app = Celery(broker=url, backend=url)
    app.conf.worker_hijack_root_logger = False

    @app.task(name="double")
    def double(number):
        return 2 * number

    with start_worker(app, perform_ping_check=False, pool="solo", loglevel="ERROR"):
        asked = [double.delay(number).get(timeout=30) for number in range(n)]
        assert asked == [2 * number for number in range(n)]


def dramatiq(port, n):
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker

    broker = RedisBroker(url=f"redis://127.0.0.1:{port}/5")
    dramatiq.set_broker(broker)
    seen = []

    @dramatiq.actor
    def note(number):
        seen.append(number)

    worker = dramatiq.Worker(broker, worker_timeout=100, worker_threads=2)
    worker.start()
    for number in range(n):
        note.send(number)
    broker.join(note.queue_name)
    worker.join()
    worker.stop()
    broker.close()
    assert sorted(seen) == list(range(n))


def flask_caching(port, n):
    from flask import Flask
    from flask_caching import Cache

    app = Flask("page")
    url = f"redis://127.0.0.1:{port}/8"
    cache = Cache(app, config={"CACHE_TYPE": "RedisCache", "CACHE_REDIS_URL": url})

    @app.route("/")
    @cache.cached(timeout=60)
    def page():
        return "page"

    @cache.memoize(60)
    def double(number):
        return 2 * number

    with app.app_context():
        assert [app.test_client().get("/").text for _ in range(n)] == ["page"] * n
        assert [double(2), double(2)] == [4, 4]
        cache.delete_memoized(double)


def aiocache(port, n):
    from aiocache import Cache
    from aiocache.lock import RedLock

    async def main():
        async with Cache(Cache.REDIS, endpoint="127.0.0.1", port=port, namespace="main") as cache:
            await cache.set("a", 1, ttl=60)
            await cache.multi_set([("b", 1), ("c", 2)])
            assert len(await cache.multi_get(["a", "b", "c"])) == 3
            await asyncio.gather(*(cache.get("a") for _ in range(n)))
            async with RedLock(cache, "a", 60):
                await cache.increment("n")

    asyncio.run(main())


def python_redis_lock(port, n):
    import redis_lock

    client = redis.Redis(port=port, db=9)
    seen = []

    def work():
        with redis_lock.Lock(client, "only", expire=60, auto_renewal=True):
            seen.append(client.incr("n"))

    threads = [threading.Thread(target=work) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == list(range(1, n + 1))


def saq(port, n):
    from saq import Queue, Status

    async def main():
        queue = Queue.from_url(f"redis://127.0.0.1:{port}/12")
        await queue.connect()
        for number in range(n):
            await queue.enqueue("double", number=number)
        for _ in range(n):
            job = await queue.dequeue(timeout=5)
            await job.finish(Status.COMPLETE, result=1)
        await queue.disconnect()

    asyncio.run(main())


def channels_redis(port, n):
    from channels_redis.core import RedisChannelLayer

    async def main():
        layer = RedisChannelLayer(hosts=[f"redis://127.0.0.1:{port}/13"])
        names = [await layer.new_channel() for _ in range(n)]
        for name in names:
            await layer.group_add("room", name)
        await layer.group_send("room", {"type": "news", "text": "x"})
        assert [(await layer.receive(name))["text"] for name in names] == ["x"] * n
        await layer.close_pools()

    asyncio.run(main())


def fake():
    import fakeredis

    r = fakeredis.FakeRedis()
    assert [r.get("a") for _ in range(5)] == [None] * 5
    r.pipeline().get("a").get("b").execute()

    async def main():
        async with fakeredis.FakeAsyncRedis() as client:
            assert [await client.get("a") for _ in range(5)] == [None] * 5
            await client.pipeline().get("a").get("b").execute()

    asyncio.run(main())


def counted(program, proxy, n=3):
    """Run `program(proxy.port, n)`; return a dict of what a trace and the proxy counted.

    `n` says how much the program does. "log" lists the names of the commands of each round trip
    that the trace counted, "passed" a Counter of those names for each that the proxy saw. "bytes"
    are [sent, received]. Keys that begin with "passed" are the proxy's.
    """
    before = proxy.settle()
    with trace() as t:
        program(proxy.port, n)
    passed = proxy.settle() - before
    return {
        "round_trips": t.round_trips,
        "log": [each.names for each in t.log],
        "passed": [Counter(turn.names) for turn in passed.turns],
        "bytes": [sum(getattr(each, way) for each in t.log) for way in WAYS],
        "passed bytes": [passed.sent, passed.received],
        "connections": t.connections,
        "passed connections": passed.connections,
        "lost": t.lost,
        "uncounted": t.uncounted,
        "findings": [str(found) for found in t.findings],
        "redis-py": redis.__version__,
    }


def grown(program, proxy):
    """Run a program with growing n by growth(); return a dict of what growth() and the proxy say.

    "says" is growth()'s sentence. "slope" is the number of round trips that each further n adds:
    False if growth() can't tell, None if the numbers lie on no line. "of sites" lists the slopes of
    call sites, "numbers" the round trips that growth() counted in each run, "runs" the dict of
    `counted` for each run.
    """
    rows, runs = [], []

    def fill(n):
        rows.append(n)
        with redis.Redis(port=proxy.address[1]) as admin:
            admin.flushall()

    found = growth(lambda: runs.append(counted(program, proxy, rows[-1])), fill)
    # The first run is not looked at by growth(), and it has each size once in each round.
    numbers = found.round_trips.numbers
    return {
        "says": str(found),
        "slope": found.is_known and found.round_trips.slope and float(found.round_trips.slope),
        "of sites": [each.law.slope and float(each.law.slope) for each in found.sites],
        "numbers": [made[at] for at in range(2) for made in numbers.values()],
        "runs": runs[1:],
    }


def main(name, port, what):
    if name == "fake":
        with trace() as t:
            fake()
        told = t.round_trips, t.uncounted
    else:
        with Proxy(("127.0.0.1", int(port))) as proxy:
            told = {"count": counted, "growth": grown}[what](globals()[name], proxy)
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
