"""A trace as a file for Perfetto (ui.perfetto.dev) and an older Chrome's chrome://tracing.

Each connection is a track, and each round trip a slice on it. The format is Chrome's, the "Trace
Event Format":
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..roundtrip import RoundTrip
    from ..traces import Record, Trace

PROCESS = 10_001  # more than any connection's number: the thread of that number is the main one
MICROSECONDS = 1e6


def events_of(trace: Trace, program: str) -> dict[str, Any]:
    """Return what goes into the file, as a dict that json.dumps takes.

    Of a long trace these are the first 10,000 round trips.
    """
    record = trace.record
    events: list[dict[str, Any]] = [named("process_name", 0, program)]
    for number in sorted({each.connection for each in record.log}):
        address = record.places[number].address if number < len(record.places) else "?"
        events.append(named("thread_name", number + 1, f"connection {number + 1} to {address}"))
    return {
        "traceEvents": events + [event_of(each, record) for each in record.log],
        "displayTimeUnit": "ms",
        "otherData": {
            "round_trips": trace.round_trips,
            "waits": trace.waits,
            "left_out": sum(fold.round_trips for fold in record.folds),
        },
    }


def named(what: str, thread: int, name: str) -> dict[str, Any]:
    return {"name": what, "ph": "M", "pid": PROCESS, "tid": thread, "args": {"name": name}}


def event_of(each: RoundTrip, record: Record) -> dict[str, Any]:
    known = 0 <= each.worker < len(record.workers)
    told = {
        "from": str(each.site),
        "by": record.workers[each.worker] if known else "?",
        "bytes sent": each.bytes_sent,
        "bytes received": each.bytes_received,
        "outcome": each.error or each.outcome,
    }
    return {
        "name": each.label,
        "cat": "set-up" if each.setup else "round trip",
        "ph": "X",
        "pid": PROCESS,
        "tid": each.connection + 1,
        "ts": each.sent * MICROSECONDS,
        "dur": each.seconds * MICROSECONDS,
        "args": told,
    }
