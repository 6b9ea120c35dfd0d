"""What somebody published beside what came out here: dots on a log axis, the factor between."""

from ..words import factor_off, plain_duration, times, two_figures, within
from . import style
from .canvas import caption, sized, styled
from .rows import Row, draw_rows

ALIKE = 1.05  # a figure reproduced within this factor came out the same
NEARLY = 1.1  # up to this factor it came out; beyond it, the title says how far off it is
UNIT = "milliseconds (grey: published)"


@styled
def plot_table(what, published, reproduced, rtt_ms, title=None, fitted=()):
    """Draw published seconds and those reproduced here, {name: seconds} each.

    `fitted` names those that the distance came from.
    """
    figure, _ = draw_rows({"": rows_of(published, reproduced, fitted)}, UNIT, log=True)
    found = evidence(published, reproduced, fitted)
    title = title or f"{what}, at the fitted RTT of {two_figures(rtt_ms)} ms: {found}"
    words = published_words(published, reproduced, fitted)
    return caption(figure, title, words, (round(rtt_ms, 2),))


def rows_of(published, reproduced, fitted):
    """Return a Row for each figure: what came out here, and how far it is from the published."""
    rows = []
    for name, then in published.items():
        now = reproduced[name]
        factor = factor_off(then, now)
        note = f"{sized('published ', '')}{plain_duration(then)}"
        note += f", {factor:.1f}x {'faster' if now < then else 'slower'}" if factor >= ALIKE else ""
        label = f"{name} (fitted)" if name in fitted else name
        rows.append(
            Row(
                label,
                now * 1000,
                plain_duration(now),
                style.Look(style.NO_ROLE),
                note,
                then * 1000,
                since_look=style.Look(style.PUBLISHED),
            )
        )
    return rows


def evidence(published, reproduced, fitted):
    """Say what a table proves: by its figures that the distance was not solved from."""
    free = [name for name in published if name not in fitted]
    several = len(free) > 1
    worst = max(factor_off(published[name], reproduced[name]) for name in free)
    how = within(worst) if worst < NEARLY else f"{'up to ' if several else ''}{times(worst)} off"
    if not fitted:
        return f"its figures come out {how}"
    if several:
        return f"what did not go into the fit comes out {how}"
    return f"“{free[0]}”, which did not go into the fit, comes out {how}"


def published_words(published, reproduced, fitted):
    return "; ".join(
        f"{name}: published {plain_duration(then)}"
        f"{' (fitted)' * (name in fitted)}, here {plain_duration(reproduced[name])}"
        for name, then in published.items()
    )
