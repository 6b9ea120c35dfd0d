"""A trace where a pull request is read: a step summary, and annotations at their lines.

https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..words import counted
from . import fenced
from .text import head, sites

if TYPE_CHECKING:
    from ..traces import Trace


def summary(trace: Trace, program: str, failures: Sequence[str] = (), notes: str = "") -> str:
    """Return Markdown for GITHUB_STEP_SUMMARY: numbers, failures, call sites, what to change.

    `notes` are lines about its processes.
    """
    title = f"### {escaped(program)}: {counted(trace.round_trips, 'round trip')} to Redis"
    lines = [title, "", *[f"**failed:** {escaped(each)}  " for each in failures]]
    lines += [f"{escaped(line)}  " for line in fenced("Numbers", lambda: head(trace))]
    lines += ["", "```text", notes, "```"] if notes else []
    lines += ["", "| what | from |", "|---|---|"]
    lines += fenced("Where from", lambda: [f"| {tick(a)} | {tick(b)} |" for a, b in sites(trace)])
    lines += ["", *fenced("What to change", lambda: list(changes(trace)))]
    return "\n".join(lines) + "\n"


def changes(trace: Trace) -> Iterator[str]:
    for each in trace.findings:
        yield f"**{escaped(each.what)}** ({tick(str(each.site))}): {escaped(each.shows)}"
        yield f"\n```python\n{each.instead}\n```\n"


def workflow_commands(trace: Trace) -> list[str]:
    """Return workflow commands, one a finding, which GitHub shows at the finding's line."""
    folder = (os.environ.get("GITHUB_WORKSPACE") or os.getcwd()) + os.sep
    return [
        f"::{'warning' if each.sure else 'notice'} "
        f"file={value(each.site.file.removeprefix(folder))},line={each.site.line},"
        f"title={value(each.what)}::" + message("\n".join((each.shows, each.instead)))
        for each in trace.findings
    ]


def escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>|#" else each for each in text)


def tick(text: str) -> str:
    return f"`{text.replace('`', chr(39)).replace('|', '¦')}`" if text else ""


def message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def value(text: str) -> str:
    return message(text).replace(":", "%3A").replace(",", "%2C")
