"""Observe what one client sees of another client's batch while the batch runs."""

import threading
import time

from lab_utils.words import counted, plain_duration
from lab_utils.figures import style
from lab_utils.figures.canvas import USUAL, WIDTH, caption, plt, styled
from lab_utils.figures.labels import plain_ticks


def seen_during(execute, look) -> tuple[list[tuple], float]:
    """Run `execute()` while another thread calls `look()` again and again, and once afterwards.

    Returns (looks, seconds that `execute` took). Each look is (when `look` returned, in seconds
    since `execute` was called; what it returned).
    """
    looks = []
    done = threading.Event()

    def keep_looking():
        while not done.is_set():
            looks.append((time.perf_counter(), look()))

    other = threading.Thread(target=keep_looking)
    other.start()
    try:
        while not looks and other.is_alive():
            time.sleep(0.001)  # the other client has to be at work first
        started = time.perf_counter()
        execute()
        took = time.perf_counter() - started
    finally:
        done.set()
        other.join()
    looks.append((time.perf_counter(), look()))
    return [(at - started, seen) for at, seen in looks], took


def half_done(batches: list[tuple], whole: int) -> int:
    """Return how often another client saw some entries of a batch, but not all.

    `batches` is a list of what `seen_during` returned, where `look` returns the number of entries
    that it saw; `whole` is the number of entries in a batch.
    """
    return sum(0 < seen < whole for looks, _ in batches for _, seen in looks)


@styled
def plot_seen(runs: dict[str, list], whole: int):
    """Draw how many of a batch's `whole` entries another client saw over time.

    `runs` is {name of a way to send the batch: [what `seen_during` returned, for each batch]};
    there is a panel for each name, with its first batch alone. Prints how many looks saw nothing,
    some and all; returns the matplotlib figure.
    """
    figure, panels = plt.subplots(
        len(runs), 1, sharex=True, squeeze=False, figsize=(WIDTH, 0.9 + 2.0 * len(runs))
    )
    first = {name: batches[0] for name, batches in runs.items()}
    last = 1000 * max(max([took, *(at for at, _ in looks)]) for looks, took in first.values())
    told = []
    for axes, (name, (samples, took)) in zip(panels[:, 0], first.items(), strict=True):
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
        part = half_done([(samples, took)], whole)
        nothing = sum(seen == 0 for _, seen in samples)
        words = f"{nothing} saw nothing, {part} a part, {len(samples) - nothing - part} all of it"
        looks = counted(len(samples), "look")
        # at the bottom on the right, where most of the batch has been seen
        axes.text(
            0.97,
            0.25,
            f"of {looks}, a stroke each,\n{words}",
            color=style.INK,
            fontsize=USUAL,
            transform=axes.transAxes,
            ha="right",
            va="center",
        )
        axes.set(ylim=(-0.12 * whole, 1.12 * whole), ylabel=f"{name}:\nentries seen")
        plain_ticks(axes.yaxis)
        told.append(f"{name}: {looks} in {plain_duration(took)}, {words}")
    below = panels[-1][0]
    # or a number stands out at the end
    below.set_xticks([tick for tick in below.get_xticks() if 0 <= tick <= last])
    below.set_xlim(-0.03 * last, 1.03 * last)
    below.set_xlabel("milliseconds since execute() was called (shaded: until it returned)")
    (name, batch), *others = first.items()
    title = f"{half_done([batch], whole):,} of {len(batch[0]):,} looks see the {name} half done"
    title += "".join(f", {half_done([other], whole):,} the {name}" for name, other in others)
    return caption(figure, title, "; ".join(told))
