"""Advice followed to the letter: the code of a finding is run, and does what the program did.

Each bad program is told what to write instead; that text is executed. Its replies and the data must
be those of the program, also with two clients at once, and where a reply is lost; or else the
advice says what changes.
"""

import threading

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from roundtrips import trace

IDS = list(range(20))
KEYS = [f"user:{number}" for number in IDS]
FIELDS = [f"field{number}" for number in IDS]
MEMBERS = [f"m{number}" for number in IDS]
TEXT = "return redis.call('INCRBY', KEYS[1], ARGV[1])  -- one key of a hundred or so, added to here"


def fill(r):
    """What all programs find."""
    r.flushdb()
    pipe = r.pipeline(transaction=False)
    for number, key in enumerate(KEYS):
        pipe.set(f"text:{number}", f"value {number * number}")
        pipe.hset(key, mapping={"name": f"name {number * number}", "n": number})
        pipe.set(f"count:{number}", number * 7)
        pipe.rpush(f"list:{number}", number, "x", "y")
        pipe.zadd(f"ranks:{number}", {"a": 1, "b": number})
        pipe.hset("index", f"field{number}", number * number)
        pipe.setbit("bits", number * 3, 1)
        pipe.geoadd("places", (number, number, f"m{number}"))
        if number % 3:
            pipe.sadd("some", f"m{number}")
            pipe.zadd("board", {f"m{number}": number * 10})
            pipe.hset("partly", f"field{number}", 1)
    pipe.set("number", 5)
    pipe.hset("hash", "n", 5)
    pipe.rpush("jobs", *IDS)
    pipe.execute()


def data(r):
    """All that the database holds."""
    read = {
        b"string": r.get, b"hash": r.hgetall, b"set": r.smembers,
        b"list": lambda key: r.lrange(key, 0, -1),
        b"zset": lambda key: r.zrange(key, 0, -1, withscores=True),
        b"stream": lambda key: [fields for _, fields in r.xrange(key)],
    }  # fmt: skip
    return {key: (read[r.type(key)](key), r.ttl(key)) for key in sorted(r.keys())}


def texts(kind):
    return [f"{kind}:{number}" for number in IDS]


def each(call, items):
    return [call(item) for item in items]


# (name, program, the names that the advice uses, which of them holds the replies)
PROGRAMS = {
    "GET": (lambda r: each(r.get, texts("text")), {"keys": texts("text")}, "values"),
    "HGET of many": (lambda r: each(lambda key: r.hget(key, "name"), KEYS),
                     {"keys": KEYS, "field": "name"}, "replies"),
    "HGETALL": (lambda r: each(r.hgetall, KEYS), {"keys": KEYS}, "replies"),
    "EXISTS": (lambda r: each(r.exists, KEYS), {"keys": KEYS}, "replies"),
    "TTL": (lambda r: each(r.ttl, KEYS), {"keys": KEYS}, "replies"),
    "LRANGE": (lambda r: each(lambda key: r.lrange(key, 0, 1), texts("list")),
               {"keys": texts("list"), "start": 0, "end": 1}, "replies"),
    "ZREVRANGE": (lambda r: each(lambda key: r.zrevrange(key, 0, 1), texts("ranks")),
                  {"keys": texts("ranks"), "start": 0, "end": 1}, "replies"),
    "ZRANGEBYSCORE": (lambda r: each(lambda key: r.zrangebyscore(key, 0, 9), texts("ranks")),
                      {"keys": texts("ranks"), "low": 0, "high": 9}, "replies"),
    "XLEN": (lambda r: each(r.xlen, texts("stream")), {"keys": texts("stream")}, "replies"),
    "XRANGE": (lambda r: each(r.xrange, texts("stream")), {"keys": texts("stream")}, "replies"),
    "SMISMEMBER": (lambda r: each(lambda key: r.smismember(key, ["a", "b"]), texts("set")),
                   {"keys": texts("set"), "members": ["a", "b"]}, "replies"),
    "GETEX": (lambda r: each(lambda key: r.getex(key, ex=60), texts("text")),
              {"keys": texts("text"), "seconds": 60}, "replies"),
    "GETDEL": (lambda r: each(r.getdel, texts("text")), {"keys": texts("text")}, "replies"),
    "SET": (lambda r: each(lambda key: r.set(key, "new"), texts("text")),
            {"values": dict.fromkeys(texts("text"), "new")}, None),
    "SET EX": (lambda r: each(lambda key: r.set(key, "new", ex=60), texts("text")),
               {"keys": texts("text"), "values": dict.fromkeys(texts("text"), "new"),
                "options": {"ex": 60}}, "replies"),
    "SETNX": (lambda r: each(lambda key: r.setnx(key, "new"), texts("lock")),
              {"keys": texts("lock"), "values": dict.fromkeys(texts("lock"), "new")}, "replies"),
    "SET NX": (lambda r: each(lambda key: r.set(key, "new", nx=True), texts("lock")),
               {"keys": texts("lock"), "values": dict.fromkeys(texts("lock"), "new"),
                "options": {"nx": True}}, "replies"),
    "SET GET": (lambda r: each(lambda key: r.set(key, "new", get=True), texts("text")),
                {"keys": texts("text"), "values": dict.fromkeys(texts("text"), "new"),
                 "options": {"get": True}}, "replies"),
    "DEL": (lambda r: each(r.delete, [*KEYS, "user:none"]),
            {"keys": [*KEYS, "user:none"]}, "replies"),
    "EXPIRE": (lambda r: each(lambda key: r.expire(key, 60), KEYS),
               {"keys": KEYS, "seconds": 60}, "replies"),
    "INCR": (lambda r: each(r.incr, texts("count")),
             {"keys": texts("count"), "amount": 1}, "replies"),
    "RPUSH": (lambda r: each(lambda key: r.rpush(key, "z"), texts("list")),
              {"keys": texts("list"), "item": "z"}, "replies"),
    "HGET of one": (lambda r: each(lambda field: r.hget("partly", field), FIELDS),
                    {"key": "partly", "fields": FIELDS}, "values"),
    "HEXISTS": (lambda r: each(lambda field: r.hexists("partly", field), FIELDS),
                {"key": "partly", "fields": FIELDS}, "found"),
    "HSET": (lambda r: each(lambda field: r.hset("partly", field, 2), FIELDS),
             {"key": "partly", "values": dict.fromkeys(FIELDS, 2)}, None),
    "HSETNX": (lambda r: each(lambda field: r.hsetnx("partly", field, 2), FIELDS),
               {"key": "partly", "fields": FIELDS, "values": dict.fromkeys(FIELDS, 2)}, "replies"),
    "HINCRBY": (lambda r: each(lambda field: r.hincrby("index", field, 2), FIELDS),
                {"key": "index", "fields": FIELDS, "amount": 2}, "replies"),
    "ZSCORE": (lambda r: each(lambda member: r.zscore("board", member), MEMBERS),
               {"key": "board", "members": MEMBERS}, "scores"),
    "SMISMEMBER of one": (lambda r: [r.smismember("some", [each])[0] for each in MEMBERS],
                          {"key": "some", "members": MEMBERS}, "found"),
    "ZRANK": (lambda r: each(lambda member: r.zrank("board", member), MEMBERS),
              {"key": "board", "members": MEMBERS}, "replies"),
    "SISMEMBER": (lambda r: each(lambda member: r.sismember("some", member), MEMBERS),
                  {"key": "some", "members": MEMBERS}, "found"),
    "GEOPOS": (lambda r: [r.geopos("places", member)[0] for member in MEMBERS],
               {"key": "places", "members": MEMBERS}, "places"),
    "GETBIT": (lambda r: each(lambda at: r.getbit("bits", at), IDS),
               {"key": "bits", "offsets": IDS}, "replies"),
    "SADD": (lambda r: each(lambda member: r.sadd("some", member), MEMBERS),
             {"key": "some", "members": MEMBERS}, "replies"),
    "SREM": (lambda r: each(lambda member: r.srem("some", member), MEMBERS),
             {"key": "some", "members": MEMBERS}, "replies"),
    "ZREM": (lambda r: each(lambda member: r.zrem("board", member), MEMBERS),
             {"key": "board", "members": MEMBERS}, "replies"),
    "HDEL": (lambda r: each(lambda field: r.hdel("partly", field), FIELDS),
             {"key": "partly", "fields": FIELDS}, "replies"),
    "ZADD": (lambda r: each(lambda member: r.zadd("board", {member: 3}), MEMBERS),
             {"key": "board", "members": MEMBERS, "scores": dict.fromkeys(MEMBERS, 3)}, "replies"),
    "ZADD NX": (lambda r: each(lambda member: r.zadd("board", {member: 3}, nx=True), MEMBERS),
                {"key": "board", "members": MEMBERS, "scores": dict.fromkeys(MEMBERS, 3),
                 "options": {"nx": True}}, "replies"),
    "ZADD INCR": (lambda r: each(lambda member: r.zadd("board", {member: 3}, incr=True), MEMBERS),
                  {"key": "board", "members": MEMBERS, "scores": dict.fromkeys(MEMBERS, 3),
                   "options": {"incr": True}}, "replies"),
    "RPUSH of one": (lambda r: each(lambda item: r.rpush("jobs", item), IDS),
                     {"key": "jobs", "items": IDS}, "replies"),
    "XADD": (lambda r: each(lambda number: r.xadd("events", {"n": number}), IDS),
             {"key": "events", "items": [{"n": number} for number in IDS]}, None),
    "PUBLISH": (lambda r: each(lambda number: r.publish("news", number), IDS),
                {"channel": "news", "messages": IDS}, "replies"),
    "EVALSHA": (lambda r: each(lambda key: r.register_script(TEXT)([key], [1]), texts("count")),
                {"keys": texts("count"), "args": [1]}, "replies"),
    "SET, EXPIRE": (lambda r: [(r.set(key, "new"), r.expire(key, 60)) for key in texts("text")],
                    {"keys": texts("text"), "values": dict.fromkeys(texts("text"), "new"),
                     "seconds": 60}, None),
    "EXISTS, GET": (lambda r: [r.get(key) if r.exists(key) else None for key in texts("text")],
                    {"keys": texts("text")}, "values"),
    "GET, SET": (lambda r: each(lambda key: r.set(key, int(r.get(key)) + 1), texts("count")),
                 {"keys": texts("count"), "amount": 1}, None),
    "HGET, HSET": (lambda r: each(lambda key: r.hset(key, "n", int(r.hget(key, "n")) + 1), KEYS),
                   {"keys": KEYS, "field": "n", "amount": 1}, None),
    "GET, SET of one": (lambda r: r.set("number", int(r.get("number")) + 1),
                        {"key": "number", "amount": 1}, None),
    "transactions": (lambda r: [r.pipeline().incr(key).execute()[0] for key in texts("count")],
                     {"keys": texts("count"), "amount": 1}, "replies"),
    "LPOP": (lambda r: list(iter(lambda: r.lpop("jobs"), None)), {"key": "jobs"}, "printed"),
}  # fmt: skip


def advised(r, program):
    fill(r)
    with trace() as t:
        program(r)
    return t.findings


def follow(text, r, names):
    """Run the advice, and return what it leaves behind."""
    printed = []
    space = {"r": r, "script": r.register_script(TEXT), "printed": printed, **names}
    space["print"] = lambda *said: printed.extend(said)
    exec(compile(text, "<advice>", "exec"), space)
    return space


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_does_what_the_program_did(r, name):
    program, names, replies = PROGRAMS[name]
    [found] = advised(r, program)
    fill(r)
    expected, left = program(r), data(r)
    fill(r)
    with trace() as t:
        space = follow(found.instead, r, names)
    assert data(r) == left
    if replies:
        assert plain(space[replies]) == plain(expected)
    assert not [each for each in t.findings if each.sure]
    assert found.saves == saved(r, program) - t.round_trips


def plain(replies):
    return [int(each) if isinstance(each, bool) else each for each in replies]


def saved(r, program):
    fill(r)
    with trace() as t:
        program(r)
    return t.round_trips


@pytest.mark.parametrize("name", PROGRAMS)
def test_two_clients_at_once_leave_what_two_in_turn_leave(r, server, name):
    program, names, _ = PROGRAMS[name]
    [found] = advised(r, program)
    fill(r)
    program(r)
    if name != "LPOP":
        program(r)
    left = data(r)
    fill(r)
    with redis.Redis(**server) as other:
        threads = [
            threading.Thread(target=follow, args=(found.instead, client, names))
            for client in (r, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert unordered(data(r)) == unordered(left)


def unordered(kept):
    """Lists and streams without the order of their items: among two clients it is nobody's."""
    return {key: (sorted(map(str, value)) if isinstance(value, list) else value, ttl)
            for key, (value, ttl) in kept.items()}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_says_what_a_lost_reply_changes(r, proxy, name):
    program, names, replies = PROGRAMS[name]
    [found] = advised(r, program)
    fill(r)
    expected, left = program(r), data(r)
    fill(r)
    with redis.Redis(
        **proxy.options, retry=Retry(NoBackoff(), 2), retry_on_error=[redis.ConnectionError]
    ) as client:
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
