"""A trace as a file for Perfetto (ui.perfetto.dev) and an older Chrome's chrome://tracing.

Each connection is a track, and each turn a slice on it.

The format is Chrome's: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

PROCESS = 10_001  # more than any connection's number: the thread of its process's number is called the main one
MICROSECONDS = 1e6


def events_of(trace, program):
    """What goes into the file, as a dict that json.dumps takes. Of a long trace the first 10,000 turns."""
    record = trace.record
    events = [{"name": "process_name", "ph": "M", "pid": PROCESS, "tid": 0, "args": {"name": program}}]
    for number in sorted({turn.connection for turn in record.log}):
        address = record.places[number].address if number < len(record.places) else "?"
        events.append({"name": "thread_name", "ph": "M", "pid": PROCESS, "tid": number + 1,
                       "args": {"name": f"connection {number + 1} to {address}"}})
    left_out = sum(fold.round_trips for fold in trace.folds)
    return {"traceEvents": events + [event_of(turn, record) for turn in record.log], "displayTimeUnit": "ms",
            "otherData": {"round_trips": trace.round_trips, "waits": trace.waits, "left_out": left_out}}


def event_of(turn, record):
    by = record.workers[turn.worker] if turn.worker < len(record.workers) else "?"
    told = {"from": str(turn.site), "by": by, "bytes sent": turn.bytes_sent, "bytes received": turn.bytes_received,
            "outcome": turn.error or turn.outcome}
    return {"name": turn.label, "cat": "set-up" if turn.setup else "round trip", "ph": "X", "pid": PROCESS,
            "tid": turn.connection + 1, "ts": turn.sent * MICROSECONDS, "dur": turn.seconds * MICROSECONDS, "args": told}
