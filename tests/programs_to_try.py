"""Programs that are run on a real Redis and on the one in the page's memory: what each costs.

python tests/programs_to_try.py     prints the outcomes in memory, as JSON
"""

import asyncio
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IN_MEMORY = __name__ == "__main__"
if IN_MEMORY:
    sys.path[:0] = map(str, (ROOT, ROOT / "roundtrips" / "src", ROOT / "book" / "try"))
    sys.modules["hiredis"] = None  # as in a browser
    from in_page import page  # noqa: F401

import redis  # noqa: E402
import redis.asyncio  # noqa: E402

from roundtrips import trace  # noqa: E402

KEYS = [f"user:{i}" for i in range(50)]


def fill(r):
    r.flushdb()
    r.mset({key: f"value {i}" for i, key in enumerate(KEYS)})
    r.hset("hash", mapping={f"f{i}": i for i in range(20)})
    r.rpush("list", *range(10))
    r.sadd("set", *range(10))
    r.zadd("zset", {f"m{i}": i * 1.5 for i in range(10)})
    r.xadd("stream", {"a": 1}, id="1-1")


def piped(r, *commands, **options):
    with r.pipeline(**options) as pipe:
        for name, *arguments in commands:
            getattr(pipe, name)(*arguments)
        return [str(each) for each in pipe.execute(raise_on_error=False)]


def watched(r, disturb=False):
    tries = []

    def add_one(pipe):
        tries.append(int(pipe.get("n") or 0))
        if disturb and len(tries) == 1:
            r.set("n", 7)
        pipe.multi()
        pipe.set("n", tries[-1] + 1)

    return r.transaction(add_one, "n"), tries


def listens(r):
    with r.pubsub() as channel:
        channel.subscribe("c")
        first = channel.get_message(timeout=1)
        r.publish("c", "hello")
        return first, channel.get_message(timeout=1)


def raises(call):
    try:
        return call()
    except redis.ResponseError as error:
        return str(error)


def script(r):
    get = r.register_script("return redis.call('get', KEYS[1])")
    return [get([key]) for key in KEYS[:3]]


def opens(r):
    pool = redis.ConnectionPool(**r.connection_pool.connection_kwargs)
    with redis.Redis.from_pool(pool) as other:
        return other.get("user:3")


async def one_by_one(a):
    return [await a.get(key) for key in KEYS[:20]]


async def at_once(a):
    return await asyncio.gather(*(a.get(key) for key in KEYS[:20]))


async def in_a_pipeline(a):
    pipe = a.pipeline(transaction=False)
    for key in KEYS[:20]:
        pipe.get(key)
    return await pipe.execute()


async def waits_for_another(a):
    async def later():
        await asyncio.sleep(0.1)
        await a.rpush("queue", "v")

    return (await asyncio.gather(a.blpop(["queue"], timeout=5), later()))[0]


GETS = [("get", key) for key in KEYS]
PROGRAMS = {
    "loop": lambda r: [r.get(key) for key in KEYS],
    "pipeline": lambda r: piped(r, *GETS, transaction=False),
    "mget": lambda r: r.mget(KEYS),
    "mget, some missing": lambda r: r.mget([*KEYS, "no", "none"]),
    "multi": lambda r: piped(r, ("incr", "n"), ("expire", "n", 60), ("get", "n")),
    "watch": watched,
    "watch, disturbed": lambda r: watched(r, disturb=True),
    "hgetall": lambda r: r.hgetall("hash"),
    "scan": lambda r: sorted(r.scan_iter("user:*")),
    "scan at once": lambda r: sorted(r.scan_iter("user:*", count=1000)),
    "hscan": lambda r: sorted(r.hscan_iter("hash")),
    "expiry": lambda r: [r.set("e", 1, ex=100), r.ttl("e"), r.persist("e"), r.ttl("none")],
    "eval": lambda r: r.eval("return redis.call('incrby', KEYS[1], ARGV[1])", 1, "n", 5),
    "a script thrice": script,
    "blpop": lambda r: r.blpop(["list"], timeout=1),
    "blpop in vain": lambda r: r.blpop(["none"], timeout=1),
    "pub/sub": listens,
    "sets": lambda r: [sorted(r.smembers("set")), r.sinter(["set", "none"]), r.scard("set")],
    "sorted sets": lambda r: [r.zrange("zset", 0, -1, withscores=True), r.zincrby("zset", 1, "m1")],
    "lists": lambda r: [r.lrange("list", 0, -1), r.lpush("list", "a"), r.lpop("list")],
    "streams": lambda r: [r.xadd("stream", {"b": 2}, id="2-1"), r.xrange("stream")],
    "an error": lambda r: raises(lambda: r.incr("hash")),
    "an error in a pipeline": lambda r: piped(
        r, ("set", "q", "x"), ("incr", "q"), ("get", "q"), transaction=False
    ),
    "types": lambda r: [r.type("hash"), r.type("none"), r.exists("hash", "list")],
    "moved": lambda r: [r.rename("user:1", "u"), r.getdel("u"), r.append("user:2", "!")],
    "a new connection": opens,
    "many keys": lambda r: [r.mset({f"m:{i}": i for i in range(50)}), r.delete("m:1", "m:2")],
    "asyncio, one by one": one_by_one,
    "asyncio, at once": at_once,
    "asyncio, a pipeline": in_a_pipeline,
    "asyncio, blpop and rpush": waits_for_another,
}


async def with_a_client(program, options):
    async with redis.asyncio.Redis(**options) as client:
        return await program(client)


def outcomes(options: dict) -> dict:
    """Run all programs on a server; return {program's name: {"trips", "commands", "sent", …}}.

    The inner dict has what the program cost, as `roundtrips` counts it, and "result", the repr of
    what it returned. `options` are those of redis.Redis.
    """
    found = {}
    with redis.Redis(**options) as r:
        for name, program in PROGRAMS.items():
            fill(r)
            with trace() as seen:
                if asyncio.iscoroutinefunction(program):
                    result = asyncio.run(with_a_client(program, options))
                else:
                    result = program(r)
            log = [trip for trip in seen.log if not trip.setup]
            found[name] = {
                "trips": seen.round_trips,
                "waits": seen.waits,
                "commands": dict(seen.commands),
                "sent": sum(trip.bytes_sent for trip in log),
                "received": sum(trip.bytes_received for trip in log),
                "opening": len(seen.log) - len(log),
                "findings": [each.kind for each in seen.findings],
                "uncounted": seen.uncounted,
                "result": repr(result),
            }
    return found


if IN_MEMORY:
    redis.Redis().config_set("requirepass", "secret")  # the lab's servers have one too
    known = {"password": "secret"}
    print(json.dumps([outcomes(known | {"protocol": each}) for each in (2, 3)]))
