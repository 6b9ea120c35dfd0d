"""Ways of doing the same work beside each other, at one distance or several."""

from ..arguments import heard
from ..words import milliseconds, plain_duration
from . import style
from .canvas import caption, styled
from .rows import ROUNDS_NOTE, Row, draw_rows
from .scales import unit_for

LONGEST_BAR = 50  # times the shortest one: beyond, that would not be seen, so they are dots


@styled
def plot_comparison(times, over, said=None, title=None):
    """Draw the seconds a call of each variant, with its factor to `over`.

    They are bars, or dots on a log axis for what spans decades. `said`, the learner's number of
    times that the last other variant is faster than `over` at the first distance, gets a diamond.
    """
    ratios = {
        (name, rtt): times.speedup(name, over, rtt)
        for rtt in times.rtts
        for name in times.names
        if name != over
    }
    found = times.names[-1] if times.names[-1] != over else times.names[0]
    said = heard(said, ratios[found, times.rtts[0]].value, "x") if ratios else None
    slowest = max(times.seconds(name, rtt) for name in times.names for rtt in times.rtts)
    unit, scale = unit_for(slowest)
    blocks = {
        f"RTT {milliseconds(rtt)}" if len(times.rtts) > 1 else "": rows_at(
            times, over, rtt, scale, ratios
        )
        for rtt in times.rtts
    }
    if said:
        value = times.seconds(over, times.rtts[0]) * scale / said
        row = Row(
            "you said",
            value,
            f"{found} {said:g}x faster",
            style.Look(style.GUESS, "D", filled=False),
            said=True,
        )
        next(iter(blocks.values())).insert(times.names.index(found) + 1, row)
    values = [row.value for rows in blocks.values() for row in rows]
    spans = max(values) > LONGEST_BAR * min(values)
    figure, _ = draw_rows(blocks, f"{unit} a call", log=spans)
    figure.ratios = list(ratios.values())
    return caption(
        figure,
        title or comparison_title(times, ratios),
        in_words(times, over, ratios),
        times.rtts,
        times.calm,
        ROUNDS_NOTE,
    )


def rows_at(times, over, rtt, scale, ratios):
    looks, rows = style.looks(times.names), []
    for name in times.names:
        seconds, ratio = times.seconds(name, rtt), ratios.get((name, rtt))
        value = seconds * scale
        since = times.seconds(over, rtt) * scale if ratio and ratio.differs else None
        rows.append(
            Row(
                name,
                value,
                plain_duration(seconds),
                looks[name].in_row,
                str(ratio) if ratio else "",
                since,
                rounds=value.rounds,
            )
        )
    return rows


def in_words(times, over, ratios):
    if not ratios:
        return "; ".join(
            f"{over} {plain_duration(times.seconds(over, rtt))} at RTT {milliseconds(rtt)}"
            for rtt in times.rtts
        )
    return "; ".join(
        f"{ratio.sentence(name, over)} at RTT {milliseconds(rtt)}"
        for (name, rtt), ratio in ratios.items()
    )


def comparison_title(times, ratios):
    """Return '5 ms away: 151 ms in a loop, 5.28 ms in a pipeline', and which do not differ."""
    far = times.rtts[-1]
    doubts = {
        name: str(ratio)
        for (name, rtt), ratio in ratios.items()
        if rtt == far and not ratio.differs
    }
    seconds = {name: times.seconds(name, far) for name in times.names}
    return f"{style.away(far)}: {style.told(seconds, doubts)}"
