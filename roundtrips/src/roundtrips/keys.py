"""Keys as patterns: 'user:{…}:name' of b'user:17:name'. What might be somebody's is a hole.

Which words are shown is chosen with `trace(keys=…)`, `roundtrips --no-keys` or ROUNDTRIPS_KEYS:

- "words", the default: letters only, seen in three distinct keys or more, at a place where few
  words stand. `user`, `session` and `name` do; `AnnSmith` and one of fifty tenants do not. Where
  `ann` is in three keys, and few others stand at her place, nothing tells her from a word.
- "plain": whatever looks like a word of a program. For your own machine.
- "none": nothing; a key is `{…}`.
"""

from __future__ import annotations

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
MOST_KINDS = 3  # of key that one call site is said to name
Patterns = dict[bytes, tuple[str, int]]


def chosen(mode: str | None) -> str:
    """Return the mode asked for, or ROUNDTRIPS_KEYS, or "words". Raises RoundTripsError."""
    mode = mode or os.environ.get("ROUNDTRIPS_KEYS") or MODES[0]
    if mode not in MODES:
        raise RoundTripsError(f"keys is {mode!r}. Choose one of {', '.join(MODES)}.")
    return mode


def patterns_of(keys: Iterable[bytes], mode: str) -> Patterns:
    """Return {key: (its pattern, its number from 1)} of all the keys of one trace."""
    cut = {key: parts_of(key) for key in dict.fromkeys(keys)}
    shown = words_in_many(cut.values()) if mode == "words" else None
    return {
        key: (HOLE if mode == "none" else pattern(parts, shown), number)
        for number, (key, parts) in enumerate(cut.items(), 1)
    }


def parts_of(key: bytes) -> list[str]:
    """Return the key's words and, at odd places, what separates them; of its first 200 bytes."""
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
    """Return the words that are shown: (number of parts, place, word)."""
    seen: Counter[tuple[int, int, str]] = Counter()
    for parts in keys:
        words = ((len(parts), place, part) for place, part in enumerate(parts))
        seen.update(word for word in words if PLAIN_WORD.match(word[2]))
    at_place = Counter(word[:2] for word in seen)
    return {word for word, times in seen.items() if times >= MANY and at_place[word[:2]] <= FEW}


def general(patterns: Collection[str]) -> str:
    """Return one pattern for several: what differs between them is a hole.

    'user:{…}:name' of 'user:ann:name' and 'user:bob:name'; 'cart:{…} or user:{…}' of a few kinds.
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
