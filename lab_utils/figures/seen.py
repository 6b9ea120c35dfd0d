"""What one client saw of another's batch while it ran."""

from ..arguments import check_dict, check_number, check_positive, check_text, shown
from ..errors import LabError
from ..words import counted, plain_duration
from . import style
from .canvas import USUAL, WIDTH, environment, plt, say, set_title, styled
from .scales import plain_ticks

# How much of the batch somebody saw, as how full the dot is.
FILLED = {"nothing": "none", "a part": "bottom", "all of it": "full"}


def check_seen(runs, whole, title):
    for name, run in check_dict(runs, "lab.plot_seen", '{"pipeline": (samples, took)}').items():
        if not isinstance(run, (tuple, list)) or len(run) != 2 or not isinstance(run[0], (tuple, list)):
            raise LabError(f"lab.plot_seen needs (samples, took) for each way, and got {shown(run)} for {name}. Write a pair.")
        for sample in run[0]:
            if not isinstance(sample, (tuple, list)) or len(sample) != 2:
                raise LabError(f"lab.plot_seen needs each sample as (seconds, entries seen), and got {shown(sample)}. "
                               "Write a pair.")
            check_number(sample[0], "seconds")
            check_number(sample[1], "entries seen", 0)
        check_positive(run[1], "took")
    check_positive(whole, "whole")
    check_text(title, "title")


def plot_seen(runs, whole, title):
    """What one client saw of another's batch of `whole` entries while it ran, a panel for each way of sending it.

    `runs` is {name: (samples, took)}: `samples` a list of (seconds since execute() was called, entries seen), `took`
    the seconds until it returned. Raises LabError for anything else.
    """
    check_seen(runs, whole, title)
    return draw_seen(runs, whole, title)


@styled
def draw_seen(runs, whole, title):
    figure, panels = plt.subplots(len(runs), 1, sharex=True, squeeze=False, figsize=(WIDTH, 0.9 + 2.3 * len(runs)))
    last = max(max([took, *(at for at, _ in samples)]) for samples, took in runs.values()) * 1000
    told = []
    for axes, (name, (samples, took)) in zip(panels[:, 0], runs.items(), strict=True):
        axes.axvspan(0, took * 1000, color=style.ROAD, zorder=0)
        groups = {"nothing": [], "a part": [], "all of it": []}
        for at, seen in samples:
            groups["nothing" if seen == 0 else "all of it" if seen >= whole else "a part"].append((at * 1000, seen))
        for row, (label, points) in enumerate(groups.items()):
            dot = {"marker": "o", "fillstyle": FILLED[label], "color": style.NO_ROLE, "markerfacecoloralt": style.PAPER}
            shown = apart(points, last / 60, whole / 40) or [(None, None)]
            axes.plot(*zip(*shown, strict=True), **dot, markersize=6, linestyle="none")
            axes.text(0.04, 0.62 + 0.13 * row, f"saw {label}: {counted(len(points), 'time')}", color=style.INK, fontsize=USUAL,
                      transform=axes.transAxes)
            axes.plot(0.025, 0.655 + 0.13 * row, **dot, markersize=7, transform=axes.transAxes)
        axes.set_ylim(-0.09 * whole, 1.12 * whole)
        axes.set_ylabel(f"{name}:\nentries seen")
        plain_ticks(axes.yaxis)
        told.append(f"{name}: {counted(len(samples), 'look')} in {plain_duration(took)}, "
                    + ", ".join(f"{len(points)} saw {label}" for label, points in groups.items()))
    panels[-1][0].set_xlim(-0.03 * last, 1.03 * last)
    panels[-1][0].set_xlabel("milliseconds since execute() was called (shaded: until it returned)")
    set_title(panels[0][0], title)
    environment(panels[0][0])
    say("; ".join(told))
    return figure


def apart(points, across, up):
    """The points without those that would cover the one before, but with the last: hollow dots in a heap look full."""
    kept = []
    for x, y in points:
        if not kept or x - kept[-1][0] >= across or abs(y - kept[-1][1]) >= up:
            kept.append((x, y))
    return kept if not points or kept[-1] == points[-1] else [*kept, points[-1]]
