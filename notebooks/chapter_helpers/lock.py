"""A lock and those who took it: until when it was theirs, and how long they believed it was."""

from lab_utils.words import plain_duration
from lab_utils.figures import style
from lab_utils.figures.canvas import caption, paper, plt, sized, styled
from lab_utils.figures.labels import write
from lab_utils.figures.rows import name_rows

ROW, REST = 0.5, 1.5  # inches


@styled
def plot_lock(held, title):
    """Draw a bar for each {who: (took, lost, done)}, in seconds: red from `lost` on.

    `lost` is when the lock expired or was deleted, `done` when the work ended.
    """
    has, has_not = sized(("has the lock", "at work without it"), ("has it", "without it"))
    figure, axes = plt.subplots(figsize=(paper.width, REST + ROW * len(held)))
    for row, (took, lost, done) in enumerate(held.values()):
        for start, end, color, words, ink in (
            (took, lost, style.NO_ROLE, has, style.PAPER),
            (lost, done, style.RISK, has_not, style.INK),
        ):
            if end > start:
                axes.barh(
                    row,
                    1000 * (end - start),
                    0.6,
                    left=1000 * start,
                    color=color,
                    edgecolor=style.PAPER,
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
