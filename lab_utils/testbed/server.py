"""One Redis server that the lab may use: its own, or the learner's."""

from dataclasses import dataclass

import redis

from .keeper import Kept
from .reservation import Reservation


@dataclass(frozen=True)
class Server:
    """One Redis server that the lab may use.

    `address` is (host, port); `options` are redis-py's connection options for it; `private` says
    that the lab started it; then `pid` is its process, `kept` what ends it with the kernel, and
    `run_id` its own name for itself. On a server of somebody's own, `reservation` holds the
    database that is the lab's.
    """

    address: tuple
    options: dict
    private: bool
    pid: int | None = None
    kept: Kept | None = None
    run_id: str | None = None
    reservation: Reservation | None = None

    def connect(self, **options) -> redis.Redis:
        """Return a plain client, with no link between. Options go to redis-py unchanged."""
        return redis.Redis(**{**self.options, **options})

    def stop(self):
        """Stop a private server and wait for it; one of the learner's own is left alone."""
        if self.kept:
            self.kept.stop()

    def alive(self) -> bool:
        """Return False when a private server has ended, or the reservation on another."""
        return self.kept.alive() if self.kept else not self.reservation or self.reservation.alive()

    def ended(self) -> str:
        """Say that it has ended."""
        if self.reservation:
            return "the reservation on the server of REDIS_URL was lost, and is made anew."
        return (
            "the lab's server had ended; a new one, empty, stands in its place. Clients of the old "
            "one must be made anew."
        )
