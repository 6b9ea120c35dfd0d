"""Which replies named the key that is asked for next: that tells a walk (a linked list, a tree) from a loop.

A loop knows its keys beforehand, and can ask for all at once. A walk learns the next key from a reply, and has to wait for it.
"""

import re

from .commands import HOLE, SEPARATORS, key_in, name_of, pattern_of, read_commands
from .turns import Said

MOST_WORDS, MOST_OF_ONE = 20_000, 100  # that are remembered, as numbers; and of one reply
WORD = re.compile(r"[\w:.\-/]+")


class Named:
    """Remembers of each word the first reply that held it, as long as there is room."""

    def __init__(self):
        self.first = {}  # hash of a word -> the Turn whose reply held it first

    def hears(self, reply, turn):
        for word in words_of(reply) if reply is not None else ():
            if len(self.first) < MOST_WORDS:
                self.first.setdefault(hash(word), turn)

    def by(self, raw):
        """The Turn whose reply named the key of this one command first, or None."""
        parts = None if isinstance(raw, Said) else next(read_commands(raw), None)
        key = key_in(name_of(parts), parts) if parts else None
        if key is None:
            return None
        text = key.decode(errors="replace")
        parts = SEPARATORS.split(text)
        varies = [part for part, shown in zip(parts, SEPARATORS.split(pattern_of(key)), strict=False) if shown == HOLE]
        return next((self.first[hash(word)] for word in (text, *varies) if hash(word) in self.first), None)


def words_of(reply):
    """The words in a reply, and the parts of those that look like keys."""
    found = [part for word in WORD.findall(text_of(reply))[:MOST_OF_ONE] for part in (word, *SEPARATORS.split(word))]
    return dict.fromkeys(found)


def text_of(reply):
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, dict):
        reply = [*reply.keys(), *reply.values()]
    if isinstance(reply, (list, set, tuple)):
        return " ".join(map(text_of, reply))
    return str(reply)
