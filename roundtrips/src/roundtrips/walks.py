"""Which keys were known beforehand: that tells a loop from a walk.

A loop knows its keys, and can ask for all at once. A walk (a linked list, a tree) learns the next
key from a reply, and has to wait for it; or it computes it, and then nobody sees from outside that
it was not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .commands import FIELDS, number_of
from .keys import SEPARATORS

if TYPE_CHECKING:
    from .commands import Seen
    from .roundtrip import RoundTrip

MOST_WORDS, MOST_OF_ONE = 20_000, 400  # that are remembered, as numbers; and of one reply
WORD = re.compile(r"[\w:.\-/]+")


class Evidence:
    """Notes with each round trip what its key followed from, as far as replies and keys tell."""

    def __init__(self) -> None:
        self.first: dict[float, int] = {}  # a word's number -> whose reply held it first
        # By call site the last key; its number and its field's, and by how much they had grown.
        self.last: dict[Any, tuple[bytes, tuple[float, ...]]] = {}
        self.replies: dict[str, int] = {}

    def add(self, log: list[RoundTrip], made: RoundTrip, seen: Seen | None, reply: Any) -> None:
        """Fill in the one that comes next in the log; `seen` is its only command, if it has one."""
        if seen is not None and seen.key:
            place = made.site, made.worker, seen.name
            at = number_of(seen.key), (seen.detail or 0.0) if seen.name in FIELDS else 0.0
            last, before = self.last.get(place, (b"", (0.0, 0.0, 0.0, 0.0)))
            step = at[0] - before[0], at[1] - before[1]
            self.last[place] = seen.key, (*at, *step)
            made.in_steps = step == before[2:] and step != (0.0, 0.0)
            same_key = step[0] == 0 and at[1] > 0
            varying = [at[1]] if same_key else varying_in(seen.key, last)
            namers = (self.first[each] for each in varying if each in self.first)
            made.named_by = next(namers, None)
            if made.named_by is not None:
                made.generation = log[made.named_by].generation + 1
        if reply is None:
            return
        if len(self.replies) < MOST_WORDS:
            made.reply = self.replies.setdefault(text_of(reply), len(self.replies) + 1)
        if type(reply) is not bool and reply not in (0, 1):  # they say how many, or whether
            for word in words_of(reply):
                if len(self.first) < MOST_WORDS:
                    self.first.setdefault(number_of(word.encode()), len(log))


def varying_in(key: bytes, last: bytes) -> list[float]:
    """Return the numbers of a key, and of the parts of it that the last one had otherwise."""
    parts, before = (SEPARATORS.split(each.decode(errors="replace")) for each in (key, last))
    if len(parts) != len(before):
        return [number_of(key), number_of(parts[-1].encode())]
    other = [part for part, one in zip(parts, before, strict=True) if part != one]
    return [number_of(key), *[number_of(part.encode()) for part in other]]


def words_of(reply: Any) -> dict[str, None]:
    """Return the words in a reply, and the parts of those that look like keys."""
    words = WORD.findall(text_of(reply))[:MOST_OF_ONE]
    return dict.fromkeys(part for word in words for part in (word, *SEPARATORS.split(word)))


def text_of(reply: Any) -> str:
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, dict):
        reply = [*reply.keys(), *reply.values()]
    if isinstance(reply, (list, set, tuple)):
        return " ".join(map(text_of, reply))
    return str(reply)
