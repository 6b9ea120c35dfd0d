"""A trace in words: a text for a terminal, and the same for a notebook."""

import html

from ..words import counted, duration, size

WIDTH = 100
MOST_SITES, MOST_RUNS = 12, 20
LONGEST_PERIOD = 6  # turns that are repeated together, such as GET, SET, GET, SET
DISTANCES_MS = (0.25, 1, 5)


def report(trace):
    """The text; no line of it is longer than 100 characters."""
    blocks = [head(trace), table("Where from", sites(trace)), table("In order", runs(trace)), findings(trace)]
    return "\n\n".join("\n".join(line[:WIDTH] for line in block) for block in blocks if block)


def head(trace):
    """The numbers, and how long the block would take elsewhere."""
    work = [counted(trace.round_trips, "round trip"), counted(trace.waits, "wait"),
            counted(sum(trace.commands.values()), "command"), f"{size(trace.bytes_sent)} sent",
            f"{size(trace.bytes_received)} received"]
    lines = ["   ".join(work)]
    if trace.connections or trace.setup_trips:
        lines.append(f"set up besides: {counted(trace.connections, 'connection')}, {counted(trace.setup_trips, 'round trip')}")
    for number, what in ((trace.lost, "without an answer"), (trace.errors, "answered by an error"),
                         (trace.elsewhere, "sent on to another node")):
        if number:
            lines.append(f"{counted(number, 'turn')} {what}")
    if trace.unattributed:
        lines.append(f"not counted: {counted(trace.unattributed, 'write')} by threads that were there before, whoever's they are")
    if trace.record.unseen:
        lines.append(f"not counted: what goes through {', '.join(trace.record.unseen)}; only redis-py is")
    lines.append(f"measured: {duration(trace.seconds)}, of which {duration(trace.waiting)} waiting for Redis")
    if trace.round_trips:
        far = [f"{duration(trace.seconds_at(rtt_ms))} at {rtt_ms:g} ms" for rtt_ms in DISTANCES_MS]
        lines.append(f"it would take {', '.join(far)}")
    return lines


def table(title, rows):
    if not rows:
        return []
    width = min(60, max(len(what) for what, _ in rows))
    return [title, *[f"  {what[:width]:<{width}}  {where}".rstrip() for what, where in rows]]


def sites(trace):
    """[(what, where)] of the call sites of the work, the most turns first."""
    found = [each for each in trace.call_sites if not each.setup]
    rows = [(times_of(each.round_trips, each.label), str(each.site)) for each in found[:MOST_SITES]]
    return rows + ([(f"{counted(len(found) - MOST_SITES, 'call site')} more", "")] if len(found) > MOST_SITES else [])


def times_of(number, label):
    return label if number == 1 else f"{label} × {number:,}"


def runs(trace):
    """[(what, '')] of the turns in order, with what is repeated said once."""
    labels = {}
    for each in trace.call_sites:
        labels[each.site, frozenset(each.names)] = each.label
    turns = [labels[turn.site, frozenset(turn.names)] for turn in trace.log if not turn.setup]
    rows = [(run_of(block, times), "") for block, times in folded(turns)]
    later = sum(fold.round_trips for fold in trace.folds if not fold.setup)
    shown = rows[:MOST_RUNS]
    if len(rows) > MOST_RUNS:
        shown.append((f"and {len(rows) - MOST_RUNS:,} lines more", ""))
    return shown + ([(f"then {counted(later, 'round trip')} more", "")] if later else [])


def run_of(block, times):
    what = " · ".join(block)
    return times_of(times, f"({what})" if times > 1 and len(block) > 1 else what)


def folded(labels):
    """[([labels], times)]: the sequence, with blocks that come several times in a row said once."""
    found, at = [], 0
    while at < len(labels):
        period, times = max(((period, repeats(labels, at, period)) for period in range(1, LONGEST_PERIOD + 1)),
                            key=lambda run: (run[0] * run[1] if run[1] > 1 else 1, -run[0]))
        if times == 1:
            period = 1
        found.append((labels[at:at + period], times))
        at += period * times
    return found


def repeats(labels, at, period):
    """How often the block of `period` labels that begins at `at` comes in a row."""
    block, times = labels[at:at + period], 1
    while len(block) == period and labels[at + times * period:at + (times + 1) * period] == block:
        times += 1
    return times


def findings(trace):
    found = trace.findings
    return repr(found).splitlines() if found else []


def as_html(trace):
    """The report as a notebook shows it."""
    rows = "".join(f"<tr>{cell(what)}{cell(where)}</tr>" for what, where in sites(trace))
    numbers = "<br>".join(html.escape(line.removeprefix("measured: ").replace("   ", " · ")) for line in head(trace))
    order = "<br>".join(html.escape(what) for what, _ in runs(trace))
    change = f"<pre>{html.escape(repr(trace.findings))}</pre>" if trace.findings else ""
    return f"<p>{numbers}</p><table>{rows}</table><p>In order:<br>{order}</p>{change}"


def cell(text):
    return f"<td style='text-align:left'>{html.escape(text)}</td>"
