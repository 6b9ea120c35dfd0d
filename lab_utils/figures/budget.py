"""Where the time of each variant went: the client's CPU, the server's CPU, waiting."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import USUAL, environment, paper, plt, say, set_title, sized, styled
from .rows import GAP, HEADING, REST, ROUNDS, ROUNDS_NOTE, ROW, name_rows
from .scales import plain_ticks

PARTS = (("client's CPU", style.CLIENT), ("server's CPU", style.SERVER), ("waiting", style.WAITING))
LABELS = {1: 1.25, 2: 1.45}  # by columns: the axis, in longest bars, so that the words behind it have room
NARROW_LABELS, NARROW_ROW = 1.8, 0.42  # of a narrow paper, where they are two lines


@styled
def plot_budget(times, rtt_ms=None, title=None):
    """Draw each variant's milliseconds from zero: the work first, then the waiting, at each distance.

    A distance makes the waiting longer and leaves the work as it was: where there is one, a second
    panel enlarges the milliseconds of work.
    """
    rtts = [rtt_ms] if rtt_ms is not None else times.rtts
    bars, names, place, narrow = [], [], 0.0, sized(False, True)
    height = NARROW_ROW if narrow else ROW
    for rtt in rtts:
        if len(rtts) > 1:
            names.append((place, f"RTT {milliseconds(rtt)}", style.INK, "bold"))
            place += HEADING / height
        for name in times.names:
            names.append((place, name, style.INK, "normal"))
            bars.append((place, name, rtt, times.budget(name, rtt)))
            place += 1
        place += GAP / height
    longest = max(1000 * sum(parts(budget)) for *_, budget in bars)
    work = max(1000 * sum(parts(budget)[:2]) for *_, budget in bars)
    panels = 2 if any(rtts) else 1
    columns = sized(panels, 1)
    rows = panels // columns
    figure, grid = plt.subplots(rows, columns, sharey=True, squeeze=False,
                                figsize=(paper.width, REST + (1 if narrow else 0.25) * rows + height * place * rows),
                                gridspec_kw={"width_ratios": (3, 2)[:columns]})
    axes = grid[0][0]
    draw_bars(axes, bars, longest * (NARROW_LABELS if narrow else LABELS[panels]))
    for at, name, rtt, budget in bars:
        axes.annotate(words(budget, "\n" if narrow else ", "), (1000 * sum(parts(budget)), at), (5, 0), va="center",
                      textcoords="offset points", fontsize=USUAL, linespacing=1)
        axes.plot([1000 * each for each in times.rounds(name, rtt)], [at + 0.42] * len(times.rounds(name, rtt)), **ROUNDS)
    axes.set_xlabel("milliseconds a call")
    axes.set_ylim(place - 0.4 - GAP / height, -0.6)
    name_rows(axes, names)
    if panels == 2:
        enlarged = grid[-1][-1]
        draw_bars(enlarged, bars, 1.25 * work)
        enlarged.set_xlabel(f"the first {1.25 * work:.2g} of them, enlarged")
        enlarged.tick_params(axis="y", length=0)
        enlarged.grid(False, axis="y")
    boxes = [plt.Rectangle((0, 0), 1, 1, facecolor=color, edgecolor=style.WAITING_EDGE, linewidth=0.7) for _, color in PARTS]
    axes.legend(boxes, [label for label, _ in PARTS], loc="lower left", bbox_to_anchor=(0, 1), ncols=2 if narrow else 3,
                fontsize=USUAL)
    set_title(axes, title or budget_title([each for each in bars if each[1] == times.names[0]]))
    environment(axes, rtts, times.calm, ROUNDS_NOTE)
    say("; ".join(f"{name} at RTT {milliseconds(rtt)}: {shares(budget)}" for _, name, rtt, budget in bars), times.calm)
    return figure


def parts(budget):
    """(client, server, waiting) in seconds."""
    return budget.client, budget.server, budget.network


def draw_bars(axes, bars, end):
    """The bars up to `end` milliseconds; one that is longer leaves the panel."""
    for place, _, _, budget in bars:
        left = 0.0
        for (_, color), seconds in zip(PARTS, parts(budget), strict=True):
            axes.barh(place, 1000 * seconds, 0.68, left=left, color=color, edgecolor=style.WAITING_EDGE, linewidth=0.7)
            left += 1000 * seconds
    axes.set_xlim(0, end)
    plain_ticks(axes.xaxis)


def waiting(budget):
    return budget.network / sum(parts(budget))


def words(budget, between=", "):
    """'35.6 ms, 86% waiting'."""
    return f"{plain_duration(budget.total)}{between}{waiting(budget):.0%} waiting"


def budget_title(bars):
    """'loop: 3.4 ms at RTT 0 ms; 104 ms at 1 ms, 94% of it waiting': the nearest and the farthest distance."""
    (_, name, near, first), *_ = bars
    _, _, far, last = bars[-1]
    found = f"{plain_duration(last.total)} at RTT {milliseconds(far)}, {waiting(last):.0%} of it waiting"
    if len(bars) == 1:
        return f"{name}: {found}"
    return f"{name}: {plain_duration(first.total)} at RTT {milliseconds(near)}; {found}"


def shares(budget):
    client, server, network = (part / sum(parts(budget)) for part in parts(budget))
    return f"{network:.0%} network, {client:.0%} client, {server:.0%} server"
