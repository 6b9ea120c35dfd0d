"""Describe commands: their name, their key, and details that decide what advice they get.

Values are never stored. The key of an unknown command is not stored either, since its first
argument might be a password.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .key_table import CONTAINERS, KEYED, words_of

MOST_KEPT = (
    8  # commands of a round trip that are kept with their keys; further ones are only counted
)
DEFAULT_SCAN = 10  # what a server takes for COUNT where none is given


PLACES = {name: place for place, names in KEYED.items() for name in names}
KEY_FIRST = KEYED["1"]
KEY_FIRST_MODULES = ("JSON.", "BF.", "CF.", "CMS.", "TOPK.", "TDIGEST.", "TS.")
SCRIPTED = words_of("EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO")
SCANS = {"SCAN": 2, "HSCAN": 3, "SSCAN": 3, "ZSCAN": 3}  # where the options begin
# Commands whose second argument is a field, a member, or an index.
FIELDS = words_of("""
    HGET HMGET HSET HSETNX HEXISTS HSTRLEN HINCRBY HINCRBYFLOAT SISMEMBER SMISMEMBER ZSCORE ZMSCORE
    ZRANK ZREVRANK GEOPOS GETBIT LINDEX
""")
# Commands that take several keys, members or fields: how many words one has with a single one.
OF_SEVERAL = {
    **dict.fromkeys(("DEL", "EXISTS", "TOUCH", "UNLINK"), 2),
    **dict.fromkeys(("SADD", "SREM", "ZREM", "HDEL", "LPUSH", "RPUSH", "PFADD"), 3),
    **dict.fromkeys(("HSET", "ZADD"), 4),
}
SEVERAL = -1.0  # the detail of a command with more words than that
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
# Commands that block, and which argument is their timeout in seconds.
TIMEOUTS = {
    **dict.fromkeys(words_of("BLPOP BRPOP BRPOPLPUSH BLMOVE BZPOPMIN BZPOPMAX"), -1),
    **dict.fromkeys(words_of("BLMPOP BZMPOP"), 1),
}
BLOCKING = frozenset({*TIMEOUTS, "XREAD", "XREADGROUP"})
NAMES = {name.encode(): name for name in KEY_FIRST}  # found without decoding
DETAILED = frozenset({*SCANS, *BLOCKING, *FIELDS, *OPTIONS, *OF_SEVERAL})
PLAIN = {name: name for name in KEY_FIRST - DETAILED}  # whose key is all that is kept


# A command that was written: its name, its key (None without one), and a detail. A key is in
# bytes, or a text as the program gave it. The key of a SCAN is b"" if the SCAN begins, None if it
# continues. The detail is for
# - a scan: its COUNT
# - a blocking command: its timeout in seconds
# - a command with a field or member: a number, the same for the same field or member
# - SET or ZADD: the sum of its options (see OPTIONS)
# - a command with several keys, members or fields: SEVERAL
# - any other command: None
# Thousands are kept, so this is a plain tuple: Python's garbage collector soon leaves out tuples of
# texts and numbers, but not objects of a class.
Seen = tuple[str, bytes | str | None, float | None]


@dataclass(frozen=True)
class Command:
    """A command in a Trace: its `name`, and the `pattern` and the number of its first key.

    `pattern` is such as "user:{…}". `key` is the number: equal keys have equal numbers; a SCAN that
    begins has 0. Both are None for a command without a key. `detail` is a number that depends on
    the command, such as a scan's COUNT, or None; Seen lists them.
    """

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
    """Return the Seen of one command; `parts` are its name and arguments in bytes."""
    name = name_of(parts)
    key = key_in(name, parts)
    if key is None and name == "SCAN" and parts[1:2] == [b"0"]:
        key = b""
    return name, key, detail_of(name, parts) if name in DETAILED else None


def key_in(name: str, parts: Sequence[bytes]) -> bytes | None:
    """Return a command's first key in bytes; None if it has none, or if the command is unknown.

    `name` is the name that `name_of` returns; `parts` are the command's name and arguments in
    bytes.
    """
    if name in KEY_FIRST or name.startswith(KEY_FIRST_MODULES):
        return parts[1] if len(parts) > 1 else None
    kind, _, where = PLACES.get(name, "none").rpartition(" ")
    try:
        if kind == "after":
            return parts[[part.upper() for part in parts].index(where.encode()) + 1]
        if kind == "count at":
            return parts[int(where) + 1] if int(parts[int(where)]) else None
        return parts[int(where)]
    except (ValueError, IndexError):
        return None


def detail_of(name: str, parts: Sequence[bytes]) -> float | None:
    options = options_in(name, parts) if len(parts) > 3 and name in OPTIONS else {}
    if name in OF_SEVERAL and len(parts) - sum(options.values()) > OF_SEVERAL[name]:
        return SEVERAL
    if name in FIELDS:
        return float(hash(parts[2]) % 2**48) if len(parts) > 2 else None
    if name in OPTIONS:
        return float(sum(options))
    try:
        if name in SCANS:
            words = [part.upper() for part in parts[SCANS[name] :]]
            return float(words[words.index(b"COUNT") + 1] if b"COUNT" in words else DEFAULT_SCAN)
        if name in TIMEOUTS:
            return float(parts[TIMEOUTS[name]])
        if name in ("XREAD", "XREADGROUP"):
            words = [part.upper() for part in parts]
            return float(words[words.index(b"BLOCK") + 1]) / 1000 if b"BLOCK" in words else None
    except (ValueError, IndexError):
        pass
    return None


def options_in(name: str, parts: Sequence[bytes]) -> dict[int, int]:
    """Return {CONDITION, EXPIRY or ANOTHER: how many options of this kind were given}.

    `name` is the command's name, a key of OPTIONS, and `parts` are its name and arguments in bytes.
    Kinds that were not given are left out.
    """
    given = {part.upper() for part in parts[2:]}
    found = {number: len(given & words) for number, words in OPTIONS[name].items()}
    return {number: times for number, times in found.items() if times}


def packed_names(commands: Sequence[Sequence[Any]]) -> dict[str, int]:
    """Return {command name: how often} for commands as redis-py takes them, before it packs them.

    Each of `commands` is a list of a name and arguments (str, bytes, int or float).
    """
    firsts = [args[0] for args in commands]
    if firsts[0] in KEY_FIRST and firsts.count(firsts[0]) == len(firsts):  # most pipelines
        return {firsts[0]: len(firsts)}
    names = (
        args[0] if args[0] in KEY_FIRST else name_of(packed_parts(args[:2])) for args in commands
    )
    return dict(Counter(names))


def packed_parts(args: Sequence[Any]) -> list[bytes]:
    """Return a command's name and arguments as a list of bytes.

    `args` are the name and arguments as redis-py takes them (str, bytes, int or float). A name of
    two words, "CONFIG GET", becomes two items.
    """
    return [*encode(args[0]).split(), *map(encode, args[1:])]


def encode(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    # As redis-py does: str() of an Enum that is a str is its name.
    return (value if isinstance(value, str) else str(value)).encode("utf-8", "replace")
