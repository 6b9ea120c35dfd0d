"""Charts of a chapter's own numbers: bars, or dots on a log axis, and lines."""

from ..arguments import (
    check_dict,
    check_number,
    check_positive,
    check_positive_one,
    check_text,
    shown,
)
from ..errors import LabError
from ..median import Median
from ..words import factor_off
from . import style
from .canvas import SMALL, abreast, caption, number, paper, sized, styled
from .labels import name_ends, write
from .rows import ROUNDS_NOTE, Row, draw_rows
from .scales import is_ratio, mark, plain_ticks, ticks_at, whole_ticks

HANDFUL = 12  # measured points; a line through more of them is drawn as a line
LONGEST_UNIT = 4  # letters that are repeated beside every value
BESIDE_PX, NARROW_BESIDE_PX = 200, 270  # what stands beside the axes
ALIKE = 1.05  # two values closer than that stand for the same
BARS, LINES = '{"loop": 31.2}', '{"loop": {1: 0.5, 10: 4.8}}'


class Factor(float):
    """The value of a Ratio, `ratio`, to be drawn as any number, and its `interval`."""

    def __new__(cls, ratio):
        made = super().__new__(cls, ratio.value)
        made.ratio, made.interval = ratio, (ratio.low, ratio.high)
        return made


@styled
def plot_bars(values, unit, title, log=False, measured=True, asked=None, source=None):
    """Draw a horizontal bar for each {name: value}, or {group: {name: value}}, labelled in `unit`.

    With `log`, for values that span decades, a dot on a log axis, and the factor to the first one.
    Ratios, whose unit says "times", are dots on a log axis too, left or right of 1x; a Ratio shows
    its interval and its own judgement, and is hollow where that is "no different". A list is its
    rounds: the median is drawn, and they as small dots. `asked` draws a line at the number that was
    asked for; `source` says who measured where it was not this machine. `measured=False` prints the
    values as facts, to be compared in CI: for counts only. Raises LabError for anything but numbers
    by name and texts.
    """
    check_text(title, "title")
    check_text("here" if source is None else source, "source")
    check_positive(1 if asked is None else asked, "asked")
    log = is_ratio(check_text(unit, "unit")) or log
    groups = grouped(check_dict(values, "lab.plot_bars", BARS), depth=1)
    groups = {heading: bars_in(each, log) for heading, each in groups.items()}
    numbers = [value for values in groups.values() for value in values.values()]
    looks = looks_of(groups)
    blocks = {heading: rows_of(each, unit, looks[heading], log) for heading, each in groups.items()}
    figure, axes = draw_rows(blocks, unit, log)
    figure.ratios = ratios_in(numbers)
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
        measured=measured,
        source=source,
        note=ROUNDS_NOTE if seen and not source else "",
    )


def bars_in(values, log):
    """Return {name: number}, a Median of rounds; raise LabError for what cannot be drawn."""
    numbers = {}
    for name, value in check_dict(values, "lab.plot_bars", BARS).items():
        what = f"lab.plot_bars: {name}"
        numbers[name] = (
            Median([check_number(each, what) for each in value])
            if isinstance(value, list) and value
            else number_in(value, what)
        )
    if log:
        check_positive_one(numbers.values(), "lab.plot_bars")
    return numbers


def number_in(value, what):
    """Return a number, of a Ratio its Factor; raise LabError for anything else."""
    return check_number(Factor(value) if hasattr(value, "judgement") else value, what)


def grouped(values, depth):
    """Return values if they are {group: …}, with `depth` dicts inside, else {"": values}."""
    return values if all(dicts_in(each) >= depth for each in values.values()) else {"": values}


def dicts_in(value):
    """Return how many dicts stand one inside the other, none of them empty."""
    if isinstance(value, dict) and value:
        return 1 + min(map(dicts_in, value.values()))
    return 0


def ratios_in(numbers):
    return [value.ratio for value in numbers if isinstance(value, Factor)]


def looks_of(groups):
    """Return {heading: {name: Look}}: by the names; if none of them has a role, by the headings."""
    looks = style.looks(list(dict.fromkeys(name for values in groups.values() for name in values)))
    if any(look.color != style.NO_ROLE for look in looks.values()):
        return dict.fromkeys(groups, looks)
    heads = style.looks(list(groups))
    return {heading: dict.fromkeys(values, heads[heading]) for heading, values in groups.items()}


def rows_of(values, unit, looks, log):
    """Return a Row for each value: a ratio beside 1x, others with the factor to the first."""
    first, rows = next(iter(values.values())), []
    beside = "x" if is_ratio(unit) else f" {unit}" if len(unit) <= LONGEST_UNIT else ""
    for name, value in values.items():
        if log and value <= 0:
            continue
        look, note, since, interval = looks[name].in_row, "", None, ()
        if is_ratio(unit):
            since = 1
            if isinstance(value, Factor):
                look = style.replace(look, filled=value.ratio.differs)
                interval = value.interval
        elif log and rows and first > 0 and factor_off(value, first) >= ALIKE:
            since = first
            factor = number(float(factor_off(value, first)))
            note = f"{factor}x {'less' if value < first else 'more'}"
        rows.append(
            Row(
                name,
                value,
                worded(value, beside),
                look,
                note,
                since,
                interval=interval,
                rounds=getattr(value, "rounds", ()),
            )
        )
    return rows


def worded(value, unit=""):
    """Return a number and its unit; of a Ratio its own judgement, such as "no different"."""
    return str(value.ratio) if isinstance(value, Factor) else f"{number(value)}{unit}"


def bars_in_words(groups, unit):
    if "" in groups:
        return "; ".join(f"{name} {worded(each, f' {unit}')}" for name, each in groups[""].items())
    told = (
        f"{group}: " + ", ".join(f"{name} {worded(value)}" for name, value in bars.items())
        for group, bars in groups.items()
    )
    return f"{'; '.join(told)} ({unit})"


@styled
def plot_lines(
    series, xlabel, ylabel, title, log_x=False, log_y=False, ylim=None, shaded=None, limit=None
):
    """Draw {name: {x: y}} as points, or {panel: {name: {x: y}}} side by side on the same axes.

    Axes carry their units in their labels; the name stands at a line's last point. `ylim` is
    (lowest, highest). `shaded`, (from, to, words), shades a span of x, and `limit`, (y, words), is
    a line across. Ratios, whose ylabel says "times", get a line at 1x, and a Ratio shows its
    interval and judgement. Raises LabError for all but numbers by number and name, and texts.
    """
    for text, label in ((xlabel, "xlabel"), (ylabel, "ylabel"), (title, "title")):
        check_text(text, label)
    panels = grouped(check_dict(series, "lab.plot_lines", LINES), depth=2)
    panels = {heading: lines_in(lines, log_x, log_y) for heading, lines in panels.items()}
    figure, row = abreast(len(panels), 1.6, 2.8, sharex=True)
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
        shade(axes, shaded)
    lines = [points for series in panels.values() for points in series.values()]
    figure.ratios = [ratio for points in lines for ratio in ratios_in(points.values())]
    set_limits(row, [y for points in lines for y in points.values()], ylabel, log_y, ylim, limit)
    told = [
        (f"{heading}: " if heading else "") + lines_in_words(series, xlabel, ylabel)
        for heading, series in panels.items()
    ]
    caption(figure, title, ". ".join(told))
    room = 100 * paper.width - sized(BESIDE_PX, NARROW_BESIDE_PX)
    for axes, series in zip(row, panels.values(), strict=True):
        ticks_at(
            axes.xaxis,
            [x for points in series.values() for x in points],
            room / sized(len(panels), 1),
        )
    name_panels(row, list(panels.values()), looks)
    return figure


def lines_in(series, log_x, log_y):
    """Return {name: {x: number}}; raise LabError for what cannot be drawn."""
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
        for values, log in ((lines[name], log_x), (lines[name].values(), log_y)):
            if log:
                check_positive_one(values, "lab.plot_lines")
    return lines


def shade(axes, shaded):
    """Shade a span of x that the title speaks of, its words at its head."""
    if shaded:
        start, end, words = shaded
        axes.axvspan(start, end, color=style.RISK, zorder=0)
        middle = (start + end) / 2, 1
        write(axes, words, middle, (0, -4), xycoords=axes.get_xaxis_transform(), fontsize=SMALL)


def name_panels(row, panels, looks):
    """Name each series once: in the last panel that has it."""
    last = {name: axes for axes, series in zip(row, panels, strict=True) for name in series}
    for axes, series in zip(row, panels, strict=True):
        here = {name: points for name, points in series.items() if last[name] is axes}
        if here:
            name_ends(axes, here, looks)


def draw_series(axes, series, looks):
    """Draw points, where there are a handful, and a thin line for the eye; of many a line."""
    for name, points in series.items():
        look, few = looks[name], len(points) <= HANDFUL
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
                markeredgewidth=1.6,
            )
        for x, y in points.items():
            if isinstance(y, Factor):
                axes.plot(
                    [x, x], y.interval, color=look.color, linewidth=1.2, marker="_", markersize=7
                )


def set_limits(row, values, ylabel, log_y, ylim, limit):
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


def lines_in_words(series, xlabel, ylabel):
    """Return 'loop from 1 to 9 ms between …'; 'from 1.2x slower to 3.2x faster' of Ratios."""
    ends = {
        name: (min(points), max(points))
        for name, points in series.items()
        if name.lower() not in style.FORMULAS
    }
    return "; ".join(
        f"{name} from {worded(series[name][first])} "
        f"to {worded(series[name][last], f' {ylabel}')} "
        f"between {number(first)} and {number(last)} {xlabel}"
        for name, (first, last) in ends.items()
    )
