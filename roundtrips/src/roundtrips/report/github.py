"""A trace where a pull request is read: a step summary, and annotations at their lines.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..words import counted
from . import fenced
from .text import head, sites

if TYPE_CHECKING:
    from ..advice import Finding
    from ..traces import Trace


def summary(trace: Trace, program: str, failures: Sequence[str] = ()) -> str:
    """Return Markdown for GITHUB_STEP_SUMMARY: numbers, failures, call sites, what to change."""
    title = f"### {escaped(program)}: {counted(trace.round_trips, 'round trip')} to Redis"
    lines = [title, "", *[f"**failed:** {escaped(each)}  " for each in failures]]
    lines += [f"{escaped(line)}  " for line in fenced("Numbers", lambda: head(trace))]
    lines += ["", "| what | from |", "|---|---|"]
    lines += fenced("Where from", lambda: [f"| {tick(a)} | {tick(b)} |" for a, b in sites(trace)])
    lines += ["", *fenced("What to change", lambda: changes(trace.findings))]
    return "\n".join(lines) + "\n"


def changes(findings: Iterable[Finding]) -> list[str]:
    lines = []
    for each in findings:
        what = f"**{escaped(each.what)}** ({tick(str(each.site))}): {escaped(each.shows)}"
        lines += [what, "", "```python", each.instead, "```", ""]
    return lines


def workflow_commands(trace: Trace) -> list[str]:
    """Return workflow commands, one a finding, which GitHub shows at the finding's line."""
    return [
        f"::{'warning' if each.sure else 'notice'} file={value(place(each))},"
        f"line={each.site.line},title={value(each.what)}::"
        + message("\n".join((each.shows, each.instead)))
        for each in trace.findings
    ]


def place(each: Finding) -> str:
    """Return a finding's file as the repository names it, from the folder that is checked out."""
    file = each.site.file
    folder = os.environ.get("GITHUB_WORKSPACE") or os.getcwd()
    return os.path.relpath(file, folder) if file.startswith(folder + os.sep) else file


def escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>|#" else each for each in text)


def tick(text: str) -> str:
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`" if text else ""


def message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    return message(text).replace(":", "%3A").replace(",", "%2C")
