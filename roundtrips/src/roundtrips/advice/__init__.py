"""What a trace shows that one would change: one rule a module, each with the program it is about.

A finding that is `sure` is what the wire proves. The wire shows commands and replies, not what the
program does with them: where it may have its reasons (it polls, a reply decides what comes next,
keys are computed), it is worth a look and no more, and the code to write says under which
condition. A program that makes a call only once hears nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatch
from typing import TYPE_CHECKING

from .finding import Finding, Findings, merged

if TYPE_CHECKING:
    from ..traces import Record

__all__ = ["Finding", "Findings", "findings_of"]


def findings_of(record: Record, ignore: Collection[str] = (), min_loop: int = 5) -> Findings:
    """Return the Findings of a Record, the one that saves most first.

    `ignore` names kinds of finding to leave out, and files with * and ? ("*/legacy.py"), or
    functions in them ("*/pages.py:show"); `min_loop` is from how many calls on a loop is one.
    """
    from . import (
        blocking,
        connections,
        gathers,
        keys_command,
        large_values,
        loops,
        pairs,
        read_then_written,
        reading_transactions,
        rereads,
        retried,
        scans,
        script_texts,
        transactions,
    )
    from .work import Work

    rules = (
        read_then_written, pairs,  # they explain round trips, which are then no loops
        loops, rereads, gathers, transactions, retried, scans, keys_command, script_texts,
        connections, blocking, reading_transactions, large_values,
    )  # fmt: skip
    work = Work(record, min_loop)
    found = [each for rule in rules for each in rule.find(work) if not is_ignored(each, ignore)]
    return Findings(sorted(merged(found), key=lambda each: (not each.sure, -each.saves)))


def is_ignored(finding: Finding, ignore: Collection[str]) -> bool:
    site = finding.site
    places = site.file, f"{site.file}:{site.function}", f"{site.file}:{site.short_function}"
    patterns = [each for each in ignore if each != finding.kind]
    named = len(patterns) < len(ignore)
    return named or any(fnmatch(place, each) for place in places for each in patterns)
