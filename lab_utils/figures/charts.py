"""Charts of a chapter's own numbers: bars, bars in groups, lines."""

from dataclasses import replace

from ..arguments import check_dict, check_number, check_numbers, check_positive, check_positive_one, check_text, heard, shown
from ..errors import LabError
from ..words import factor_off
from . import style
from .canvas import WIDTH, environment, number, plt, set_title, styled, tell
from .labels import name_ends
from .rows import Row, draw_rows, page, said_row
from .scales import is_ratio, mark, plain_ticks, ticks_at, whole_ticks

HANDFUL = 12  # measured points; a line through more of them is drawn as a line
LONGEST_UNIT = 4  # letters that are repeated beside every value
AXIS_PX = 700
ALIKE = 1.05  # two values closer than that stand for the same


def plot_bars(values, unit, title, log=False, measured=True, asked=None, said=None):
    """A horizontal bar for each {name: value}, labelled with its value in `unit`, such as "ms" or "bytes".

    With `log`, for values that span decades, a dot on a log axis, and the factor to the first one. `asked` draws a line at
    the number that was asked for; ratios, whose unit says "times", get one at 1x, and a Ratio shows its interval
    and says its own judgement. `said` is a guess at the last value, a hollow diamond beneath it. `measured=False` prints
    the values as facts, to be compared in CI: for counts only. Raises LabError for anything but numbers by name and texts.
    """
    values, ratios = without_intervals(values)
    *_, last = check_numbers(values, "lab.plot_bars", '{"loop": 31.2}').values()
    said = heard(said, last, "x" if is_ratio(check_text(unit, "unit")) else unit)
    return checked_rows("lab.plot_bars", {"": values}, unit, title, log, measured, asked, ratios, said)


def plot_groups(groups, unit, title, log=False, measured=True, asked=None):
    """A horizontal bar for each value of {group: {name: value}}, under the group's name; the rest is as in `plot_bars`.

    A name keeps its colour in every group. Raises LabError for anything but numbers by name and group, and texts.
    """
    for values in check_dict(groups, "lab.plot_groups", '{"near": {"loop": 3.1}}').values():
        check_numbers(values, "lab.plot_groups", '{"near": {"loop": 3.1}}')
    return checked_rows("lab.plot_groups", groups, unit, title, log, measured, asked)


def checked_rows(helper, groups, unit, title, log, measured, asked, ratios=None, said=None):
    for values in groups.values():
        if log:
            check_positive_one(values.values(), helper)
    check_text(unit, "unit")
    check_text(title, "title")
    if asked is not None:
        check_positive(asked, "asked")
    return draw_groups(groups, unit, title, log, measured, asked, ratios or {}, said)


@styled
def draw_groups(groups, unit, title, log, measured, asked, ratios, said):
    looks = looks_of(groups)
    blocks = {heading: rows_of(values, unit, looks[heading], log, ratios) for heading, values in groups.items()}
    if said:
        blocks[""].append(said_row(said, in_unit(said, unit)))
    figure, axes = page(blocks)
    draw_rows(axes, blocks, unit, log)
    figure.ratios = list(ratios.values())
    values = [value for values in groups.values() for value in values.values()]
    if not log:
        whole_ticks(axes.xaxis, values)
    if is_ratio(unit):
        mark(axes, 1, "1x")
    if asked is not None:
        mark(axes, asked, f"{number(asked)} asked")
    set_title(axes, title)
    environment(axes)
    yours = f"; you said {in_unit(said, unit)}" if said and measured else ""
    tell(measured, bars_in_words(groups[""], unit, ratios) + yours if "" in groups else groups_in_words(groups, unit))
    return figure


def looks_of(groups):
    """{heading: {name: Look}}: by the names; where they have no role and the headings are ways, by the headings."""
    looks = style.looks(list(dict.fromkeys(name for values in groups.values() for name in values)))
    if any(look.color != style.NO_ROLE for look in looks.values()):
        return dict.fromkeys(groups, looks)
    heads = style.looks(groups)
    return {heading: {name: pair_of(heads[heading], name, list(values)) if heads[heading].color != style.NO_ROLE
                      else looks[name] for name in values} for heading, values in groups.items()}


def pair_of(look, name, names):
    """Of two values the first is hollow, such as warm and cold; more than two are told apart by their names alone."""
    return replace(look, filled=len(names) != 2 or name == names[-1])


def rows_of(values, unit, looks, log, ratios):
    """A Row for each value; on a log axis with the factor to the first."""
    first, rows = next(iter(values.values())), []
    for name, value in values.items():
        text = str(ratios[name]) if name in ratios else in_unit(value, unit)
        compared = log and rows and first > 0 and value > 0 and factor_off(value, first) >= ALIKE
        note = f"{number(float(factor_off(value, first)))}x {'less' if value < first else 'more'}" if compared else ""
        if value > 0 or not log:
            since = first if compared else None
            rows.append(Row(name, value, text, looks[name].in_row, note, since, interval_of(ratios.get(name))))
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
    """(low, high) of a Ratio; None of a number."""
    return (ratio.low, ratio.high) if hasattr(ratio, "low") and hasattr(ratio, "high") else None


def bars_in_words(values, unit, ratios):
    return "; ".join(f"{name} {worded(value, ratios.get(name), f' {unit}')}" for name, value in values.items())


def worded(value, ratio, unit=""):
    """A number and its unit; of a Ratio its own judgement, such as "no different"."""
    return str(ratio) if ratio else f"{number(value)}{unit}"


def groups_in_words(groups, unit):
    return "; ".join(f"{group}: " + ", ".join(f"{name} {number(value)}" for name, value in bars.items())
                     for group, bars in groups.items()) + f" ({unit})"


def plot_lines(series, xlabel, ylabel, title, log_x=False, log_y=False, measured=True, ylim=None):
    """The points of {name: {x: y}}, the name at the last one. Axes carry their units in their labels.

    `ylim` is (lowest, highest), for charts that are to be compared. Ratios, whose ylabel says "times", get a line at 1x,
    and a Ratio shows its interval and says its own judgement.
    `measured=False` prints the end points as facts, to be compared in CI: for counts only. Raises LabError for anything
    but numbers by number and name, and texts.
    """
    series, ratios = series_without_intervals(series)
    check_series(series, "lab.plot_lines", log_x, log_y)
    for text, label in ((xlabel, "xlabel"), (ylabel, "ylabel"), (title, "title")):
        check_text(text, label)
    if ylim is not None:
        check_limits(ylim, log_y)
    return draw_lines({"": series}, xlabel, ylabel, title, log_x, log_y, measured, ylim, ratios)


def series_without_intervals(series):
    """({name: {x: number}}, {name: {x: Ratio}}) of points that may be Ratios."""
    if not isinstance(series, dict):
        return series, {}
    parts = {name: without_intervals(points) for name, points in series.items()}
    return {name: points for name, (points, _) in parts.items()}, {name: ratios for name, (_, ratios) in parts.items()}


def plot_panels(panels, xlabel, ylabel, title, log_x=False, log_y=False, measured=True, ylim=None):
    """{panel: {name: {x: y}}} side by side on the same axes, so that they can be compared; else as `plot_lines`."""
    for series in check_dict(panels, "lab.plot_panels", '{"near": {"loop": {1: 0.5, 10: 4.8}}}').values():
        check_series(series, "lab.plot_panels", log_x, log_y)
    for text, label in ((xlabel, "xlabel"), (ylabel, "ylabel"), (title, "title")):
        check_text(text, label)
    if ylim is not None:
        check_limits(ylim, log_y)
    return draw_lines(panels, xlabel, ylabel, title, log_x, log_y, measured, ylim)


def check_series(series, helper, log_x, log_y):
    example = '{"loop": {1: 0.5, 10: 4.8}}'
    for name, points in check_dict(series, helper, example).items():
        if not isinstance(points, dict) or not points:
            raise LabError(f"{helper} needs a dict {{x: y}} for each line, such as {example}, and got {shown(points)} "
                           f"for {name}. Write at least one point.")
        for x, y in points.items():
            check_number(x, f"{helper}: x of {name}")
            check_number(y, f"{helper}: y of {name}")
        if log_x:
            check_positive_one(points, helper)
        if log_y:
            check_positive_one(points.values(), helper)


def check_limits(ylim, log_y):
    if not isinstance(ylim, (tuple, list)) or len(ylim) != 2:
        raise LabError(f"ylim={shown(ylim)} is not a lowest and a highest value. Write both: ylim=(0, 10).")
    low, high = (check_number(value, "ylim", 0) for value in ylim)
    if low >= high or (log_y and low == 0):
        raise LabError(f"ylim={shown(ylim)} must grow" + (", from above 0 on a log scale. " if log_y else ". ")
                       + "Write the lower value first.")


@styled
def draw_lines(panels, xlabel, ylabel, title, log_x, log_y, measured, ylim=None, ratios=None):
    figure, row = plt.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False, figsize=(WIDTH, 4.4))
    looks = style.looks(list(dict.fromkeys(name for series in panels.values() for name in series)))
    for axes, (heading, series) in zip(row[0], panels.items(), strict=True):
        draw_series(axes, series, looks)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        axes.set_title(heading, fontsize=11, fontweight="normal")
        axes.set_xlabel(f"{xlabel}, log scale" if log_x else xlabel)
    for name, intervals in (ratios or {}).items():
        draw_intervals(row[0][0], intervals, looks[name])
    figure.ratios = [ratio for intervals in (ratios or {}).values() for ratio in intervals.values()]
    set_limits(row[0], panels, ylabel, log_y, ylim)
    row[0][0].set_ylabel(f"{ylabel}, log scale" if log_y else ylabel)
    set_title(row[0][0], title)
    environment(row[0][0])
    for axes, series in zip(row[0], panels.values(), strict=True):
        ticks_at(axes.xaxis, [x for points in series.values() for x in points], AXIS_PX / len(panels))
    name_panels(row[0], list(panels.values()), looks)
    told = [(f"{heading}: " if heading else "") + lines_in_words(series, xlabel, ylabel, ratios or {})
            for heading, series in panels.items()]
    tell(measured, ". ".join(told))
    return figure


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
        axes.plot(list(points), list(points.values()), color=look.color, linestyle=look.line, linewidth=1.2 if few else 2,
                  alpha=0.6 if few and look.marker else 1)
        if few:
            axes.plot(list(points), list(points.values()), linestyle="none", marker=look.marker or None, markersize=8,
                      color=look.color, markerfacecolor=look.face, markeredgewidth=1.6)


def draw_intervals(axes, ratios, look):
    for x, ratio in ratios.items():
        axes.plot([x, x], interval_of(ratio), color=look.color, linewidth=1.2, marker="_", markersize=7)


def set_limits(row, panels, ylabel, log_y, ylim):
    values = [y for series in panels.values() for points in series.values() for y in points.values()]
    axes = row[0]
    if ylim:
        axes.set_ylim(*ylim)
    elif not log_y:
        axes.set_ylim(min(0, *values) if len(values) > 1 else 0, max([*values, 1 if is_ratio(ylabel) else 0]) * 1.08 or 1)
        whole_ticks(axes.yaxis, values)
    for each in row:
        plain_ticks(each.yaxis)
        if is_ratio(ylabel):
            mark(each, 1, "1x", across=True)


def lines_in_words(series, xlabel, ylabel, ratios):
    return "; ".join(f"{name} from {ends_in_words(points, ylabel, ratios.get(name, {}))} "
                     f"between {number(min(points))} and {number(max(points))} {xlabel}" for name, points in series.items())


def ends_in_words(points, ylabel, ratios):
    """'1 to 9 ms'; '1.2x slower to 3.2x faster' of Ratios."""
    first, last = (worded(points[x], ratios.get(x)) for x in (min(points), max(points)))
    return f"{first} to {last}" if max(points) in ratios else f"{first} to {last} {ylabel}"
