"""Who posts: a learner of the hub, by their server's token, or one on a laptop, by one of ours."""

import asyncio
import hashlib
import hmac
import json
import os
import re
import secrets
import unicodedata
from dataclasses import dataclass

from tornado.web import HTTPError

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another on a whiteboard
NAME = re.compile(r"\w[\w .'-]{0,31}")
RESERVED = {"board", "culler", "leader"}  # names of the room's own
# Cyrillic and Greek letters, and the Latin ones that they look like, small or as capitals.
SAME_LOOKS = str.maketrans(
    "авеікмнорстухѕјһԁԛԝӏαβεζηικμνορτυχ", "abeikmhopctyxsjhdqwlabezhikmnoptyx"
)
WRONG_S, MOST_WRONG = 0.5, 20  # what a wrong password waits for, and how many may wait at once


@dataclass(frozen=True)
class Person:
    """`known_as` tells people apart in the stream; `who` is a name on the board, None for none."""

    known_as: str
    who: str | None


class WrongPasswords:
    """Makes whoever guesses passwords wait."""

    waiting = 0

    async def hold(self):
        """Wait WRONG_S. Raises HTTPError 429 where too many do."""
        if self.waiting >= MOST_WRONG:
            raise HTTPError(429, "Too many wrong passwords at once. Try again in a minute.")
        self.waiting += 1
        try:
            await asyncio.sleep(WRONG_S)
        finally:
            self.waiting -= 1


def settled(folder, known):
    """Return the board's secrets: key, cookie, password, salt, and those `known` to the room.

    They are made once, for this user alone to read. Raises OSError where none can be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / "secrets.json"
    if not path.exists():
        made = {
            "key": letters(24),
            "password": "-".join(letters(4) for _ in range(3)),
            "cookie": secrets.token_hex(32),
            "salt": secrets.token_hex(32),
        }
        write_private(path, json.dumps(made))
    return json.loads(path.read_text(encoding="utf-8")) | known


def letters(number):
    return "".join(secrets.choice(LETTERS) for _ in range(number))


def write_private(path, text):
    """Write a file that only this user can read, whole or not at all."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    new = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(new, "w", encoding="utf-8") as file:
        file.write(text)
    scratch.replace(path)


def same(one, other):
    """Return True for equal texts, in a time that does not depend on them."""
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))


def digest(token):
    return hashlib.sha256(token.encode()).hexdigest()


def tidy(name):
    """Return a name as the board keeps it; "" for what is none."""
    name = " ".join(unicodedata.normalize("NFC", str(name)).split())
    return name if NAME.fullmatch(name) else ""


def looks(name):
    """Return what names that look the same share: no capitals, a Cyrillic а as the Latin one."""
    return unicodedata.normalize("NFKC", name).casefold().translate(SAME_LOOKS)


def without_name(person, salt):
    """Return the same nameless Person each time, whom nobody can name without the salt."""
    if person.who is None:
        return person
    made = hmac.new(salt.encode(), person.known_as.encode(), hashlib.sha256)
    return Person(f"nobody:{made.hexdigest()[:16]}", None)
