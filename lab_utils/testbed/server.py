"""Define the Server that the lab uses: one that it started, or the learner's own (REDIS_URL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import redis

from .keeper import Kept

if TYPE_CHECKING:
    from .held_database import HeldDatabase


@dataclass(frozen=True)
class Server:
    """One Redis server that the lab may use.

    `address` is (host, port); `options` are redis-py's connection options for it. A private server,
    which the lab started, has the process id `pid`; `kept` is its Kept, by which it ends with this
    process. On the learner's server, `held` is the HeldDatabase of this process.
    """

    address: tuple
    options: dict
    pid: int | None = None
    kept: Kept | None = None
    held: HeldDatabase | None = None

    @property
    def private(self) -> bool:
        """True if the lab started this server."""
        return self.kept is not None

    def connect(self, **options) -> redis.Redis:
        """Return a redis.Redis of this server with no link in between; `options` are redis-py's."""
        return redis.Redis(**{**self.options, **options})

    def stop(self):
        """Stop a private server and wait for it; do nothing to the learner's server."""
        if self.kept:
            self.kept.stop()

    def alive(self) -> bool:
        """Return False if a private server has ended, or if the held database was lost."""
        thing = self.kept or self.held
        return thing is None or thing.alive()

    def ended(self) -> str:
        """Return the sentence to print when this server has ended and another one replaces it."""
        if self.held:
            return "the database on the server of REDIS_URL was lost; the lab looks for one anew."
        return (
            "the lab's server had ended; a new one, empty, stands in its place. Clients of the old "
            "one must be made anew."
        )


def log_in(options: dict) -> list:
    """Return the commands by which a new connection logs in: AUTH and SELECT, lists of words.

    `options` are redis-py's; without a password or a database the list has no command for it.
    """
    user = [options["username"]] if options.get("username") else []
    password = [["AUTH", *user, options["password"]]] if options.get("password") else []
    return password + ([["SELECT", str(options["db"])]] if options.get("db") else [])
