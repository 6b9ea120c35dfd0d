"""What `roundtrips --json` prints: one object, described by schema.json in this folder.

A section that can't be made is null, and named in `failures`; the others stand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from . import DISTANCES_MS

if TYPE_CHECKING:
    from ..cli import Verdict
    from ..parts import Run
    from ..traces import Trace

FORMAT = 2
NUMBERS = ("round_trips", "waits", "bytes_sent", "bytes_received", "seconds", "waiting", "lost",
           "errors", "elsewhere", "connections", "setup_trips", "unattributed")  # fmt: skip


def summary(run: Run | None, program: str, verdict: Verdict) -> dict[str, Any]:
    """Return all of it as a dict that json.dumps takes; times are seconds."""
    failures = verdict.failures
    made: dict[str, Any] = {
        "format": FORMAT,
        "program": program,
        "status": verdict.status,
        "exit_status": verdict.exit_status,
        "uncounted": verdict.uncounted,
        "hints": verdict.hints,
    }
    sections: dict[str, Callable[[Trace], Any]] = {
        **{name: attrgetter(name) for name in NUMBERS},
        "commands": lambda trace: dict(trace.commands),
        "seconds_at": lambda trace: {f"{ms:g}": trace.seconds_at(ms) for ms in DISTANCES_MS},
        "call_sites": call_sites,
        "findings": findings,
        "processes": lambda trace: processes(run),
    }
    for name, section in sections.items():
        made[name] = None
        if run is not None:
            try:
                made[name] = section(run.trace)
            except Exception as fault:
                failures.append(f"{name} could not be made: {type(fault).__name__}: {fault}")
    return {**made, "failures": failures}


def call_sites(trace: Trace) -> list[dict[str, Any]]:
    return [
        {**asdict(each.site), "label": each.label, "round_trips": each.round_trips,
         "seconds": each.seconds, "setup": each.setup}
        for each in trace.call_sites
    ]  # fmt: skip


def findings(trace: Trace) -> list[dict[str, Any]]:
    return [
        {"kind": each.kind, "what": each.what, "shows": each.shows, "saves": each.saves,
         "file": each.site.file, "line": each.site.line, "instead": each.instead, "sure": each.sure,
         "case": each.case}
        for each in trace.findings
    ]  # fmt: skip


def processes(run: Run | None) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "pid": each.pid, "round_trips": each.trace.round_trips,
         "waits": each.trace.waits, "setup_trips": each.trace.setup_trips}
        for each in (run.parts if run else ())
    ]  # fmt: skip
