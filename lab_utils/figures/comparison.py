"""Ways of doing the same work beside each other, at one distance or several."""

from ..arguments import heard
from ..words import milliseconds, plain_duration
from . import style
from .canvas import caption, styled
from .rows import ROUNDS_NOTE, Row, draw_rows, page, said_row
from .scales import unit_for

LONGEST_BAR = 50  # times the shortest one: beyond, a bar would be too short to be seen


@styled
def plot_comparison(times, over, said=None, title=None):
    """Draw the seconds a call of each variant, with its factor to `over`.

    They are bars, or dots on a log axis for what spans decades. `said`, the learner's number of
    times that the last other variant is faster than `over` at the first distance, gets a diamond.
    """
    nearest = times.rtts[0]
    found = times.names[-1] if times.names[-1] != over else times.names[0]
    said = (heard(said, times.speedup(found, over, nearest).value, "x")
            if len(times.names) > 1 else None)
    unit, scale = unit_for(max(times.seconds(name, rtt)
                               for name in times.names for rtt in times.rtts))
    blocks = {}
    for rtt in times.rtts:
        rows = rows_at(times, over, rtt, scale)
        if said and rtt == nearest:
            value = times.seconds(over, rtt) * scale / said
            rows.insert(times.names.index(found) + 1, said_row(value, f"{found} {said:g}x faster"))
        blocks[f"RTT {milliseconds(rtt)}" if len(times.rtts) > 1 else ""] = rows
    figure, axes = page(blocks)
    draw_rows(axes, blocks, f"{unit} a call", log=needs_log(blocks))
    figure.ratios = [times.speedup(name, over, rtt)
                     for rtt in times.rtts for name in others(times.names, over)]
    title = title or comparison_title(times, over)
    return caption(figure, title, in_words(times, over), times.rtts, times.calm, ROUNDS_NOTE)


def rows_at(times, over, rtt, scale):
    looks, rows = style.looks(times.names), []
    for name in times.names:
        value = times.seconds(name, rtt) * scale
        ratio = None if name == over else times.speedup(name, over, rtt)
        since = times.seconds(over, rtt) * scale if ratio and ratio.differs else None
        rows.append(Row(name, value, plain_duration(times.seconds(name, rtt)), looks[name].in_row,
                        str(ratio) if ratio else "", since, rounds=value.rounds))
    return rows


def needs_log(blocks):
    """Tell whether times span decades: bars cannot show them, dots on a log axis can."""
    values = [row.value for rows in blocks.values() for row in rows]
    return max(values) > LONGEST_BAR * min(values)


def others(names, over):
    return [name for name in names if name != over]


def in_words(times, over):
    if len(times.names) == 1:
        return "; ".join(f"{over} {plain_duration(times.seconds(over, rtt))} "
                         f"at RTT {milliseconds(rtt)}" for rtt in times.rtts)
    return "; ".join(f"{times.speedup(name, over, rtt).sentence(name, over)} "
                     f"at RTT {milliseconds(rtt)}"
                     for rtt in times.rtts for name in others(times.names, over))


def comparison_title(times, over):
    """Return '5 ms away: 151 ms in a loop, 5.28 ms in a pipeline, 5.23 ms with MSET'.

    Where the rounds do not tell one of them from `over`, that is said.
    """
    far = times.rtts[-1]
    ratios = {name: times.speedup(name, over, far) for name in others(times.names, over)}
    doubts = {name: str(ratio) for name, ratio in ratios.items() if not ratio.differs}
    seconds = {name: times.seconds(name, far) for name in times.names}
    return f"{style.away(far)}: {style.told(seconds, doubts)}"
