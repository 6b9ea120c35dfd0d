"""What one client saw of another's batch while it ran."""

from lab_utils.words import counted, plain_duration
from lab_utils.figures import style
from lab_utils.figures.canvas import USUAL, caption, paper, plt, sized, styled
from lab_utils.figures.scales import plain_ticks


@styled
def plot_seen(runs, whole, title):
    """Draw what a client saw of a batch of `whole` entries, a panel for each way of sending it.

    `runs` is {name: (samples, took)}: `samples` a list of (seconds since execute() was called,
    entries seen), `took` the seconds until it returned.
    """
    figure, panels = plt.subplots(
        len(runs), 1, sharex=True, squeeze=False, figsize=(paper.width, 0.9 + 2.0 * len(runs))
    )
    last = 1000 * max(max([took, *(at for at, _ in samples)]) for samples, took in runs.values())
    told = []
    for axes, (name, (samples, took)) in zip(panels[:, 0], runs.items(), strict=True):
        axes.axvspan(0, took * 1000, color=style.ROAD, zorder=0)
        axes.plot(
            [at * 1000 for at, _ in samples],
            [seen for _, seen in samples],
            color=style.way(name)[0],
            linestyle="none",
            marker="|",
            markersize=11,
            markeredgewidth=1.2,
        )
        part = sum(0 < seen < whole for _, seen in samples)
        nothing = sum(seen == 0 for _, seen in samples)
        words = f"{nothing} saw nothing, {part} a part, {len(samples) - nothing - part} all of it"
        looks = counted(len(samples), "look")
        axes.text(
            *sized((0.03, 0.5), (0, 1.03)),
            f"of {looks}, a stroke each,\n{words}",
            color=style.INK,
            fontsize=USUAL,
            transform=axes.transAxes,
            va=sized("center", "bottom"),
        )
        axes.set(ylim=(-0.12 * whole, 1.12 * whole), ylabel=f"{name}:\nentries seen")
        plain_ticks(axes.yaxis)
        told.append(f"{name}: {looks} in {plain_duration(took)}, {words}")
    below = panels[-1][0]
    # or a number stands out at the end
    below.set_xticks([tick for tick in below.get_xticks() if 0 <= tick <= last])
    below.set_xlim(-0.03 * last, 1.03 * last)
    below.set_xlabel(
        f"milliseconds since execute() was called{sized(' ', chr(10))}(shaded: until it returned)"
    )
    return caption(figure, title, "; ".join(told))
