"""What a command is, as far as its round trip matters: its name, its key as a pattern, and what makes it dear or risky.

Values are never kept. A key is kept as a pattern ("user:{…}") and as a number that only says whether two are the same; of a
command that is not known here not even that, since its first argument might be a password.
"""

import re
from dataclasses import dataclass

HOLE = "{…}"
MOST_KEPT = 50  # commands of one turn that are looked at one by one; the others are counted
SEPARATORS = re.compile(r"([:./|\\ ]+)")
PLAIN_WORD = re.compile(r"[A-Za-z_\-]{1,24}\Z")
MAIL_ADDRESS = re.compile(r"[^\s:/|]+@[^\s:/|]+")
DEFAULT_SCAN = 10  # what a server takes for COUNT where none is given


def named(text):
    """The names in a text."""
    return frozenset(text.split())


_STRINGS = """
    APPEND BITCOUNT BITFIELD BITFIELD_RO BITPOS DECR DECRBY GET GETBIT GETDEL GETEX GETRANGE GETSET INCR INCRBY INCRBYFLOAT
    MGET MSET MSETNX PSETEX SET SETBIT SETEX SETNX SETRANGE STRLEN SUBSTR
"""
_GENERIC = """
    COPY DEL DUMP EXISTS EXPIRE EXPIREAT EXPIRETIME MOVE PERSIST PEXPIRE PEXPIREAT PEXPIRETIME PTTL RENAME RENAMENX RESTORE
    SORT SORT_RO TOUCH TTL TYPE UNLINK WATCH
"""
_HASHES = """
    HDEL HEXISTS HEXPIRE HEXPIREAT HEXPIRETIME HGET HGETALL HGETDEL HGETEX HINCRBY HINCRBYFLOAT HKEYS HLEN HMGET HMSET
    HPERSIST HPEXPIRE HPTTL HRANDFIELD HSCAN HSET HSETEX HSETNX HSTRLEN HTTL HVALS
"""
_LISTS = """
    BLMOVE BLPOP BRPOP BRPOPLPUSH LINDEX LINSERT LLEN LMOVE LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM RPOP RPOPLPUSH
    RPUSH RPUSHX
"""
_SETS = """
    SADD SCARD SDIFF SDIFFSTORE SINTER SINTERSTORE SISMEMBER SMEMBERS SMISMEMBER SMOVE SPOP SRANDMEMBER SREM SSCAN SUNION
    SUNIONSTORE BZPOPMAX BZPOPMIN ZADD ZCARD ZCOUNT ZINCRBY ZLEXCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANGE ZRANGEBYLEX
    ZRANGEBYSCORE ZRANGESTORE ZRANK ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE ZREVRANK
    ZSCAN ZSCORE
"""
_OTHERS = """
    GEOADD GEODIST GEOHASH GEOPOS GEOSEARCH PFADD PFCOUNT PFMERGE XACK XADD XAUTOCLAIM XCLAIM XDEL XLEN XPENDING XRANGE
    XREVRANGE XTRIM
"""
KEY_FIRST = named(" ".join((_STRINGS, _GENERIC, _HASHES, _LISTS, _SETS, _OTHERS)))
KEY_FIRST_MODULES = ("JSON.", "BF.", "CF.", "CMS.", "TOPK.", "TDIGEST.", "TS.")
SCRIPTED = frozenset({"EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO"})
CONTAINERS = frozenset({"ACL", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "FUNCTION", "LATENCY", "MEMORY", "MODULE", "OBJECT",
                        "PUBSUB", "SCRIPT", "SENTINEL", "SLOWLOG", "XGROUP", "XINFO"})  # whose second word belongs to the name
SCANS = {"SCAN": 2, "HSCAN": 3, "SSCAN": 3, "ZSCAN": 3}  # where the options begin
FIELDS = ("HGET", "HSET", "HEXISTS", "HINCRBY")  # whose second argument is a field
CONDITIONS, EXPIRIES = {b"NX", b"XX", b"GET"}, {b"EX", b"PX", b"EXAT", b"PXAT", b"KEEPTTL"}
BLOCKING_LAST = frozenset({"BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BZPOPMIN", "BZPOPMAX"})  # its last argument is its timeout


@dataclass(frozen=True)
class Command:
    """One command: its name, its key as a pattern and as a number (both None if it has none), and a detail.

    A SCAN that begins has a number for a key, though it has none: one that goes on has not.

    The detail is a SCAN's COUNT, a blocking command's timeout in seconds, a number that stands for a script's text or a hash's
    first field, of a SET 1 if it has a condition (NX, XX) and 2 more if it has an expiry, or None.
    """

    name: str
    pattern: str | None = None
    key: int | None = None
    detail: float | None = None


def read_commands(data):
    """The commands in what a client wrote, one after the other, each as a list of bytes; what is no RESP ends them."""
    at, size = 0, len(data)
    while at < size:
        try:
            parts, at = read_command(data, at)
        except ValueError:
            return
        if not parts:
            return
        yield parts


def read_command(data, at):
    """(the parts of the command that begins at `at`, where the next one begins)."""
    end = data.index(b"\r\n", at)
    number, at, parts = int(data[at + 1:end]), end + 2, []
    for _ in range(number):
        end = data.index(b"\r\n", at)
        length = int(data[at + 1:end])
        parts.append(data[end + 2:end + 2 + length])
        at = end + length + 4
    return parts, at


def name_of(parts):
    name = parts[0].decode(errors="replace").upper()
    return f"{name} {parts[1].decode(errors='replace').upper()}" if name in CONTAINERS and len(parts) > 1 else name


def command_of(parts):
    """The Command of a list of bytes."""
    name = name_of(parts)
    key = key_in(name, parts)
    if key is None:
        begins = name == "SCAN" and parts[1:2] == [b"0"]
        return Command(name, key=0 if begins else None, detail=detail_of(name, parts))
    return Command(name, pattern_of(key), hash(key), detail_of(name, parts))


def key_in(name, parts):
    if name in KEY_FIRST or name.startswith(KEY_FIRST_MODULES):
        return parts[1] if len(parts) > 1 else None
    if name in SCRIPTED:
        return parts[3] if len(parts) > 3 and parts[2] != b"0" else None
    return parts[2] if name in ("OBJECT ENCODING", "MEMORY USAGE") and len(parts) > 2 else None


def blocks(command):
    """Whether a Command waits at the server, until something comes or its timeout, the detail, is over."""
    return command.detail is not None and command.name in (*BLOCKING_LAST, "XREAD", "XREADGROUP")


def detail_of(name, parts):
    try:
        if name in SCANS:
            options = [part.upper() for part in parts[SCANS[name]:]]
            return float(options[options.index(b"COUNT") + 1]) if b"COUNT" in options else float(DEFAULT_SCAN)
        if name in BLOCKING_LAST:
            return float(parts[-1])
        if name in ("XREAD", "XREADGROUP"):
            options = [part.upper() for part in parts]
            return float(options[options.index(b"BLOCK") + 1]) / 1000 if b"BLOCK" in options else None
    except (ValueError, IndexError):
        return None
    if name in ("EVAL", "EVAL_RO", *FIELDS) and len(parts) > 2:
        return float(hash(parts[1 if name.startswith("EVAL") else 2]) % 2**48)
    if name == "SET":
        options = {part.upper() for part in parts[3:]}
        return float(bool(options & CONDITIONS) + 2 * bool(options & EXPIRIES))
    return None


def pattern_of(key):
    """'user:{…}:name' of b'user:17:name': what varies, and what might be somebody's name, is a hole."""
    parts = SEPARATORS.split(MAIL_ADDRESS.sub(HOLE, key.decode(errors="replace")))
    if len(parts) == 1:
        return parts[0] if PLAIN_WORD.match(parts[0]) else HOLE
    return "".join(part if place % 2 or PLAIN_WORD.match(part) else HOLE for place, part in enumerate(parts))
