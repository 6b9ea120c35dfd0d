"""Advice followed to the letter: the code of a finding is run, and does what the program did.

Each bad program is told what to write instead; that text is executed. Its replies and the data must
be those of the program, also with two clients at once, and where a reply is lost; or else the
advice says what changes.
"""

import pytest
import redis
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import trace

IDS = list(range(20))
KEYS = [f"user:{number}" for number in IDS]
FIELDS = [f"field{number}" for number in IDS]
MEMBERS = [f"m{number}" for number in IDS]
ENTRIES = [{"n": number} for number in IDS]
TEXT = "return redis.call('INCRBY', KEYS[1], ARGV[1])  -- one key of a hundred or so, added to here"


def fill(r):
    """Set the keys that the programs below read, in an empty database, and load a script."""
    r.flushdb()
    r.script_load(TEXT)
    pipe = r.pipeline(transaction=False)
    for number, key in enumerate(KEYS):
        pipe.set(f"text:{number}", f"value {number * number}")
        pipe.hset(key, mapping={"name": f"name {number * number}", "n": number})
        pipe.set(f"count:{number}", number * 7)
        pipe.rpush(f"list:{number}", number, "x", "y")
        pipe.hset("index", f"field{number}", number * number)
        pipe.setbit("bits", number * 3, 1)
        pipe.geoadd("places", (number, number, f"m{number}"))
        if number % 3:
            pipe.sadd("some", f"m{number}")
            pipe.zadd("board", {f"m{number}": number * 10})
            pipe.zadd(f"ranks:{number}", {"a": 1, "b": number})
            pipe.hset("partly", f"field{number}", 1)
    pipe.set("number", 5)
    pipe.hset("hash", "n", 5)
    pipe.rpush("jobs", *IDS)
    pipe.execute()


def data(r):
    """Return {key: (value, seconds that it lasts, to the nearest 100)} of the whole database."""
    read = {
        b"string": r.get, b"hash": r.hgetall, b"set": r.smembers,
        b"list": lambda key: r.lrange(key, 0, -1),
        b"zset": lambda key: r.zrange(key, 0, -1, withscores=True),
        b"stream": lambda key: [fields for _, fields in r.xrange(key)],
    }  # fmt: skip
    return {key: (read[r.type(key)](key), round(r.ttl(key), -2)) for key in sorted(r.keys())}


def each(call, items):
    return [call(item) for item in items]


def keys_of(kind):
    return [f"{kind}:{number}" for number in IDS]


# A program, the names that the advice uses, and which of them holds the replies


def of_many(call, kind, *arguments, replies="replies", **options):
    """Return (program, names, replies): `call` for each of many keys, as an entry of PROGRAMS.

    `program(r)` calls `call(r, key, *arguments, **options)` for each key of a `kind`, such as
    "text:7", and returns the list of replies. `names` are the variables that the advice's code
    uses, {name: value}. `replies` is the variable in which that code leaves the replies, None if it
    keeps none.
    """
    keys = keys_of(kind)
    names = {**NAMES, "keys": keys, "values": dict.fromkeys(keys, "new"), "options": options}

    def program(r):
        return each(lambda key: call(r, key, *arguments, **options), keys)

    return program, names, replies


def of_one(call, key, items, *arguments, replies="replies", **options):
    """Return (program, names, replies), as `of_many` does, for a call on many items of one key.

    The program calls `call(r, key, item, *arguments, **options)` for each item. The items are those
    that NAMES has under the name `items`, such as "fields".
    """
    names = {**NAMES, "key": key, "channel": key, "options": options}
    made = [(key, item, *arguments) for item in NAMES[items]]

    def program(r):
        return each(lambda given: call(r, *given, **options), made)

    return program, names, replies


def score(r, key, member, **options):
    return r.zadd(key, {member: 3}, **options)


NAMES = {
    "fields": FIELDS, "members": MEMBERS, "items": IDS, "messages": IDS, "offsets": IDS,
    "values": dict.fromkeys(FIELDS, 2), "scores": dict.fromkeys(MEMBERS, 3), "field": "n",
    "item": "z", "amount": 1, "args": [1], "seconds": 9_990, "start": 0, "end": 1, "low": 0,
    "high": 9,
}  # fmt: skip
PROGRAMS = {
    "GET": of_many(Redis.get, "text", replies="values"),
    "HGET of many": of_many(Redis.hget, "user", "n"),
    "HGETALL": of_many(Redis.hgetall, "user"),
    "EXISTS": of_many(Redis.exists, "user"),
    "TTL": of_many(Redis.ttl, "user"),
    "LRANGE": of_many(Redis.lrange, "list", 0, 1),
    "ZREVRANGE": of_many(Redis.zrevrange, "ranks", 0, 1),
    "ZRANGEBYSCORE": of_many(Redis.zrangebyscore, "ranks", 0, 9),
    "XLEN": of_many(Redis.xlen, "stream"),
    "XRANGE": of_many(Redis.xrange, "stream"),
    "SMISMEMBER": of_many(Redis.smismember, "set", MEMBERS),
    "GETEX": of_many(Redis.getex, "text", ex=9_990),
    "GETDEL": of_many(Redis.getdel, "text"),
    "SET": of_many(Redis.set, "text", "new", replies=None),
    "SET EX": of_many(Redis.set, "text", "new", ex=9_990),
    "SETNX": of_many(Redis.setnx, "lock", "new"),
    "SET NX": of_many(Redis.set, "lock", "new", nx=True),
    "SET GET": of_many(Redis.set, "text", "new", get=True),
    "DEL": of_many(Redis.delete, "ranks"),
    "EXPIRE": of_many(Redis.expire, "user", 9_990),
    "INCR": of_many(Redis.incr, "count"),
    "RPUSH": of_many(Redis.rpush, "list", "z"),
    "HGET of one": of_one(Redis.hget, "partly", "fields", replies="values"),
    "HEXISTS": of_one(Redis.hexists, "partly", "fields", replies="found"),
    "HSET": of_one(Redis.hset, "partly", "fields", 2, replies=None),
    "HSETNX": of_one(Redis.hsetnx, "partly", "fields", 2),
    "HINCRBY": of_one(Redis.hincrby, "index", "fields"),
    "ZSCORE": of_one(Redis.zscore, "board", "members", replies="scores"),
    "SMISMEMBER of one": of_one(
        lambda r, key, member: r.smismember(key, [member])[0], "some", "members", replies="found"
    ),
    "ZRANK": of_one(Redis.zrank, "board", "members"),
    "SISMEMBER": of_one(Redis.sismember, "some", "members", replies="found"),
    "GEOPOS": of_one(
        lambda r, key, member: r.geopos(key, member)[0], "places", "members", replies="places"
    ),
    "GETBIT": of_one(Redis.getbit, "bits", "offsets"),
    "SADD": of_one(Redis.sadd, "some", "members"),
    "SREM": of_one(Redis.srem, "some", "members"),
    "ZREM": of_one(Redis.zrem, "board", "members"),
    "HDEL": of_one(Redis.hdel, "partly", "fields"),
    "ZADD": of_one(score, "board", "members"),
    "ZADD NX": of_one(score, "board", "members", nx=True),
    "ZADD INCR": of_one(score, "board", "members", incr=True),
    "RPUSH of one": of_one(Redis.rpush, "jobs", "items"),
    "ZRANGE with scores": of_many(Redis.zrange, "ranks", 0, 1, withscores=True),
    "EXPIRE GT": of_many(Redis.expire, "text", 9_990, gt=True),
    "XADD": (lambda r: each(lambda entry: r.xadd("events", entry), ENTRIES),
             {"key": "events", "items": ENTRIES, "options": {}}, None),
    "PUBLISH": of_one(Redis.publish, "news", "messages"),
    "EVALSHA": of_many(lambda r, key: r.register_script(TEXT)([key], [1]), "count"),
    "SET, EXPIRE": of_many(
        lambda r, key: (r.set(key, "new"), r.expire(key, 9_990)), "text", replies=None
    ),
    "transactions": of_many(lambda r, key: r.pipeline().incr(key).execute()[0], "count"),
}  # fmt: skip


def advised(r, program):
    """Run `program(r)`; return (its only finding, its replies, its round trips, the data left).

    The database is filled before the program runs, and again after it. The data are those of
    `data`.
    """
    fill(r)
    with trace() as t:
        replies = program(r)
    [found] = t.findings
    left = data(r)
    fill(r)
    return found, replies, t.round_trips, left


def follow(text, r, names):
    """Run the code `text` of an advice; return {name: value} of all names that exist afterwards.

    The code sees the client `r`, a `script`, and the dict `names` as its variables.
    """
    space = {"r": r, "script": r.register_script(TEXT), **names}
    exec(compile(text, "<advice>", "exec"), space)
    return space


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_does_what_the_program_did(r, name):
    program, names, replies = PROGRAMS[name]
    found, expected, round_trips, left = advised(r, program)
    with trace() as t:
        space = follow(found.instead, r, names)
    assert data(r) == left
    if replies:
        assert plain(space[replies]) == plain(expected)
    assert t.findings == []
    assert found.saves == round_trips - t.round_trips


def plain(replies):
    return [int(each) if isinstance(each, bool) else each for each in replies]


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_a_lost_reply_changes(r, proxy, name):
    program, names, replies = PROGRAMS[name]
    found, expected, _, left = advised(r, program)
    retry = {"retry": Retry(NoBackoff(), 2), "retry_on_error": [redis.ConnectionError]}
    with Redis(**proxy.options, **retry) as client:
        client.ping()
        proxy.cut("asked")
        with trace() as t:
            space = follow(found.instead, client, names)
    assert t.lost == 1
    same_replies = not replies or plain(space[replies]) == plain(expected)
    # Nobody keeps what was published, and the script is asked for in a round trip before.
    if name not in ("PUBLISH", "EVALSHA"):
        assert (data(r) == left) != ("twice" in found.instead)
    if "twice" not in found.instead:
        assert same_replies != ("done already" in found.instead or "takes all" in found.instead)
