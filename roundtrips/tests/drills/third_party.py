"""Programs that use Redis through other people's libraries; each is told a port.

`python third_party.py NAME PORT SENTINELS_PORT`, where requirements.txt is installed, traces one of
them from its first line to its last, and prints what was counted.
"""

import asyncio
import json
import sys
import threading

import redis
import redis.asyncio

from roundtrips import trace

WAYS = "bytes_sent", "bytes_received"


def rq(port, _):
    from rq import Queue, SimpleWorker

    connection = redis.Redis(port=port)
    queue = Queue(connection=connection)
    jobs = [queue.enqueue("builtins.len", "four") for _ in range(3)]
    SimpleWorker([queue], connection=connection).work(burst=True, logging_level="ERROR")
    assert [job.return_value() for job in jobs] == [4, 4, 4]


def django_redis(port, _):
    import django
    from django.conf import settings

    backend = "django_redis.cache.RedisCache"
    url = f"redis://127.0.0.1:{port}/1"
    settings.configure(CACHES={"default": {"BACKEND": backend, "LOCATION": url}})
    django.setup()
    from django.core.cache import cache

    cache.set("page:1", {"text": "x" * 100}, 60)
    cache.set_many({f"page:{number}": number for number in range(2, 12)})
    assert len(cache.get_many([f"page:{number}" for number in range(2, 12)])) == 10
    cache.set("hits", 1)
    assert cache.incr("hits") == 2
    assert cache.get_or_set("other", lambda: 7) == 7
    with cache.lock("only"):
        cache.get("page:1")
    cache.delete_pattern("page:*")


def limits(port, _):
    from limits import RateLimitItemPerMinute
    from limits.storage import RedisStorage
    from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter

    storage, five = RedisStorage(f"redis://127.0.0.1:{port}"), RateLimitItemPerMinute(5)
    for limiter in (FixedWindowRateLimiter(storage), MovingWindowRateLimiter(storage)):
        who = type(limiter).__name__
        assert [limiter.hit(five, who) for _ in range(7)].count(True) == 5
        limiter.get_window_stats(five, who)


def celery_results(port, _):
    from celery import Celery, states

    app = Celery(broker="memory://", backend=f"redis://127.0.0.1:{port}/3")
    for number in range(3):
        waiting = app.AsyncResult(f"task-{number}")
        stored = waiting.id, number, states.SUCCESS
        thread = threading.Timer(0.1, app.backend.store_result, stored)
        thread.start()
        assert waiting.get(timeout=10) == number
        thread.join()
        waiting.forget()


def celery_worker(port, _):
    from celery import Celery
    from celery.contrib.testing.worker import start_worker

    url = f"redis://127.0.0.1:{port}/4"
    app = Celery(broker=url, backend=url)
    app.conf.worker_hijack_root_logger = False

    @app.task(name="double")
    def double(number):
        return 2 * number

    with start_worker(app, perform_ping_check=False, pool="solo", loglevel="ERROR"):
        assert [double.delay(number).get(timeout=20) for number in range(3)] == [0, 2, 4]


def dramatiq(port, _):
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
    for number in range(5):
        note.send(number)
    broker.join(note.queue_name)
    worker.join()
    worker.stop()
    broker.close()
    assert sorted(seen) == list(range(5))


def flask_caching(port, _):
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
        assert [app.test_client().get("/").text for _ in range(3)] == ["page"] * 3
        assert [double(2), double(2)] == [4, 4]
        cache.delete_memoized(double)


def aiocache(port, _):
    from aiocache import Cache
    from aiocache.lock import RedLock

    async def main():
        async with Cache(Cache.REDIS, endpoint="127.0.0.1", port=port, namespace="main") as cache:
            await cache.set("a", 1, ttl=60)
            await cache.multi_set([("b", 1), ("c", 2)])
            assert len(await cache.multi_get(["a", "b", "c"])) == 3
            await asyncio.gather(*(cache.get("a") for _ in range(8)))
            async with RedLock(cache, "a", 60):
                await cache.increment("n")

    asyncio.run(main())


def python_redis_lock(port, _):
    import redis_lock

    client = redis.Redis(port=port, db=9)
    seen = []

    def work():
        with redis_lock.Lock(client, "only", expire=60, auto_renewal=True):
            seen.append(client.incr("n"))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1, 2, 3, 4]


def saq(port, _):
    from saq import Queue, Status

    async def main():
        queue = Queue.from_url(f"redis://127.0.0.1:{port}/12")
        await queue.connect()
        for number in range(3):
            await queue.enqueue("double", number=number)
        for _ in range(3):
            job = await queue.dequeue(timeout=5)
            await job.finish(Status.COMPLETE, result=1)
        await queue.disconnect()

    asyncio.run(main())


def channels_redis(port, _):
    from channels_redis.core import RedisChannelLayer

    async def main():
        layer = RedisChannelLayer(hosts=[f"redis://127.0.0.1:{port}/13"])
        names = [await layer.new_channel() for _ in range(3)]
        for name in names:
            await layer.group_add("room", name)
        await layer.group_send("room", {"type": "news", "text": "x"})
        assert [(await layer.receive(name))["text"] for name in names] == ["x"] * 3
        await layer.close_pools()

    asyncio.run(main())


def sentinel(port, sentinels_port):
    from redis.sentinel import Sentinel

    sentinels = Sentinel([("127.0.0.1", sentinels_port)])
    primary = sentinels.master_for("main")
    for number in range(4):
        primary.set(f"user:{number}", number)
    assert sentinels.discover_master("main")[1] == port
    replica = sentinels.slave_for("main")  # there is none, so it goes to the primary
    assert replica.get("user:1") == b"1"

    async def main():
        from redis.asyncio.sentinel import Sentinel

        sentinels = Sentinel([("127.0.0.1", sentinels_port)])
        primary = sentinels.master_for("main")
        gets = [primary.get(f"user:{number}") for number in range(4)]
        assert await asyncio.gather(*gets) == [b"0", b"1", b"2", b"3"]
        await primary.aclose()

    asyncio.run(main())


def told(t):
    log = [(each.names, 1) for each in t.log] + [(each.names, each.round_trips) for each in t.folds]
    return {
        "log": log,
        "bytes": [sum(getattr(each, way) for each in (*t.log, *t.folds)) for way in WAYS],
        "connections": t.connections,
        "lost": t.lost,
        "uncounted": t.uncounted,
        "findings": {found.kind: str(found) for found in t.findings if found.sure},
        "redis-py": redis.__version__,
    }


def main(name, port, sentinels_port):
    with trace() as t:
        globals()[name](int(port), int(sentinels_port))
    print(json.dumps(told(t)))


if __name__ == "__main__":
    main(*sys.argv[1:])
