"""The code to write instead: one command for many keys, or a pipeline, for the client at hand."""

from ..recorder import Place

SLICE = 1_000  # commands of a pipeline: a longer one holds others up
IF_KNOWN = "# if the keys don't depend on the replies:"
COUNTS_TWICE = (
    "# Sent again after a lost reply, as redis-py does, all of it is done twice.\n"
    "# Where that matters, give each write an id, and have a script note which are done."
)
SAYS_DONE = "# Sent again after a lost reply, the replies say that it was done already."
IS_GONE = "# A lost reply takes all of them along."
ARE_GONE = "# A lost reply takes them along; redis-py asks again, and twice as many are gone."

# What follows the key in a call of redis-py's; in all other commands it is `*args`.
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


def item_of(name: str) -> str | None:
    """Return what a loop over one key goes through, 'field' or so, or None."""
    words = ARGUMENTS.get(name, "message" if name == "PUBLISH" else "")
    known = ("field", "member", "offset", "item", "message")
    return next((word for word in known if word in words and f"{word}s" not in words), None)


def call_of(name: str, options: bool = False) -> str:
    """Return 'hget(key, field)', redis-py's call for one."""
    if name == "PUBLISH":
        return "publish(channel, message)"
    if "." in name:
        return f'execute_command("{name}", key, *args)'
    rest = ARGUMENTS.get(name, "*args") + (", **options" if options else "")
    return f"{METHODS.get(name, name.lower())}(key{', ' if rest else ''}{rest})"


def pipeline(call: str, client: Place, number: int, item: str = "key") -> str:
    """Return a loop that puts `call` into a pipeline for each item, in slices if there are many."""
    call = call if call.startswith("script(") else f"pipe.{call}"
    head, body = "pipe = r.pipeline(transaction=False)", f"    {call}"
    if number <= SLICE:
        end = f"replies = {client.wait}pipe.execute()  # one for each, in order"
        return "\n".join([head, f"for {item} in {item}s:", body, end])
    return "\n".join([
        "replies = []  # one for each, in order",
        f"for at in range(0, len({item}s), {SLICE:_}):",
        f"    {head}",
        f"    for {item} in {item}s[at:at + {SLICE:_}]:",
        f"    {body}",
        f"    replies += {client.wait}pipe.execute()",
    ])  # fmt: skip


def many_of(name: str, client: Place, number: int, note: str = "") -> str:
    """Return MGET or MSET; in slices it is a pipeline. A cluster's client asks node by node."""
    if number > SLICE:
        return pipeline(call_of(name), client, number)
    suffix = "_nonatomic" if client.cluster else ""
    if name == "GET":
        return f"values = {client.wait}r.mget{suffix}(keys){note}"
    return f"{client.wait}r.mset{suffix}(values)  # {{key: value}}"


# What libraries have for many keys, since they write keys and values their way.
_CACHE = {
    "GET": "values = cache.get_many(%skeys)",
    "SET": "cache.set_many(values, timeout)  # {key: value}",
    "DEL": "cache.delete_many(%skeys)",
}
_DJANGO, _CACHELIB = (
    {name: call.replace("%s", star) for name, call in _CACHE.items()} for star in ("", "*")
)
LIBRARIES = {
    "django": _DJANGO, "django_redis": _DJANGO, "cachelib": _CACHELIB, "flask_caching": _CACHELIB,
    "aiocache": {
        "GET": "values = await cache.multi_get(keys)",
        "SET": "await cache.multi_set(list(values.items()), ttl=seconds)",
    },
}  # fmt: skip
SAME = {"SETEX": "SET", "PSETEX": "SET", "UNLINK": "DEL"}
# What they send for one call of yours is theirs to send: queues, channels, locks, limits.
LEFT_ALONE = (
    "arq", "celery", "channels_redis", "dramatiq", "huey", "kombu", "limits", "redis_lock", "rq",
    "saq", "socketio", "taskiq_redis",
)  # fmt: skip
