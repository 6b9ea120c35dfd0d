"""A finding: something that a trace shows and that one would change."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..callsites import CallSite
from ..words import counted

CASES = {  # of the Redis Round-Trip Lab, which this package comes from
    "keys": "notebooks/cases/deleting_by_pattern.ipynb",
    "small scans": "notebooks/cases/deleting_by_pattern.ipynb",
    "connections": "notebooks/cases/max_number_of_clients_reached.ipynb",
    "gather": "notebooks/cases/is_the_asyncio_client_slower.ipynb",
}


@dataclass(frozen=True)
class Finding:
    """Something to change: `what` it is, and what `shows` it, at `site`; code to write `instead`.

    `saves` is how many round trips that saves at most: two loops over other keys, one straight
    after the other, look like one on the wire. `sure` is False for what is only worth a look: the
    program may have its reasons. `kind` is what `ignore` takes.
    """

    kind: str
    what: str
    shows: str
    saves: int
    site: CallSite
    instead: str
    sure: bool = True

    @property
    def saving(self) -> str:
        """'saves up to 19 round trips', or '' where it saves none."""
        return f"saves up to {counted(self.saves, 'round trip')}" if self.saves else ""

    @property
    def case(self) -> str:
        """The lab's notebook that shows it and mends it, or '' where there is none."""
        return CASES.get(self.kind, "")

    def __str__(self) -> str:
        saving = f" {self.saving.capitalize()}." if self.saves else ""
        return f"{self.site}: {self.what}: {self.shows}.{saving}"


Found = Iterator[Finding]


class Findings(list[Finding]):
    """Findings, the one that saves most first; those that are worth a look are shown apart."""

    def __repr__(self) -> str:
        lines = []
        for title, sure in (("What to change", True), ("Worth a look", False)):
            found = [in_lines(each) for each in self if each.sure == sure]
            lines += [title, *found] if found else []
        return "\n".join(lines) or "Nothing found to change."


def in_lines(finding: Finding) -> str:
    saving = f" ({finding.saving})" if finding.saves else ""
    lines = [f"  {finding.what}{saving}", f"    {finding.shows}", f"    {finding.site}"]
    lines += [f"    see {finding.case} of the Redis Round-Trip Lab"] if finding.case else []
    return "\n".join([*lines, *[f"      {line}" for line in finding.instead.splitlines()]])


def merged(found: Iterable[Finding]) -> Found:
    """Yield findings of one kind at one place as one, the first, with the round trips of all."""
    groups = defaultdict(list)
    for each in found:
        command = each.shows.split()[0] if each.kind == "loop" else None
        groups[each.kind, each.site, each.sure, command].append(each)
    for first, *others in groups.values():
        again = f"; and so {counted(len(others), 'time')} more" if others else ""
        saves = first.saves + sum(each.saves for each in others)
        yield replace(first, shows=first.shows + again, saves=saves)
