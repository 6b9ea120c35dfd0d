"""Define Findings: hints at what a program could change, made from its trace."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..callsites import CallSite
from ..words import counted


@dataclass(frozen=True)
class Finding:
    """One hint at what a program could change.

    - `kind` is the word for this kind of finding in the setting `ignore`, such as "loop"
    - `what` says in words what could be changed
    - `shows` says in words what the trace shows, as a reason
    - `saves` is the largest number of round trips that the change can save: two loops over
      different keys, one straight after the other, look like one loop in a trace
    - `site` is the CallSite to change
    - `instead` is the code to write there, as text
    """

    kind: str
    what: str
    shows: str
    saves: int
    site: CallSite
    instead: str


class Findings(list[Finding]):
    """A list of Findings, the largest saving first; its repr shows all of them."""

    def __repr__(self) -> str:
        if not self:
            return "Nothing found to change."
        return "\n".join(["What to look at", *map(lines_of, self)])


def lines_of(finding: Finding) -> str:
    """Return a Finding as text of several lines, with the code to write instead."""
    most = counted(finding.saves, "round trip")
    saving = f" (saves up to {most})" if finding.saves else ""
    lines = [f"  {finding.what}{saving}", f"    {finding.shows}", f"    {finding.site}"]
    return "\n".join([*lines, *[f"      {line}" for line in finding.instead.splitlines()]])


def merge(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield one Finding for all Findings of the same kind at the same call site.

    It is the first of them; `saves` becomes the sum over all of them, and `shows` tells how many
    others there are. Findings of loops are merged only if they are about the same command.
    """
    groups = defaultdict(list)
    for each in findings:
        command = each.shows.split()[0] if each.kind == "loop" else None
        groups[each.kind, each.site, command].append(each)
    for first, *others in groups.values():
        again = f"; and so {counted(len(others), 'time')} more" if others else ""
        saves = first.saves + sum(each.saves for each in others)
        yield replace(first, shows=first.shows + again, saves=saves)
