"""Define the Server that the lab uses: one that it started, or the learner's own (REDIS_URL)."""

from dataclasses import dataclass
from typing import Any

import redis

from .held_database import HeldDatabase
from .held_database import log_in as log_in
from .keeper import Kept


@dataclass(frozen=True)
class Server:
    """One Redis server that the lab may use.

    `address` is (host, port); `options` are redis-py's connection options for it, a dict. A private
    server, which the lab started, has the process id `pid`; `kept` is its process, which ends with
    this one. On the learner's own server, `held` is the connection that reserves a database for
    this process.
    """

    address: tuple[str, int]
    options: dict
    pid: int | None = None
    kept: Kept | None = None
    held: HeldDatabase | None = None

    @property
    def private(self) -> bool:
        """True if the lab started this server."""
        return self.kept is not None

    def connect(self, **options: Any) -> redis.Redis:
        """Return a redis.Redis of this server with no link in between; `options` are redis-py's."""
        return redis.Redis(**{**self.options, **options})

    def stop(self) -> None:
        """Stop a private server and wait for it; do nothing to the learner's server."""
        if self.kept:
            self.kept.stop()

    def alive(self) -> bool:
        """Return whether the server can still be used.

        It can't if a private server's process has ended, or if the reserved database was lost.
        """
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
