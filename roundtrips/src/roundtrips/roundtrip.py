"""Define a round trip: something was written on a connection, and somebody waited for the reply.

What counts as one round trip:

- Writes in a row on one connection, without a read in between, are one round trip. So a pipeline
  of any size is one, and so is a transaction.
- A try that gets no answer (the connection broke, a timeout) is one, marked as lost. If redis-py
  sends the commands again, that is another round trip.
- A server's error is an answer. So MOVED or ASK makes a round trip, marked as sent elsewhere; the
  try at the right node makes a second one.
- A write that fails is no round trip. Nor is a write whose reply nobody waits for (UNSUBSCRIBE
  before closing).
- A message that arrives by itself (pub/sub, an invalidation) is no round trip, nor is listening for
  it. Subscribing is one, which ends with the first confirmation.
- A blocking command (BLPOP) is one, for as long as it blocks. A client-side cache that knows the
  answer makes no round trip.
- What the client of a cluster or of a Sentinel asks in order to find its nodes (CLUSTER SLOTS,
  SENTINEL …) is counted as work.
- Commands that set a connection up (HELLO, AUTH, CLIENT SETINFO, SELECT …) are round trips of the
  set-up, counted apart. A PING by which redis-py checks an old connection is counted as work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .callsites import NOWHERE, CallSite
from .commands import BLOCKING, Command

ANSWERED, FAILED, ELSEWHERE, LOST = "answered", "error", "elsewhere", "lost"
ELSEWHERE_ERRORS = ("MovedError", "AskError", "TryAgainError")
SMALL = 1_000  # bytes each way; beyond that, or FEW commands, the time tells of the length
FEW = 10


@dataclass
class RoundTrip:
    """One round trip; `sent` and `replied` (its last reply read) are seconds after the trace began.

    `site` is its CallSite. `commands` are its first commands, `names` counts all of them by name.
    `outcome` is "answered", "error" (the server sent an error, named in `error`), "elsewhere" (a
    cluster's node sent the client on) or "lost". `setup` marks the round trips that set a
    connection up. `connection` and `worker` (a thread or task) are numbers within the trace.
    """

    sent: float
    replied: float
    site: CallSite = NOWHERE
    commands: list[Command] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    bytes_sent: int = 0
    bytes_received: int = 0
    outcome: str = ANSWERED
    error: str | None = None
    setup: bool = False
    connection: int = 0
    worker: int = 0

    @property
    def seconds(self) -> float:
        """Seconds from sending to reading the last reply."""
        return self.replied - self.sent

    @property
    def label(self) -> str:
        """The round trip in words: 'GET user:{…}', or 'pipeline of 100 SET user:{…}'."""
        return label_of(self.names, self.commands[0].pattern if self.commands else None)

    @property
    def tells_distance(self) -> bool:
        """True if the round trip's time shows the distance: small, not blocking, not lost."""
        few = sum(self.names.values()) <= FEW
        blocks = any(each.detail is not None and each.name in BLOCKING for each in self.commands)
        short = few and max(self.bytes_sent, self.bytes_received) <= SMALL
        return short and not blocks and self.outcome != LOST


def label_of(names: Mapping[str, int], pattern: str | None) -> str:
    """Return a label for round trips, such as 'pipeline of 100 SET user:{…}'.

    `names` is {command name: how often}, `pattern` is that of the first key or None.
    """
    total = sum(names.values())
    if total == 1:
        return " ".join([*names, *([pattern] if pattern else [])])
    kind = "transaction" if "MULTI" in names and "EXEC" in names else "pipeline"
    inner = {
        name: number
        for name, number in names.items()
        if kind == "pipeline" or name not in ("MULTI", "EXEC")
    }
    if len(inner) == 1:
        [(name, number)] = inner.items()
        return f"{kind} of {number:,} {name}" + (f" {pattern}" if pattern else "")
    first = ", ".join(list(inner)[:3]) + (" …" if len(inner) > 3 else "")
    return f"{kind} of {sum(inner.values()):,} commands ({first})"
