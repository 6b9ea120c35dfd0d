"""Bars in groups: the same names side by side under several headings, such as ways of storing under shapes of value."""

from ..arguments import check_dict, check_numbers, check_positive_one, check_text
from .plots import environment, looks, number, plain_ticks, plt, set_title, styled, tell


def plot_groups(groups, unit, title, log=False, measured=True):
    """A horizontal bar for each value of {group: {name: value}}, labelled with its name and its value in `unit`.

    A name keeps its colour and hatch in every group. `measured=False` prints the values as facts, to be compared in CI.
    Raises LabError for anything but numbers by name and group, and texts.
    """
    for values in check_dict(groups, "lab.plot_groups", '{"near": {"loop": 3.1}}').values():
        check_numbers(values, "lab.plot_groups", '{"near": {"loop": 3.1}}')
        if log:
            check_positive_one(values.values(), "lab.plot_groups")
    check_text(unit, "unit")
    check_text(title, "title")
    return draw_groups(groups, unit, title, log, measured)


@styled
def draw_groups(groups, unit, title, log, measured):
    names = list(dict.fromkeys(name for bars in groups.values() for name in bars))
    look = looks(names)
    rows = sum(len(bars) for bars in groups.values())
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.3 * rows + 0.2 * len(groups)))
    place, ticks = 0.0, []
    for bars in groups.values():
        ticks.append(place + (len(bars) - 1) / 2)
        for name, value in bars.items():
            axes.barh(place, value, 0.86, color=look[name][0], hatch=look[name][1], edgecolor="white")
            axes.annotate(f"{name}  {number(value)}", (value, place), (5, 0), textcoords="offset points", va="center", fontsize=9)
            place += 1
        place += 0.8
    values = [value for bars in groups.values() for value in bars.values()]
    axes.set_yticks(ticks, list(groups))
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    if log:
        positive = [value for value in values if value > 0]
        axes.set_xscale("log")
        axes.set_xlim(min(positive) / 2, max(positive) * 8)
        plain_ticks(axes.xaxis)
    else:
        axes.set_xlim(0, max(values) * 1.3 or 1)
        axes.xaxis.get_major_locator().set_params(integer=not measured)  # counts are whole
    axes.set_xlabel(f"{unit}, log scale" if log else unit)
    set_title(axes, title)
    environment(axes)
    tell(measured, "; ".join(f"{group}: " + ", ".join(f"{name} {number(value)}" for name, value in bars.items())
                             for group, bars in groups.items()) + f" ({unit})")
    return figure
