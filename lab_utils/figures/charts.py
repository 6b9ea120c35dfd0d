"""Charts of a chapter's own numbers: bars, or dots on a log axis, and lines."""

from ..arguments import check_dict, check_number, check_numbers, check_positive, check_positive_one, check_text, shown
from ..errors import LabError
from ..median import Median
from ..words import factor_off
from . import style
from .canvas import SMALL, environment, number, paper, plt, set_title, sized, styled, tell
from .labels import name_ends
from .rows import ROUNDS_NOTE, Row, draw_rows, page
from .scales import is_ratio, mark, plain_ticks, ticks_at, whole_ticks

HANDFUL = 12  # measured points; a line through more of them is drawn as a line
LONGEST_UNIT = 4  # letters that are repeated beside every value
BESIDE_PX, NARROW_BESIDE_PX = 200, 270  # what stands beside the axes
ALIKE = 1.05  # two values closer than that stand for the same
BARS, LINES = '{"loop": 31.2}', '{"loop": {1: 0.5, 10: 4.8}}'


def plot_bars(values, unit, title, log=False, measured=True, asked=None, source=None):
    """Draw a horizontal bar for each {name: value}, or {group: {name: value}}, labelled in `unit`.

    With `log`, for values that span decades, a dot on a log axis, and the factor to the first one.
    Ratios, whose unit says "times", are dots on a log axis too, left or right of 1x; a Ratio shows
    its interval and its own judgement, and is hollow where that is "no different". A list is its rounds:
    the median is drawn, and they as small dots. `asked` draws a line at the number that was asked for;
    `source` says who measured where it was not this machine. `measured=False` prints the values as facts, to be
    compared in CI: for counts only. Raises LabError for anything but numbers by name and texts.
    """
    groups = with_medians(grouped(values, "lab.plot_bars", BARS))
    parts = {heading: without_intervals(each) for heading, each in groups.items()}
    groups = {heading: numbers for heading, (numbers, _) in parts.items()}
    check_text(title, "title")
    check_text("here" if source is None else source, "source")
    log = is_ratio(check_text(unit, "unit")) or log
    for numbers in groups.values():
        check_numbers(numbers, "lab.plot_bars", BARS)
        if log:
            check_positive_one(numbers.values(), "lab.plot_bars")
    check_positive(1 if asked is None else asked, "asked")
    ratios = {heading: found for heading, (_, found) in parts.items()}
    return draw_bars(groups, unit, title, log, measured, asked, ratios, source)


def grouped(values, helper, example, depth=1):
    """{group: values}, of values by group or of one lot, which gets no heading; `depth` is how deep one lot is."""
    check_dict(values, helper, example)

    def is_group(each):
        nested = [each]
        for _ in range(depth):
            if not all(isinstance(one, dict) and one for one in nested):
                return False
            nested = [inner for one in nested for inner in one.values()]
        return True

    return values if all(map(is_group, values.values())) else {"": values}


def with_medians(groups):
    """{group: values} with a Median for each list of numbers."""
    def of(value):
        rounds = value if isinstance(value, list) and value else [value]
        return Median([check_number(each, "lab.plot_bars: a round") for each in rounds]) if rounds is value else value

    return {heading: {name: of(each) for name, each in values.items()} for heading, values in groups.items()}


@styled
def draw_bars(groups, unit, title, log, measured, asked, ratios, source):
    looks = looks_of(groups)
    blocks = {heading: rows_of(values, unit, looks[heading], log, ratios[heading]) for heading, values in groups.items()}
    figure, axes = page(blocks)
    draw_rows(axes, blocks, unit, log)
    figure.ratios = [ratio for found in ratios.values() for ratio in found.values()]
    if not log:
        whole_ticks(axes.xaxis, [value for values in groups.values() for value in values.values()])
    if is_ratio(unit):
        mark(axes, 1, "1x")
    if asked is not None:
        mark(axes, asked, f"{number(asked)} asked")
    set_title(axes, title)
    seen = any(row.rounds for rows in blocks.values() for row in rows)
    environment(axes, note=ROUNDS_NOTE if seen and not source else "", source=source)
    tell(measured, bars_in_words(groups, unit, ratios))
    return figure


def looks_of(groups):
    """{heading: {name: Look}}: by the names; where none of them has a role, by the headings."""
    looks = style.looks(list(dict.fromkeys(name for values in groups.values() for name in values)))
    if any(look.color != style.NO_ROLE for look in looks.values()):
        return dict.fromkeys(groups, looks)
    heads = style.looks(list(groups))
    return {heading: dict.fromkeys(values, heads[heading]) for heading, values in groups.items()}


def rows_of(values, unit, looks, log, ratios):
    """A Row for each value: a ratio beside 1x, else on a log axis with the factor to the first."""
    first, rows = next(iter(values.values())), []
    for name, value in values.items():
        if log and value <= 0:
            continue
        look, ratio, rounds = looks[name].in_row, ratios.get(name), getattr(value, "rounds", ())
        if is_ratio(unit):
            text = str(ratio) if ratio else in_unit(value, unit)
            hollow = style.replace(look, filled=not ratio or ratio.differs)
            rows.append(Row(name, value, text, hollow, since=1, interval=interval_of(ratio)))
        elif log and rows and first > 0 and factor_off(value, first) >= ALIKE:
            note = f"{number(float(factor_off(value, first)))}x {'less' if value < first else 'more'}"
            rows.append(Row(name, value, in_unit(value, unit), look, note, first, rounds=rounds))
        else:
            rows.append(Row(name, value, in_unit(value, unit), look, rounds=rounds))
    return rows


def in_unit(value, unit):
    """'31.2 ms', '4.9x'; without a unit that is long to repeat."""
    return number(value) + ("x" if is_ratio(unit) else f" {unit}" if len(unit) <= LONGEST_UNIT else "")


def without_intervals(values):
    """({name: number}, {name: Ratio}) of values that may be Ratios."""
    if not isinstance(values, dict):
        return values, {}
    ratios = {name: value for name, value in values.items() if interval_of(value)}
    return values | {name: ratio.value for name, ratio in ratios.items()}, ratios


def interval_of(ratio):
    """(low, high) of a Ratio; () of a number."""
    return (ratio.low, ratio.high) if hasattr(ratio, "low") and hasattr(ratio, "high") else ()


def bars_in_words(groups, unit, ratios):
    if "" in groups:
        return "; ".join(f"{name} {worded(value, ratios[''].get(name), f' {unit}')}" for name, value in groups[""].items())
    return "; ".join(f"{group}: " + ", ".join(f"{name} {worded(value, ratios[group].get(name))}"
                                              for name, value in bars.items())
                     for group, bars in groups.items()) + f" ({unit})"


def worded(value, ratio, unit=""):
    """A number and its unit; of a Ratio its own judgement, such as "no different"."""
    return str(ratio) if ratio else f"{number(value)}{unit}"


def plot_lines(series, xlabel, ylabel, title, log_x=False, log_y=False, measured=True, ylim=None, shaded=None, limit=None):
    """Draw the points of {name: {x: y}}, or of {panel: {name: {x: y}}} side by side on the same axes.

    Axes carry their units in their labels; the name stands at a line's last point. `ylim` is
    (lowest, highest). `shaded`, (from, to, words), shades a span of x, and `limit`, (y, words), is a
    line across. Ratios, whose ylabel says "times", get a line at 1x, and a Ratio shows its interval
    and its own judgement. `measured=False` prints the end points as facts, to be compared in CI: for
    counts only. Raises LabError for anything but numbers by number and name, and texts.
    """
    panels, ratios = grouped(series, "lab.plot_lines", LINES, depth=2), {}
    if "" in panels:
        parts = {name: without_intervals(points) for name, points in series.items()}
        panels = {"": {name: points for name, (points, _) in parts.items()}}
        ratios = {name: found for name, (_, found) in parts.items()}
    for lines in panels.values():
        check_series(lines, log_x, log_y)
    for text, label in ((xlabel, "xlabel"), (ylabel, "ylabel"), (title, "title")):
        check_text(text, label)
    return draw_lines(panels, xlabel, ylabel, title, log_x, log_y, measured, ylim, ratios, shaded, limit)


def check_series(series, log_x, log_y):
    for name, points in check_dict(series, "lab.plot_lines", LINES).items():
        if not isinstance(points, dict) or not points:
            raise LabError(f"lab.plot_lines needs a dict {{x: y}} for each line, such as {LINES}, and got "
                           f"{shown(points)} for {name}. Write at least one point.")
        for x, y in points.items():
            check_number(x, f"lab.plot_lines: x of {name}")
            check_number(y, f"lab.plot_lines: y of {name}")
        for values, log in ((points, log_x), (points.values(), log_y)):
            if log:
                check_positive_one(values, "lab.plot_lines")


@styled
def draw_lines(panels, xlabel, ylabel, title, log_x, log_y, measured, ylim, ratios, shaded, limit):
    columns = sized(len(panels), 1)
    rows = len(panels) // columns
    figure, grid = plt.subplots(rows, columns, sharex=True, sharey=True, squeeze=False, figsize=(paper.width, 1.6 + 2.8 * rows))
    row = list(grid.flat)
    looks = style.looks(list(dict.fromkeys(name for series in panels.values() for name in series)))
    for axes, (heading, series) in zip(row, panels.items(), strict=True):
        draw_series(axes, series, looks)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        axes.set_title(heading, fontsize=11, fontweight="normal")
        shade(axes, shaded)
    for name, intervals in ratios.items():
        draw_intervals(row[0], intervals, looks[name])
    figure.ratios = [ratio for intervals in ratios.values() for ratio in intervals.values()]
    set_limits(row, panels, ylabel, log_y, ylim, limit)
    for axes in grid[-1]:
        axes.set_xlabel(f"{xlabel}, log scale" if log_x else xlabel)
    for axes in grid[:, 0]:
        axes.set_ylabel(f"{ylabel}, log scale" if log_y else ylabel)
    set_title(row[0], title)
    environment(row[0])
    room = 100 * paper.width - sized(BESIDE_PX, NARROW_BESIDE_PX)
    for axes, series in zip(row, panels.values(), strict=True):
        ticks_at(axes.xaxis, [x for points in series.values() for x in points], room / columns)
    name_panels(row, list(panels.values()), looks)
    told = [(f"{heading}: " if heading else "") + lines_in_words(series, xlabel, ylabel, ratios)
            for heading, series in panels.items()]
    tell(measured, ". ".join(told))
    return figure


def shade(axes, shaded):
    """A span of x that the title speaks of, its words at its head."""
    if shaded:
        start, end, words = shaded
        axes.axvspan(start, end, color=style.RISK, zorder=0)
        axes.annotate(words, ((start + end) / 2, 1), (0, -4), xycoords=axes.get_xaxis_transform(), ha="center",
                      va="top", textcoords="offset points", fontsize=SMALL, color=style.INK)


def name_panels(row, panels, looks):
    """Each series is named once: in the last panel that has it."""
    for place, axes in enumerate(row):
        later = {name for series in panels[place + 1:] for name in series}
        here = {name: points for name, points in panels[place].items() if name not in later}
        if here:
            name_ends(axes, here, looks)


def draw_series(axes, series, looks):
    """Points where there are a handful, which a thin line only joins for the eye; a line where there are many."""
    for name, points in series.items():
        look, few = looks[name], len(points) <= HANDFUL
        axes.plot(list(points), list(points.values()), color=look.color, linestyle=look.line,
                  linewidth=1.2 if few else 2, alpha=0.6 if few and look.marker else 1)
        if few:
            axes.plot(list(points), list(points.values()), linestyle="none", marker=look.marker or None,
                      markersize=8, color=look.color, markerfacecolor=look.face, markeredgewidth=1.6)


def draw_intervals(axes, ratios, look):
    for x, ratio in ratios.items():
        axes.plot([x, x], interval_of(ratio), color=look.color, linewidth=1.2, marker="_", markersize=7)


def set_limits(row, panels, ylabel, log_y, ylim, limit):
    values = [y for series in panels.values() for points in series.values() for y in points.values()]
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


def lines_in_words(series, xlabel, ylabel, ratios):
    return "; ".join(f"{name} from {ends_in_words(points, ylabel, ratios.get(name, {}))} "
                     f"between {number(min(points))} and {number(max(points))} {xlabel}"
                     for name, points in series.items() if name.lower() not in style.FORMULAS)


def ends_in_words(points, ylabel, ratios):
    """'1 to 9 ms'; '1.2x slower to 3.2x faster' of Ratios."""
    first, last = (worded(points[x], ratios.get(x)) for x in (min(points), max(points)))
    return f"{first} to {last}" if max(points) in ratios else f"{first} to {last} {ylabel}"
