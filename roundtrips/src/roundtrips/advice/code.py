"""Write the code to use in place of a loop: one command for many keys, or a pipeline."""

import redis

from ..commands import KEY_FIRST
from ..recorder import Place

SLICE = 1_000  # commands of a pipeline: during a longer one other clients wait
IF_KNOWN = "# if neither keys nor values depend on the replies:"
IF_LONG = f"# more than {SLICE:,}: a pipeline for each {SLICE:,}, or other clients wait"
AFTER_WORK = (
    "# Other work is done between the calls. Where each one notes what is done, or tells others,\n"
    "# leave it where it is: together at the end, a crash loses all, and others see them late."
)
IF_LARGE = "# Values are large: take so many at a time that a few MB are on the way, not all."
COUNTS_TWICE = (
    "# Sent again after a lost reply, as redis-py does, all of it is done twice.\n"
    "# Where that matters, give each write an id, and have a script note which are done."
)
SAYS_DONE = "# Sent again after a lost reply, the replies say that it was done already."
IS_GONE = "# A lost reply takes all of them along."

# The arguments after the key in redis-py's calls; `*args` for all other commands.
ARGUMENTS = {
    name: arguments
    for arguments, names in {
        "": """GET HGETALL EXISTS TTL PTTL TYPE STRLEN LLEN SCARD ZCARD HLEN XLEN SMEMBERS HKEYS
               HVALS DEL UNLINK PERSIST DUMP TOUCH GETDEL XRANGE XREVRANGE BITCOUNT""",
        "start, end": "LRANGE LTRIM GETRANGE",
        "start, end, **options": "ZRANGE ZREVRANGE",
        "low, high": "ZCOUNT",
        "low, high, **options": "ZRANGEBYSCORE",
        "amount": "INCR INCRBY DECR DECRBY INCRBYFLOAT",
        "seconds, **options": "EXPIRE",
        "seconds, values[key]": "SETEX",
        "values[key]": "SET SETNX APPEND",
        "field": "HGET HEXISTS HSTRLEN HDEL",
        "field, amount": "HINCRBY HINCRBYFLOAT",
        "field, values[field]": "HSET HSETNX",
        "member": "SADD SREM SISMEMBER ZSCORE ZRANK ZREVRANK ZREM GEOPOS",
        "amount, member": "ZINCRBY",
        "{member: scores[member]}": "ZADD",
        "item": "LPUSH RPUSH PFADD",
        "item, **options": "XADD",
        "fields": "HMGET",
        "members": "SMISMEMBER",
        "offset": "GETBIT",
        "ex=seconds": "GETEX",
    }.items()
    for name in names.split()
}
PUBLISHES = ("PUBLISH", "SPUBLISH")
METHODS = {"INCRBY": "incr", "DECRBY": "decr", "DEL": "delete"}
# Of one key, the command that takes several of its fields or members.
SEVERAL = {
    "HMGET": ("HMGET gets several fields", "values = {}r.hmget(key, fields)"),
    "SMISMEMBER": ("SMISMEMBER asks for several members", "found = {}r.smismember(key, members)"),
    "ZMSCORE": ("ZMSCORE gets several scores", "scores = {}r.zmscore(key, members)"),
    "HGET": ("HMGET gets several fields", "values = {}r.hmget(key, fields)"),
    "HEXISTS": ("HMGET says of several fields whether they are there",
                "found = [value is not None for value in {}r.hmget(key, fields)]"),
    "ZSCORE": ("ZMSCORE gets several scores", "scores = {}r.zmscore(key, members)"),
    "SISMEMBER": ("SMISMEMBER asks for several members",
                  "found = {}r.smismember(key, members)  # 1 or 0 for each"),
    "GEOPOS": ("GEOPOS takes several members", "places = {}r.geopos(key, *members)"),
    "HSET": ("HSET sets several fields",
             "{}r.hset(key, mapping=values)  # replies how many of them were new"),
}  # fmt: skip
# Loops are reported that call redis-py directly (None), or through Django's cache.
ASKED = (None, "django", "django_redis")


def loop_word_of(name: str) -> str | None:
    """Return what differs between the calls of a loop that sends one command for the same key.

    `name` is the command's name in upper case. The result is "field", "member", "offset", "item" or
    "message", a name for the argument that differs; None if the command has no such argument.
    """
    words = ARGUMENTS.get(name, "message" if name in PUBLISHES else "")
    known = ("field", "member", "offset", "item", "message")
    return next((word for word in known if word in words and f"{word}s" not in words), None)


def call_of(name: str, options: bool = False) -> str:
    """Return redis-py's call of a command as text, such as 'hget(key, field)' for "HGET".

    With `options` the call ends in `**options`, as a SET or ZADD with options needs.
    """
    if name in PUBLISHES:
        return f"{name.lower()}(channel, message)"
    if name not in KEY_FIRST and "." not in name:
        return f'execute_command("{name}", *args)  # the key is one of them'
    if not hasattr(redis.Redis, METHODS.get(name, name.lower())):
        return f'execute_command("{name}", key, *args)'
    rest = ARGUMENTS.get(name, "*args") + (", **options" if options else "")
    return f"{METHODS.get(name, name.lower())}(key{', ' if rest else ''}{rest})"


def pipeline(call: str, client: Place, number: int, item: str = "key") -> str:
    """Return code, as text: a loop that adds `call` to a pipeline for each `item`, then execute().

    `call` is the text of a call, as `call_of` returns it. `number` is how many calls the pipeline
    sends; above 1,000 a comment says to send slices. `client` is the Place of the client: with
    asyncio the code has `await`.
    """
    lines = [
        "pipe = r.pipeline(transaction=False)",
        f"for {item} in {item}s:",
        f"    {call}" if call.startswith("script(") else f"    pipe.{call}",
        f"replies = {client.wait}pipe.execute()  # one for each, in order",
    ]
    if number > SLICE:
        lines.insert(0, IF_LONG)
    return "\n".join(lines)


def many_of(name: str, client: Place, number: int) -> str:
    """Return code for many GETs or SETs: MGET or MSET, or a pipeline for more than 1,000 keys.

    `name` is "GET" or "SET", `number` is how many keys there are. `client` is the Place of the
    client: with asyncio the code has `await`, and for a cluster it has mget_nonatomic or
    mset_nonatomic, which ask node by node.
    """
    if number > SLICE:
        return pipeline(call_of(name), client, number)
    suffix = "_nonatomic" if client.cluster else ""
    if name == "GET":
        return f"values = {client.wait}r.mget{suffix}(keys)"
    return f"{client.wait}r.mset{suffix}(values)  # {{key: value}}"
