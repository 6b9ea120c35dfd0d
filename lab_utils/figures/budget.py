"""Where the time of each variant went: the client's CPU, the server's CPU, waiting."""

from ..words import milliseconds, plain_duration
from . import style
from .canvas import USUAL, abreast, caption, sized, styled
from .labels import explain, write
from .rows import GAP, HEADING, REST, ROUNDS, ROUNDS_NOTE, ROW, lay_out, name_rows
from .scales import plain_ticks

COLORS = {"client's CPU": style.CLIENT, "server's CPU": style.SERVER, "waiting": style.WAITING}
PARTS = {
    words: {"facecolor": color, "edgecolor": style.WAITING_EDGE, "linewidth": 0.7}
    for words, color in COLORS.items()
}
LABELS = {1: 1.25, 2: 1.45}  # by columns: the axis in longest bars, so that words have room
NARROW_LABELS, NARROW_ROW = 1.8, 0.42  # of a narrow paper, where they are two lines


@styled
def plot_budget(times, rtt_ms=None, title=None):
    """Draw each variant's milliseconds from zero at each distance: first work, then waiting.

    A distance makes the waiting longer and leaves the work as it was: where there is one, a second
    panel enlarges the milliseconds of work.
    """
    rtts, height = [rtt_ms] if rtt_ms is not None else times.rtts, sized(ROW, NARROW_ROW)
    blocks = {
        f"RTT {milliseconds(rtt)}" if len(rtts) > 1 else "": [
            (name, rtt, times.budget(name, rtt)) for name in times.names
        ]
        for rtt in rtts
    }
    names, bars, end = lay_out(blocks, height, HEADING)
    panels = 2 if any(rtts) else 1
    tall = sized(0.25, 1) + height * end + GAP  # of a panel
    figure, (axes, *more) = abreast(panels, REST, tall, width_ratios=sized((3, 2)[:panels], (1,)))
    longest, work = (max(sum(parts(budget)[:some]) for _, (*_, budget) in bars) for some in (3, 2))
    draw_bars(axes, bars, longest * sized(LABELS[panels], NARROW_LABELS))
    for place, (name, rtt, budget) in bars:
        names.append((place, name, style.INK, "normal"))
        # on a phone on two lines
        words = f"{plain_duration(budget.total)}{sized(', ', chr(10))}{waiting(budget):.0%} waiting"
        write(axes, words, (sum(parts(budget)), place), (5, 0), linespacing=1)
        rounds = [1000 * each for each in times.rounds(name, rtt)]
        axes.plot(rounds, [place + 0.42] * len(rounds), **ROUNDS)
    axes.set(xlabel="milliseconds a call", ylim=(end - 0.4, -0.6))
    name_rows(axes, names)
    for enlarged in more:
        draw_bars(enlarged, bars, 1.25 * work)
        enlarged.set_xlabel(f"the first {1.25 * work:.2g} of them, enlarged")
        enlarged.tick_params(axis="y", length=0)
        enlarged.grid(False, axis="y")
    explain(axes, PARTS, loc="lower left", bbox_to_anchor=(0, 1), ncols=sized(3, 2), fontsize=USUAL)
    told = "; ".join(
        f"{name} at RTT {milliseconds(rtt)}: {shares(budget)}" for _, (name, rtt, budget) in bars
    )
    first = [block[0] for block in blocks.values()]
    title = title or budget_title(first[0], first[-1])
    return caption(figure, title, told, rtts, times.calm, ROUNDS_NOTE)


def parts(budget):
    """Return (client, server, waiting) in milliseconds."""
    return 1000 * budget.client, 1000 * budget.server, 1000 * budget.network


def draw_bars(axes, bars, end):
    """Draw the bars up to `end` milliseconds; one that is longer leaves the panel."""
    for place, (*_, budget) in bars:
        left = 0.0
        for fill, width in zip(PARTS.values(), parts(budget), strict=True):
            axes.barh(place, width, 0.68, left=left, **fill)
            left += width
    axes.set_xlim(0, end)
    plain_ticks(axes.xaxis)


def waiting(budget):
    return parts(budget)[-1] / sum(parts(budget))


def budget_title(nearest, farthest):
    """Return 'loop: 3.4 ms at RTT 0 ms; 104 ms at 1 ms, 94% of it waiting'."""
    (name, near, first), (_, far, last) = nearest, farthest
    found = f"{plain_duration(last.total)} at RTT {milliseconds(far)}"
    found += f", {waiting(last):.0%} of it waiting"
    if near == far:
        return f"{name}: {found}"
    return f"{name}: {plain_duration(first.total)} at RTT {milliseconds(near)}; {found}"


def shares(budget):
    client, server, network = (part / sum(parts(budget)) for part in parts(budget))
    return f"{network:.0%} network, {client:.0%} client, {server:.0%} server"
