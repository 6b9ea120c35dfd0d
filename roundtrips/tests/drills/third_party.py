"""Programs that use Redis through other people's libraries; each is told a port, and how much.

`python third_party.py NAME PORT`, where requirements.txt is installed, runs one of them by
growth(), traces each run, and prints what was counted, and where a proxy saw something else.
"""

import asyncio
import itertools
import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import redis
import redis.asyncio

from proxy import Proxy, is_work
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

    def work(_):
        with redis_lock.Lock(client, "only", expire=60, auto_renewal=True):
            seen.append(client.incr("n"))

    with ThreadPoolExecutor(n) as pool:
        list(pool.map(work, range(n)))
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


def differences(t, passed):
    """Return where the Trace `t` and the Counts of the proxy differ: {what: (traced, passed)}.

    Commands are compared without set-up, bytes and connections only if nothing unsubscribed.
    """
    turns = [each.names for each in passed.turns]
    unsubscribes = any(UNSUBSCRIBES & set(names) for names in turns)
    left_out = SUBSCRIPTION if unsubscribes else set()
    traced = sums([each.names for each in t.log], left_out)
    both = {"work": (traced, sums(turns, left_out)), "lost": (t.lost, 0)}
    if not unsubscribes:
        sizes = [sum(getattr(each, way) for each in t.log) for way in WAYS]
        both["sizes"] = [*sizes, t.connections], [passed.sent, passed.received, passed.connections]
    return {what: pair for what, pair in both.items() if pair[0] != pair[1]}


def sums(turns, left_out):
    """Return (number of round trips, {name of a command: how often it was sent}).

    `turns` are round trips, each a list of its commands' names. Round trips of set-up are not
    counted, nor are commands in `left_out`, and round trips that have no other commands.
    """
    work = sum(is_work(names) for names in turns if not set(names) <= left_out)
    commands = sum(map(Counter, turns), Counter())
    return work, {name: number for name, number in commands.items() if name not in left_out}


def main(name, port):
    """Run a program with growing n by growth(); print what growth(), traces and a proxy say."""
    sizes, runs = [], []

    def fill(n):
        sizes.append(n)
        with redis.Redis(port=int(port)) as admin:
            admin.flushall()

    def page():
        before = proxy.settle()
        with trace() as t:
            globals()[name](proxy.port, sizes[-1])
        runs.append((t, proxy.settle() - before))

    with Proxy(("127.0.0.1", int(port))) as proxy:
        found = growth(page, fill)
    numbers = found.round_trips.numbers.values()
    told = {
        "redis-py": redis.__version__,
        "differences": [*filter(None, itertools.starmap(differences, runs))],
        # With more rows, a worker's last write is more often still on its way, and some programs
        # have a loop of their own that is worth a finding.
        "uncounted": [each for t, _ in runs[:3] for each in t.uncounted],
        "findings": [str(each) for t, _ in runs[:3] for each in t.findings],
        # growth() does not look at the first run; the others have each size once in each round.
        "traced": [t.round_trips for t, _ in runs[1:]],
        "grown": [made[at] for at in range(2) for made in numbers],
        "says": str(found),
        "is known": found.is_known,
        "slope": found.round_trips.slope and float(found.round_trips.slope),
        "of sites": [each.law.slope and float(each.law.slope) for each in found.sites],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
