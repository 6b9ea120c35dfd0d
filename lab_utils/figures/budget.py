"""Where the time of each variant went: waiting, the client's CPU, the server's CPU."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import USUAL, WIDTH, environment, plt, say, set_title, styled
from .rows import GAP, HEADING, REST, ROW, name_rows

PARTS = (("waiting", style.WAITING), ("client's CPU", style.CLIENT), ("server's CPU", style.SERVER))
NARROWEST = 6  # percent that have room for a number


@styled
def plot_budget(times, rtt_ms=None, title=None):
    """Stacked bars: of each variant's time, the share spent waiting for the network, in the client and in the server."""
    rtts = [rtt_ms] if rtt_ms is not None else times.rtts
    rows = [(name, rtt, times.budget(name, rtt)) for rtt in rtts for name in times.names]
    several = len(rtts) > 1
    height = ROW * 1.15 * len(rows) + (HEADING + GAP) * len(rtts) * several
    figure, axes = plt.subplots(figsize=(WIDTH, REST + 0.25 + height))
    names, place = [], 0.0
    for rtt in rtts:
        if several:
            names.append((place, f"RTT {milliseconds(rtt)}", style.INK, "bold"))
            place += HEADING / ROW
        for name in times.names:
            names.append((place, name, style.INK, "normal"))
            draw_shares(axes, place, times.budget(name, rtt))
            place += 1
        place += GAP / ROW
    axes.set_ylim(place - 0.4 - GAP / ROW, -0.6)
    name_rows(axes, names)
    axes.set_xlim(0, 112)
    axes.set_xticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])
    boxes = [plt.Rectangle((0, 0), 1, 1, facecolor=color, edgecolor=style.WAITING_EDGE, linewidth=0.7) for _, color in PARTS]
    axes.legend(boxes, [label for label, _ in PARTS], loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=USUAL)
    set_title(axes, title or budget_title(rows))
    environment(axes, rtts, times.calm)
    say("; ".join(f"{name} at RTT {milliseconds(rtt)}: {shares(budget)}" for name, rtt, budget in rows), times.calm)
    return figure


def draw_shares(axes, place, budget):
    """One bar of 100%, the shares in it, and the whole time at its end."""
    left, whole = 0, budget.network + budget.client + budget.server
    for (_, color), part in zip(PARTS, (budget.network, budget.client, budget.server), strict=True):
        share = 100 * part / whole
        axes.barh(place, share, 0.68, left=left, color=color, edgecolor=style.WAITING_EDGE, linewidth=0.7)
        if share >= NARROWEST:
            axes.text(left + share / 2, place, f"{share:.0f}%", ha="center", va="center", fontsize=USUAL,
                      color=style.PAPER if color == style.SERVER else style.INK)
        left += share
    axes.text(101, place, plain_duration(budget.total), va="center", fontsize=USUAL)


def budget_title(rows):
    """Of the first variant: how much of its time is waiting, at the nearest and at the farthest distance."""
    name = rows[0][0]
    own = [(rtt, waiting(budget)) for other, rtt, budget in rows if other == name]
    text = f"{name}: {own[0][1]:.0%} of the time is waiting at RTT {milliseconds(own[0][0])}"
    return text if len(own) == 1 else f"{text}, {own[-1][1]:.0%} at {milliseconds(own[-1][0])}"


def waiting(budget):
    return budget.network / (budget.network + budget.client + budget.server)


def shares(budget):
    whole = budget.network + budget.client + budget.server
    return f"{budget.network / whole:.0%} network, {budget.client / whole:.0%} client, {budget.server / whole:.0%} server"
