"""Write a trace as JSON, described by schema.json in this folder.

`roundtrips --json` prints the same, and in addition whether the run exceeded its limits.
"""

from typing import Any

from ..counts import Counts

FORMAT = 3
DISTANCES_MS = (0.25, 1, 5)
NUMBERS = ("round_trips", "waits", "bytes_sent", "bytes_received", "seconds", "waiting", "lost",
           "errors", "elsewhere", "connections", "setup_trips", "unattributed",
           "unlisted")  # fmt: skip


def summary(trace: Counts) -> dict[str, Any]:
    """Return the numbers, call sites and findings of a Trace as a dict for JSON.

    Times are in seconds; schema.json beside this file describes the keys.
    """
    return {
        "format": FORMAT,
        **{name: getattr(trace, name) for name in NUMBERS},
        "commands": dict(trace.commands),
        "seconds_at": {f"{ms:g}": trace.seconds_at(ms) for ms in DISTANCES_MS},
        "call_sites": [
            {"file": each.site.file, "line": each.site.line, "function": each.site.function,
             "through": each.site.through, "label": each.label, "round_trips": each.round_trips,
             "seconds": each.seconds, "setup": each.setup}
            for each in trace.call_sites
        ],
        "findings": [
            {"kind": each.kind, "what": each.what, "shows": each.shows, "saves": each.saves,
             "file": each.site.file, "line": each.site.line, "instead": each.instead}
            for each in trace.findings
        ],
    }  # fmt: skip
