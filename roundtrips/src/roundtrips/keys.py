r"""Show keys as patterns: 'user:{…}:name' for b'user:17:name'. Personal words become `{…}`.

Keys are split at : . / | \ and spaces. `trace(keys=…)`, `roundtrips --no-keys` or ROUNDTRIPS_KEYS
say which words between these are shown:
- "words", the default: words of letters only that are in three different keys or more, at a place
  where few different words occur. `user`, `session` and `name` are shown; `AnnSmith`, and the name
  of one of fifty tenants, are not. But if `ann` is in three keys, and few other words are at that
  place, `ann` is shown too.
- "plain": every word of letters, - and _ up to 24 characters. For your own machine.
- "none": no word; a key is `{…}`.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable

from .errors import RoundTripsError

HOLE = "{…}"
MODES = ("words", "plain", "none")
SEPARATORS = re.compile(r"([:./|\\ ]+)")
PLAIN_WORD = re.compile(r"[A-Za-z_\-]{1,24}\Z")
MAIL_ADDRESS = re.compile(r"[^\s:/|]+@[^\s:/|]+")
LONGEST = 200  # bytes of a key that are looked at
MANY = 3  # keys that hold a word which is shown, at least
FEW = 12  # most different words at one place of keys with as many parts
MOST_KINDS = 3  # of key that the pattern of one call site names
Patterns = dict[bytes, tuple[str, int]]


def mode_of(mode: str | None) -> str:
    """Return which words of keys to show: "words", "plain" or "none".

    That is `mode`, or else the environment variable ROUNDTRIPS_KEYS, or else "words". Raises
    RoundTripsError for anything else.
    """
    mode = mode or os.environ.get("ROUNDTRIPS_KEYS") or MODES[0]
    if mode not in MODES:
        raise RoundTripsError(f"keys is {mode!r}. Choose one of {', '.join(MODES)}.")
    return mode


def patterns_of(keys: Iterable[bytes], mode: str) -> Patterns:
    """Return {key: (its pattern, its number)} for all `keys` of a trace, in bytes.

    The different keys are numbered from 1 in the order in which they come. `mode` says which words
    a pattern shows: "words", "plain" or "none", as this module's docstring explains.
    """
    cut = {key: parts_of(key) for key in dict.fromkeys(keys)}
    shown = words_in_many(cut.values()) if mode == "words" else None
    return {
        key: (HOLE if mode == "none" else pattern(parts, shown), number)
        for number, (key, parts) in enumerate(cut.items(), 1)
    }


def parts_of(key: bytes) -> list[str]:
    """Split a key's first 200 bytes into a list of words and the separators between them.

    All are str; separators have the odd indexes, counted from 0. Mail addresses become `{…}`.
    """
    text = key[:LONGEST].decode(errors="replace")
    return SEPARATORS.split(MAIL_ADDRESS.sub(HOLE, text) if "@" in text else text)


def pattern(parts: list[str], shown: set[tuple[int, int, str]] | None) -> str:
    return "".join(
        part
        if place % 2
        or (PLAIN_WORD.match(part) and (shown is None or (len(parts), place, part) in shown))
        else HOLE
        for place, part in enumerate(parts)
    )


def words_in_many(keys: Iterable[list[str]]) -> set[tuple[int, int, str]]:
    """Return the words to show, a set of (number of parts in the key, index in the key, word).

    Each of `keys` is a list of parts: words, and between them separators, which have the odd
    indexes (from 0).
    """
    seen: Counter[tuple[int, int, str]] = Counter()
    for parts in keys:
        words = ((len(parts), place, part) for place, part in enumerate(parts))
        seen.update(word for word in words if PLAIN_WORD.match(word[2]))
    at_place = Counter(word[:2] for word in seen)
    return {word for word, times in seen.items() if times >= MANY and at_place[word[:2]] <= FEW}


def general(patterns: Collection[str]) -> str:
    """Return one pattern for several patterns, with `{…}` where they differ.

    It is 'user:{…}:name' for 'user:ann:name' and 'user:bob:name'. Patterns are of one kind if they
    begin with the same word and have the same separators. Up to three kinds are joined: 'cart:{…}
    or user:{…}'; for more kinds the result is '{…}'.
    """
    kinds = defaultdict(list)
    for each in patterns:
        parts = SEPARATORS.split(each)
        kinds[(parts[0] if len(parts) > 1 else None, *parts[1::2])].append(parts)
    nameless = len(kinds) > 1 and not any(map(str.isalpha, "".join(patterns)))
    if len(kinds) > MOST_KINDS or nameless:
        return HOLE
    return " or ".join(sorted(one_kind(several) for several in kinds.values()))


def one_kind(several: list[list[str]]) -> str:
    columns = [set(column) for column in zip(*several, strict=True)]
    return "".join(column.pop() if len(column) == 1 else HOLE for column in columns)
