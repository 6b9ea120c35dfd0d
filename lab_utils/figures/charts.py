"""Draw charts of a chapter's numbers: bars, or dots on a log axis, and lines."""

from dataclasses import replace

from ..arguments import check_dict, check_number, shown
from ..errors import LabError
from ..median import Median
from ..words import factor_off, two_figures
from . import style
from .canvas import SMALL, WIDTH, Result, caption, number, plt, styled
from .labels import is_ratio, mark, name_ends, plain_ticks, ticks_at, whole_ticks, write
from .rows import ROUNDS_NOTE, Row, draw_rows

HANDFUL = 12  # measured points; a line through more of them is drawn as a line
LONGEST_UNIT = 4  # letters that are repeated beside every value
BESIDE_PX = 200  # what stands beside the axes
LINES_HEIGHT = 4.4  # inches
ALIKE = 1.05  # two values closer than that stand for the same
BARS, LINES = '{"loop": 31.2}', '{"loop": {1: 0.5, 10: 4.8}}'


class Factor(float):
    """The value of a Ratio, as a float to draw; `ratio` is the Ratio itself."""

    ratio: Result

    def __new__(cls, ratio: Result) -> "Factor":
        made = super().__new__(cls, ratio.value)
        made.ratio = ratio
        return made


@styled
def plot_bars(
    values: dict,
    unit: str,
    title: str,
    log: bool = False,
    measured: bool = True,
    asked: float | None = None,
    source: str | None = None,
    rtt_ms: float | list[float] | tuple[float, ...] = (),
) -> plt.Figure:
    """Draw a horizontal bar for each number in `values`, {name: number}, labelled in `unit`.

    `values` may also be {group: {name: number}}. With `log`, for values that span decades, each
    value is a dot on a log axis, with its share of the first value. Ratios, whose `unit` contains
    "times", are dots on a log axis too, left or right of 1x; a Ratio shows its interval and its
    judgement, and is hollow if that is "no different". For a list of numbers, the median is drawn,
    and its values as small dots. `asked` draws a line at the number that was asked for. `rtt_ms`,
    one distance in ms or several, is named in the small type. `source` says who measured, if that
    was another machine. `measured=False` prints the values as facts that CI compares: for counts
    only. Returns the Figure. Raises LabError for anything but numbers by name.
    """
    groups = in_groups(check_dict(values, "lab.plot_bars", BARS), depth=1)
    groups = {heading: bars_in(each) for heading, each in groups.items()}
    numbers = [value for values in groups.values() for value in values.values()]
    log = (log or is_ratio(unit)) and max(numbers) > 0
    looks = looks_of(groups)
    blocks = {heading: rows_of(each, unit, looks[heading], log) for heading, each in groups.items()}
    figure, axes = draw_rows(blocks, unit, log)
    if not log:
        whole_ticks(axes.xaxis, numbers)
    if is_ratio(unit):
        mark(axes, 1, "1x")
    if asked is not None:
        mark(axes, asked, f"{number(asked)} asked")
    seen = any(row.rounds for rows in blocks.values() for row in rows)
    return caption(
        figure,
        title,
        bars_in_words(groups, unit),
        distances(rtt_ms),
        measured=measured,
        source=source,
        note=ROUNDS_NOTE if seen and not source else "",
        ratios=ratios_in(numbers),
    )


def bars_in(values: object) -> dict[str, float]:
    """Check `values`, {name: value}; return {name: the number to draw}.

    A list of numbers becomes its Median, and a Ratio (of times) a Factor; both are floats. Raises
    LabError for values that can't be drawn.
    """
    return {
        name: number_in(value, f"lab.plot_bars: {name}")
        for name, value in check_dict(values, "lab.plot_bars", BARS).items()
    }


def number_in(value: object, what: str) -> float:
    """Return the number to draw for a value of a chart: a float or int, maybe with more attached.

    A list of numbers becomes a Median, whose single rounds are drawn as dots. A Ratio becomes a
    Factor, which keeps the Ratio. A Median, as a comparison returns it, becomes a plain float: its
    rounds are not drawn. Any other number is returned unchanged. Raises LabError for anything else;
    the message calls the value `what`.
    """
    if isinstance(value, list) and value:
        return Median([check_number(each, what) for each in value])
    if isinstance(value, Median):
        return float(value)
    return check_number(Factor(value) if hasattr(value, "judgement") else value, what)


def distances(rtt_ms: float | list[float] | tuple[float, ...]) -> tuple[float, ...]:
    return tuple(rtt_ms) if isinstance(rtt_ms, (list, tuple)) else (rtt_ms,)


def in_groups(values: dict, depth: int) -> dict:
    """Return `values` unchanged if it is a dict of groups, else as the only group, {"": values}.

    `values` is a dict of groups if each of its values is a dict that is nested at least `depth`
    dicts deep: 1 for {name: number}, 2 for {name: {x: y}}.
    """
    return values if all(dicts_in(each) >= depth for each in values.values()) else {"": values}


def dicts_in(value: object) -> int:
    """Return how many dicts are nested in a value: 0 for a number, 1 for {name: number}.

    An empty dict counts as 0. If the values of a dict are nested to different depths, the smallest
    depth counts.
    """
    if isinstance(value, dict) and value:
        return 1 + min(map(dicts_in, value.values()))
    return 0


def ratios_in(numbers: list[float]) -> list:
    return [value.ratio for value in numbers if isinstance(value, Factor)]


def looks_of(groups: dict[str, dict[str, float]]) -> dict[str, dict[str, style.Look]]:
    """Choose the Look (colour, marker, line) of each bar; return {heading: {name: Look}}.

    `groups` is {heading: {name: number}}. A Look depends on the bar's name, or on its heading if no
    name has a colour of its own.
    """
    looks = style.looks(list(dict.fromkeys(name for values in groups.values() for name in values)))
    if any(look.color != style.NO_ROLE for look in looks.values()):
        return dict.fromkeys(groups, looks)
    heads = style.looks(list(groups))
    return {heading: dict.fromkeys(values, heads[heading]) for heading, values in groups.items()}


def rows_of(
    values: dict[str, float], unit: str, looks: dict[str, style.Look], log: bool
) -> list[Row]:
    """Return a Row, which has a bar or a dot with words, for each value of a bar chart.

    `values` is {name: number}, `unit` their unit, `looks` {name: Look}; `log` is whether the axis
    is a log axis, on which values of 0 or less are left out. On a log axis a Row also shows how its
    value compares with 1x, if it is a ratio, else with the first value.
    """
    first_name, first = next(iter(values.items()))
    beside = "x" if is_ratio(unit) else f" {unit}" if len(unit) <= LONGEST_UNIT else ""
    rows = []
    for name, value in values.items():
        rounds = getattr(value, "rounds", ())
        row = Row(name, value, worded(value, beside), looks[name].in_row, rounds=rounds)
        if isinstance(value, Factor):
            look = replace(row.look, filled=value.ratio.differs)
            row = replace(row, look=look, interval=(value.ratio.low, value.ratio.high))
        if is_ratio(unit):
            row = replace(row, since=1)
        elif log and value > 0 and first > 0 and factor_off(value, first) >= ALIKE:
            row = replace(row, since=first, note=compared(value, first, first_name))
        if value > 0 or not log:  # a log axis has no place for 0 or less
            rows.append(row)
    return rows


def compared(value: float, first: float, name: str) -> str:
    """Return a number compared with another, as text: '1/25 of loop', '36% of loop', '2.8x loop'.

    `value` is compared with `first`; `name` is the name of `first`, such as "loop".
    """
    if value > first:
        return f"{two_figures(value / first)}x {name}"
    if 10 * value > first:
        return f"{value / first:.0%} of {name}"
    return f"1/{two_figures(first / value)} of {name}"


def worded(value: float, unit: str = "") -> str:
    """Return a number and its unit as text; for a Factor its Ratio's judgement, as '5.2x faster'.

    `unit` is put directly behind the number, so it begins with a space where one is wanted: " ms".
    """
    return str(value.ratio) if isinstance(value, Factor) else f"{number(value)}{unit}"


def bars_in_words(groups: dict[str, dict[str, float]], unit: str) -> str:
    if "" in groups:
        return "; ".join(f"{name} {worded(each, f' {unit}')}" for name, each in groups[""].items())
    told = (
        f"{group}: " + ", ".join(f"{name} {worded(value)}" for name, value in bars.items())
        for group, bars in groups.items()
    )
    return f"{'; '.join(told)} ({unit})"


@styled
def plot_lines(
    series: dict,
    xlabel: str,
    ylabel: str,
    title: str,
    log_x: bool = False,
    log_y: bool = False,
    ylim: tuple[float, float] | None = None,
    shaded: tuple[float, float, str] | None = None,
    limit: tuple[float, str] | None = None,
    rtt_ms: float | list[float] | tuple[float, ...] = (),
    source: str | None = None,
) -> plt.Figure:
    """Draw numbers against numbers, as points: `series` is {name: {x: y}}.

    It may also be {panel: {name: {x: y}}}: panels are side by side on the same axes. `xlabel` and
    `ylabel` contain their units; each series' name is written at its last point. `log_x` and
    `log_y` make an axis log. `ylim` is (lowest, highest). `shaded`, (from, to, words), shades a
    span of x, and `limit`, (y, words), draws a line across. `rtt_ms`, one distance in ms or
    several, and `source`, who measured if that was another machine, are named in the small type.
    Ratios, whose ylabel contains "times", get a line at 1x, and a Ratio shows its interval and
    judgement. Returns the Figure. Raises LabError for all but numbers by number and name.
    """
    panels = in_groups(check_dict(series, "lab.plot_lines", LINES), depth=2)
    panels = {heading: lines_in(lines) for heading, lines in panels.items()}
    lines = [points for series in panels.values() for points in series.values()]
    numbers = [y for points in lines for y in points.values()]
    # What is not above 0 has no place on a log axis.
    log_x = log_x and max(map(max, lines)) > 0
    log_y = log_y and max(numbers) > 0
    figure, [row] = plt.subplots(
        1, len(panels), sharex=True, sharey=True, squeeze=False, figsize=(WIDTH, LINES_HEIGHT)
    )
    looks = style.looks(list(dict.fromkeys(name for series in panels.values() for name in series)))
    for axes, (heading, series) in zip(row, panels.items(), strict=True):
        draw_series(axes, series, looks)
        axes.set(
            xscale="log" if log_x else "linear",
            yscale="log" if log_y else "linear",
            xlabel=f"{xlabel}, log scale" if log_x else xlabel,
            ylabel=f"{ylabel}, log scale" if log_y else ylabel,
        )
        axes.label_outer()
        axes.set_title(heading, fontsize=11, fontweight="normal")
        if shaded:
            shade(axes, *shaded)
    set_limits(row, numbers, ylabel, log_y, ylim, limit)
    told = [
        (f"{heading}: " if heading else "") + lines_in_words(series, xlabel, ylabel)
        for heading, series in panels.items()
    ]
    caption(
        figure,
        title,
        ". ".join(told),
        distances(rtt_ms),
        source=source,
        ratios=ratios_in(numbers),
    )
    room = (100 * WIDTH - BESIDE_PX) / len(panels)
    for axes, series in zip(row, panels.values(), strict=True):
        ticks_at(axes.xaxis, [x for points in series.values() for x in points], room)
    name_panels(row, list(panels.values()), looks)
    return figure


def lines_in(series: object) -> dict[str, dict[float, float]]:
    """Check `series`, {name: {x: y}}; return the same with each y as the number to draw.

    A list of numbers becomes its Median, and a Ratio (of times) a Factor; both are floats. Raises
    LabError for values that can't be drawn.
    """
    lines = {}
    for name, points in check_dict(series, "lab.plot_lines", LINES).items():
        if not isinstance(points, dict) or not points:
            raise LabError(
                f"lab.plot_lines needs a dict {{x: y}} for each line, such as {LINES}, "
                f"and got {shown(points)} for {name}. Write at least one point."
            )
        lines[name] = {
            check_number(x, f"lab.plot_lines: x of {name}"): number_in(
                y, f"lab.plot_lines: y of {name}"
            )
            for x, y in points.items()
        }
    return lines


def shade(axes: plt.Axes, start: float, end: float, words: str) -> None:
    axes.axvspan(start, end, color=style.RISK, zorder=0)
    write(
        axes,
        words,
        ((start + end) / 2, 1),
        (0, -4),
        xycoords=axes.get_xaxis_transform(),
        fontsize=SMALL,
    )


def name_panels(row: list, panels: list[dict], looks: dict[str, style.Look]) -> None:
    """Write each series' name once, in the last panel that contains the series.

    `row` are the panels' axes, `panels` the series of each, {name: {x: y}}, and `looks` {name:
    Look}.
    """
    last = {name: axes for axes, series in zip(row, panels, strict=True) for name in series}
    for axes, series in zip(row, panels, strict=True):
        here = {name: points for name, points in series.items() if last[name] is axes}
        if here:
            name_ends(axes, here, looks)


def draw_series(
    axes: plt.Axes, series: dict[str, dict[float, float]], looks: dict[str, style.Look]
) -> None:
    """Draw each series: up to 12 points with a thin line through them, more as a line alone.

    `series` is {name: {x: y}}, `looks` {name: Look}.
    """
    for name, points in series.items():
        look = looks[name]
        few = len(points) <= HANDFUL
        axes.plot(
            list(points),
            list(points.values()),
            color=look.color,
            linestyle=look.line,
            linewidth=1.2 if few else 2,
            alpha=0.6 if few and look.marker else 1,
        )
        if few:
            axes.plot(
                list(points),
                list(points.values()),
                linestyle="none",
                color=look.color,
                marker=look.marker or None,
                markersize=8,
                markerfacecolor=look.face,
                markeredgecolor=look.edge,
                markeredgewidth=1.6,
            )
        for x, y in points.items():
            if isinstance(y, Factor):
                ends = [y.ratio.low, y.ratio.high]
                axes.plot([x, x], ends, color=look.color, linewidth=1.2, marker="_", markersize=7)


def set_limits(
    row: list,
    values: list[float],
    ylabel: str,
    log_y: bool,
    ylim: tuple[float, float] | None,
    limit: tuple[float, str] | None,
) -> None:
    highest = max([*values, 1 if is_ratio(ylabel) else 0, limit[0] if limit else 0])
    axes = row[0]
    if ylim:
        axes.set_ylim(*ylim)
    elif not log_y:
        axes.set_ylim(min(0, *values) if len(values) > 1 else 0, highest * 1.08 or 1)
        whole_ticks(axes.yaxis, values)
    for each in row:
        plain_ticks(each.yaxis)
        if is_ratio(ylabel):
            mark(each, 1, "1x", across=True)
        if limit:
            mark(each, *limit, across=True, end=1)


def lines_in_words(series: dict[str, dict[float, float]], xlabel: str, ylabel: str) -> str:
    """Return a figure's sentence: for each line its first and last y and x, with their units.

    An example is 'loop from 1 to 9 ms between 0 and 20 km'; Ratios are written as '3.2x faster'.
    `series` is {name: {x: y}}; lines of formulas are left out.
    """
    ends = {
        name: (min(points), max(points))
        for name, points in series.items()
        if name.lower() not in style.FORMULAS
    }
    return "; ".join(
        f"{name} from {worded(series[name][first])} "
        f"to {worded(series[name][last], f' {ylabel}')} "
        f"between {number(first)} and {number(last)} {xlabel}"
        if first != last
        else f"{name} {worded(series[name][last], f' {ylabel}')} at {number(last)} {xlabel}"
        for name, (first, last) in ends.items()
    )
