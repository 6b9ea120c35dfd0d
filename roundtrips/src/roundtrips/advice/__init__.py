"""Find in a trace what a program could change: each rule is a module, with an example program.

A finding is a hint. A trace shows commands and replies, not what the program does with them. The
program may have a reason for its round trips: it polls, a reply decides what it sends next, or it
computes keys. So the proposed code says under which condition it applies. A call that a program
makes only once gives no finding, except KEYS.
"""

import linecache

from ..config import COMMENT, Settings
from ..record import Record
from . import connections, keys_command, loops, pairs, scans, transactions
from .finding import Finding, Findings, merge
from .work import Work

__all__ = ["Finding", "Findings", "findings_of"]
FEWEST = 5  # calls of a loop
RULES = (
    pairs,  # explains round trips, which are then no loops
    loops, transactions, scans, keys_command, connections,
)  # fmt: skip


def findings_of(record: Record, table: Settings) -> Findings:
    """Return the Findings of a Record, the largest saving first, without ignored ones.

    `table` is the Settings. A Finding is ignored if the setting `ignore` names it, or if the line
    of its call site has the comment `# roundtrips: ignore`.
    """
    work = Work(record, FEWEST if table.min_loop is None else table.min_loop)
    everything = [finding for rule in RULES for finding in rule.find(work)]
    wanted = [each for each in merge(everything) if not is_ignored(each, table)]
    return Findings(sorted(wanted, key=lambda finding: -finding.saves))


def is_ignored(finding: Finding, table: Settings) -> bool:
    """Return whether the Settings, or a comment on the call site's line, ignore a Finding."""
    line = linecache.getline(finding.site.file, finding.site.line)
    return COMMENT in line or table.ignores(finding.site, finding.kind)
