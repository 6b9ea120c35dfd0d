"""One round trip: something was written on a connection, and somebody waited for the reply.

What counts as one, with its edges:
- Writes in a row on one connection, without a read in between, are one: a pipeline is one however
  large, a transaction too.
- A try that got no answer (the connection broke, a timeout) is one, and lost. What redis-py sends
  again is another.
- A server's error is an answer. So is MOVED or ASK: a round trip, marked as sent elsewhere; the try
  at the right node is a second one.
- A write that fails, and one whose reply nobody waits for (UNSUBSCRIBE before closing), are none.
- A message that arrives on its own (pub/sub, an invalidation) is none, nor is listening for it;
  subscribing is one, which ends with the first confirmation.
- A blocking command (BLPOP) is one, as long as it blocks. A client-side cache that knows the answer
  makes none.
- What the client of a cluster or of a Sentinel asks in order to find its nodes (CLUSTER SLOTS,
  SENTINEL …) belongs to the work.
- What connecting sends (HELLO, AUTH, CLIENT SETINFO, SELECT …) are round trips too, of the set-up,
  counted apart; a PING that redis-py sends to see whether an old connection still lives belongs to
  the work.
"""

from __future__ import annotations

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
    """One round trip, in seconds after the trace began: `sent`, and its last reply read, `replied`.

    `commands` are the first ones of it, `names` counts all by name. `outcome` is "answered",
    "error" (the server's, named in `error`), "elsewhere" (a cluster's node sent it on) or "lost".
    `setup` marks what connecting itself sends. `connection` and `worker` (a thread or task) are
    numbers within the trace; `depth` is how many round trips, one after the other, it took to get
    here.

    What its key followed from: `named_by` is the place in the log of the round trip whose reply
    named it first, `generation` how many such replies, one naming the key of the next, led to it;
    `in_steps` says whether it comes next in a row (user:3 after user:1 and user:2). `reply` is a
    number that is the same for the same replies; None where the reply was nil, long, or one of a
    pipeline's.
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
    depth: int = 1
    named_by: int | None = None
    generation: int = 0
    in_steps: bool = False
    reply: int | None = None

    @property
    def seconds(self) -> float:
        """Seconds from sending to the last reply."""
        return self.replied - self.sent

    @property
    def label(self) -> str:
        """'GET user:{…}', 'pipeline of 100 SET user:{…}', 'transaction of 2 commands (…)'."""
        return label_of(self.names, self.commands[0].pattern if self.commands else None)

    @property
    def tells_distance(self) -> bool:
        """Whether it was answered, is short, and waited for nothing at the server."""
        few = sum(self.names.values()) <= FEW
        blocks = any(each.detail is not None and each.name in BLOCKING for each in self.commands)
        short = few and max(self.bytes_sent, self.bytes_received) <= SMALL
        return short and not blocks and self.outcome != LOST


def label_of(names: Mapping[str, int], pattern: str | None) -> str:
    """Return what a round trip sent, in words: {name: times} of its commands, its first key."""
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
