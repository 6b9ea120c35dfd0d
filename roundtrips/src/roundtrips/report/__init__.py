"""A trace for readers: text, a web page, JSON, Perfetto, GitHub; two traces beside each other."""

from __future__ import annotations

from collections.abc import Callable

FAILED = "roundtrips failed here"  # in place of a section that could not be made
DISTANCES_MS = (0.25, 1, 5)  # at which reports say how long a block would take


def fenced(title: str, section: Callable[[], list[str]]) -> list[str]:
    """Return a section's lines; of one that fails a line that says so, and the rest stands."""
    try:
        return section()
    except Exception as fault:
        return [f"{title}: {FAILED} ({type(fault).__name__}: {fault}); please report it"]
