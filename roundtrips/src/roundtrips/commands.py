"""What a command is, as far as its round trip matters: its name, its key, what makes it risky.

Values are never kept. Of a command that is not known here not even its key is, since its first
argument might be a password.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

MOST_KEPT = 8  # commands of one round trip that are looked at one by one; the others are counted
DEFAULT_SCAN = 10  # what a server takes for COUNT where none is given


def named(text: str) -> frozenset[str]:
    """Return the names in a text."""
    return frozenset(text.split())


# Of strings, of any key, of hashes, lists, sets, and the others.
KEY_FIRST = named("""
    APPEND BITCOUNT BITFIELD BITFIELD_RO BITPOS DECR DECRBY GET GETBIT GETDEL GETEX GETRANGE
    GETSET INCR INCRBY INCRBYFLOAT MGET MSET MSETNX PSETEX SET SETBIT SETEX SETNX SETRANGE
    STRLEN SUBSTR
    COPY DEL DUMP EXISTS EXPIRE EXPIREAT EXPIRETIME MOVE PERSIST PEXPIRE PEXPIREAT PEXPIRETIME
    PTTL RENAME RENAMENX RESTORE SORT SORT_RO TOUCH TTL TYPE UNLINK WATCH
    HDEL HEXISTS HEXPIRE HEXPIREAT HEXPIRETIME HGET HGETALL HGETDEL HGETEX HINCRBY HINCRBYFLOAT
    HKEYS HLEN HMGET HMSET HPERSIST HPEXPIRE HPTTL HRANDFIELD HSCAN HSET HSETEX HSETNX HSTRLEN
    HTTL HVALS
    BLMOVE BLPOP BRPOP BRPOPLPUSH LINDEX LINSERT LLEN LMOVE LPOP LPOS LPUSH LPUSHX LRANGE LREM
    LSET LTRIM RPOP RPOPLPUSH RPUSH RPUSHX
    SADD SCARD SDIFF SDIFFSTORE SINTER SINTERSTORE SISMEMBER SMEMBERS SMISMEMBER SMOVE SPOP
    SRANDMEMBER SREM SSCAN SUNION SUNIONSTORE BZPOPMAX BZPOPMIN ZADD ZCARD ZCOUNT ZINCRBY
    ZLEXCOUNT ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE ZRANGESTORE
    ZRANK ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE
    ZREVRANK ZSCAN ZSCORE
    GEOADD GEODIST GEOHASH GEOPOS GEOSEARCH PFADD PFCOUNT PFMERGE XACK XADD XAUTOCLAIM XCLAIM
    XDEL XLEN XPENDING XRANGE XREVRANGE XTRIM
""")
KEY_FIRST_MODULES = ("JSON.", "BF.", "CF.", "CMS.", "TOPK.", "TDIGEST.", "TS.")
SCRIPTED = frozenset({"EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO", "FCALL", "FCALL_RO"})
CONTAINERS = named("""
    ACL CLIENT CLUSTER COMMAND CONFIG FUNCTION LATENCY MEMORY MODULE OBJECT PUBSUB SCRIPT SENTINEL
    SLOWLOG XGROUP XINFO
""")  # whose second word belongs to the name
SCANS = {"SCAN": 2, "HSCAN": 3, "SSCAN": 3, "ZSCAN": 3}  # where the options begin
# Commands whose second argument is a field, a member, or a place in it.
FIELDS = named("""
    HGET HMGET HSET HSETNX HEXISTS HSTRLEN HINCRBY HINCRBYFLOAT SISMEMBER SMISMEMBER ZSCORE ZMSCORE
    ZRANK ZREVRANK GEOPOS GETBIT LINDEX
""")
# Commands that take several keys, members or fields: how many parts it has with one.
OF_SEVERAL = {
    **dict.fromkeys(("DEL", "EXISTS", "TOUCH", "UNLINK"), 2),
    **dict.fromkeys(("SADD", "SREM", "ZREM", "HDEL", "LPUSH", "RPUSH", "PFADD"), 3),
    **dict.fromkeys(("HSET", "ZADD"), 4),
}
SEVERAL = -1.0  # the detail of one with more than that
LAST_NUMBER = re.compile(rb"\d{1,12}(?=\D*\Z)")
TEXTS_AND_FIELDS = frozenset({*FIELDS, "EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "FCALL"})
# Options that change what a command does or replies, as a sum of 1 (a condition: the reply decides
# what comes next), 2 (an expiry), 4 (another reply, another effect).
CONDITION, EXPIRY, ANOTHER = 1, 2, 4
_EXPIRIES = frozenset({b"EX", b"PX", b"EXAT", b"PXAT", b"KEEPTTL"})
OPTIONS = {
    "SET": {CONDITION: frozenset({b"NX", b"XX", b"GET", b"IFEQ", b"IFNE"}), EXPIRY: _EXPIRIES},
    "ZADD": {
        CONDITION: frozenset({b"NX", b"XX", b"GT", b"LT"}),
        ANOTHER: frozenset({b"INCR", b"CH"}),
    },
}
BLOCKING_LAST = frozenset({"BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BZPOPMIN", "BZPOPMAX"})
BLOCKING = BLOCKING_LAST | {"XREAD", "XREADGROUP"}
NAMES = {name.encode(): name for name in KEY_FIRST}  # as redis-py writes nearly all of them
DETAILED = frozenset({*SCANS, *BLOCKING, *TEXTS_AND_FIELDS, *OPTIONS, *OF_SEVERAL})
PLAIN = {name: name for name in KEY_FIRST - DETAILED}  # of which the key is all there is to see


class Seen(NamedTuple):
    """One command as it was written: its name, its key as it is (None if it has none), a detail.

    A SCAN that begins has b"" for a key, though it has none; one that goes on has not. The detail
    is a SCAN's COUNT, a blocking command's timeout in seconds, a number that stands for a script's
    text or for a field, of a SET or ZADD the sum of its options (see OPTIONS), SEVERAL of a command
    that has several keys, members or fields, or None.
    """

    name: str
    key: bytes | None = None
    detail: float | None = None


@dataclass(frozen=True)
class Command:
    """A Seen whose key is a `pattern` ("user:{…}"), and a number that says which are the same."""

    name: str
    pattern: str | None = None
    key: int | None = None
    detail: float | None = None


def name_of(parts: Sequence[bytes]) -> str:
    name = NAMES.get(parts[0])
    if name is not None:
        return name
    name = parts[0].decode(errors="replace").upper()
    if name in CONTAINERS and len(parts) > 1:
        return f"{name} {parts[1].decode(errors='replace').upper()}"
    return name


def seen_in(parts: Sequence[bytes]) -> Seen:
    """Return the Seen of one command, a list of bytes."""
    name = name_of(parts)
    key = key_in(name, parts)
    if key is None and name == "SCAN" and parts[1:2] == [b"0"]:
        key = b""
    return Seen(name, key, detail_of(name, parts) if name in DETAILED else None)


def key_in(name: str, parts: Sequence[bytes]) -> bytes | None:
    if name in KEY_FIRST or name.startswith(KEY_FIRST_MODULES):
        return parts[1] if len(parts) > 1 else None
    if name in SCRIPTED:
        return parts[3] if len(parts) > 3 and parts[2] != b"0" else None
    if name in ("OBJECT ENCODING", "MEMORY USAGE"):
        return parts[2] if len(parts) > 2 else None
    return None


def detail_of(name: str, parts: Sequence[bytes]) -> float | None:
    options = options_in(name, parts) if len(parts) > 3 and name in OPTIONS else {}
    if name in OF_SEVERAL and len(parts) - sum(options.values()) > OF_SEVERAL[name]:
        return SEVERAL
    if name in TEXTS_AND_FIELDS:
        return number_of(parts[1 if name in SCRIPTED else 2]) if len(parts) > 2 else None
    if name in OPTIONS:
        return float(sum(options))
    try:
        if name in SCANS:
            words = [part.upper() for part in parts[SCANS[name] :]]
            return float(words[words.index(b"COUNT") + 1] if b"COUNT" in words else DEFAULT_SCAN)
        if name in BLOCKING_LAST:
            return float(parts[-1])
        if name in ("XREAD", "XREADGROUP"):
            words = [part.upper() for part in parts]
            return float(words[words.index(b"BLOCK") + 1]) / 1000 if b"BLOCK" in words else None
    except (ValueError, IndexError):
        pass
    return None


def options_in(name: str, parts: Sequence[bytes]) -> dict[int, int]:
    """Return {number of a kind of option: how many of it were given}."""
    given = {part.upper() for part in parts[2:]}
    found = {number: len(given & words) for number, words in OPTIONS[name].items()}
    return {number: times for number, times in found.items() if times}


def number_of(text: bytes) -> float:
    """Return a number for a text; of two that end in numbers it differs by as much as these do."""
    found = LAST_NUMBER.search(text)
    if found is None or (found[0].startswith(b"0") and len(found[0]) > 1):
        return float(hash(text) % 2**48)
    return float((hash(text[: found.start()] + b"#" + text[found.end() :]) + int(found[0])) % 2**48)


def packed_names(commands: Sequence[Sequence[Any]]) -> dict[str, int]:
    """Return {name: times} of commands that redis-py is about to pack, each a list of arguments."""
    firsts = [args[0] for args in commands]
    alone = firsts.count(firsts[0]) == len(firsts)
    names: dict[str, int] = {}
    for first, times in ((firsts[0], len(firsts)),) if alone else Counter(firsts).items():
        words = (first if isinstance(first, bytes) else str(first).encode()).upper().split()
        if len(words) == 1 and words[0].decode(errors="replace") in CONTAINERS:
            for args in commands:
                if args[0] == first:
                    name = name_of([*words, *map(encoded, args[1:2])])
                    names[name] = names.get(name, 0) + 1
        else:
            name = name_of(words)
            names[name] = names.get(name, 0) + times
    return names


def packed_seen(args: Sequence[Any]) -> Seen:
    """Return the Seen of one such command."""
    plain = PLAIN.get(args[0])
    if plain is not None and len(args) > 1:
        return Seen(plain, encoded(args[1]))
    first = args[0] if isinstance(args[0], bytes) else str(args[0]).encode()
    return seen_in([*first.split(), *map(encoded, args[1:])])


def encoded(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")
