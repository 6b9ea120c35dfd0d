"""Draw who had a lock until when, and how long each worked on after losing it."""

import time

from lab_utils.words import plain_duration
from lab_utils.figures import style
from lab_utils.figures.canvas import WIDTH, caption, plt, styled
from lab_utils.figures.labels import write
from lab_utils.figures.rows import name_rows

ROW, REST = 0.5, 1.5  # inches


class Work:
    """Work that only sleeps, piece by piece: each call of `goes_on(seconds)` sleeps that long.

    `ended` lists when each of these calls ended, in seconds since the Work was made.
    """

    def __init__(self):
        self.begun = time.perf_counter()
        self.ended = []

    def goes_on(self, seconds: float) -> None:
        time.sleep(seconds)
        self.ended.append(time.perf_counter() - self.begun)


@styled
def plot_lock(held: dict[str, tuple], title: str):
    """Draw a bar for each lock holder: when it had the lock; in red, how long it worked on without.

    `held` is {holder's name: (took, lost, done)}, all three in seconds since the first one took the
    lock: the lock was acquired at `took`, it expired or was deleted at `lost`, and the holder's
    work ended at `done`. Prints for each how long it had the lock and how long it worked, and
    returns the matplotlib figure.
    """
    figure, axes = plt.subplots(figsize=(WIDTH, REST + ROW * len(held)))
    for row, (took, lost, done) in enumerate(held.values()):
        for start, end, color, words, ink in (
            (took, lost, style.NO_ROLE, "has the lock", style.PAPER),
            (lost, done, style.RISK, "at work without it", style.INK),
        ):
            if end > start:
                axes.barh(
                    row,
                    1000 * (end - start),
                    0.6,
                    left=1000 * start,
                    color=color,
                    edgecolor=style.EDGES.get(color, color),
                )
                write(axes, words, (1000 * start, row), (5, 0), color=ink)
    axes.set(
        xlim=(0, None), ylim=(len(held) - 0.4, -0.6), xlabel="milliseconds since the first took it"
    )
    name_rows(axes, [(row, who, style.INK, "normal") for row, who in enumerate(held)])
    told = (
        f"{who} has the lock for {plain_duration(lost - took)} "
        f"and works for {plain_duration(done - took)}"
        for who, (took, lost, done) in held.items()
    )
    return caption(figure, title, "; ".join(told))
