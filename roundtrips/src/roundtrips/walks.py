"""Which replies named the key that is asked for next: that tells a walk from a loop.

A loop knows its keys beforehand, and can ask for all at once. A walk (a linked list, a tree) learns
the next key from a reply, and has to wait for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .keys import HOLE, SEPARATORS

if TYPE_CHECKING:
    from .roundtrip import RoundTrip

MOST_WORDS, MOST_OF_ONE = 20_000, 100  # that are remembered, as numbers; and of one reply
WORD = re.compile(r"[\w:.\-/]+")


class Named:
    """Remembers of each word the first reply that held it, as long as there is room."""

    def __init__(self) -> None:
        self.first: dict[int, RoundTrip] = {}  # hash of a word -> whose reply held it first

    def hears(self, reply: Any, of: RoundTrip) -> None:
        """Note the words of a reply."""
        for word in words_of(reply) if reply is not None else ():
            if len(self.first) < MOST_WORDS:
                self.first.setdefault(hash(word), of)

    def by(self, key: bytes | None, pattern: str | None) -> RoundTrip | None:
        """Return the round trip whose reply named this key first, or what varies in it."""
        if not key or pattern is None:
            return None
        text = key.decode(errors="replace")
        cut = zip(SEPARATORS.split(text), SEPARATORS.split(pattern), strict=False)
        words = (text, *[part for part, shown in cut if shown == HOLE])
        return next((self.first[hash(word)] for word in words if hash(word) in self.first), None)


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
