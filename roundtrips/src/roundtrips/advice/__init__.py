"""What a trace shows that one would change: one rule a module, each with the program it is about.

A finding that is `sure` is what the wire proves. The wire shows commands and replies, not what the
program does with them: where it may have its reasons (it polls, a reply decides what comes next,
keys are computed), it is worth a look and no more, and the code to write says under which
condition. A program that makes a call only once hears nothing of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .finding import Finding, Findings, merged

if TYPE_CHECKING:
    from ..traces import Record

__all__ = ["Finding", "Findings", "findings_of"]
FEWEST = 5  # calls of a loop
RULES = (
    "read_then_written", "pairs",  # they explain round trips, which are then no loops
    "loops", "rereads", "gathers", "transactions", "retried", "scans", "keys_command",
    "connections",
)  # fmt: skip


def findings_of(record: Record, min_loop: int | None = None) -> Findings:
    """Return the Findings of a Record, the one that saves most first.

    `min_loop` is from how many calls on a loop is one; None: from 5 on.
    """
    from .work import Work

    work = Work(record, FEWEST if min_loop is None else min_loop)
    rules = [import_module(f"{__name__}.{name}") for name in RULES]
    found = [each for rule in rules for each in rule.find(work)]
    return Findings(sorted(merged(found), key=lambda each: -each.saves))
