"""The timeline of clients that share a server: an arrow for what each said and heard, in order."""

from ..errors import LabError
from . import style
from .canvas import SMALL, WIDTH, environment, plt, set_title, styled


@styled
def plot_timeline(seen, title):
    """Clients left and right of Redis, time downwards, a row a step; equal distances, for it is the order that counts."""
    clients = seen.clients
    if len(clients) > 2:
        raise LabError(f"The timeline draws one or two clients, and this one has {len(clients)}: {', '.join(clients)}. "
                       "Let the function call two of them, or print what lab.timeline returned.")
    at = dict(zip(clients, (0, 2), strict=False))
    count = len(seen.steps)
    figure, axes = plt.subplots(figsize=(WIDTH, 1.5 + 0.62 * count))
    axes.grid(False)
    for name, place in {**at, "Redis": 1}.items():
        axes.plot([place, place], [-0.35, count - 0.1], color=style.RULE, linewidth=1.4)
        axes.text(place, -0.45, name, ha="center", va="bottom", fontweight="bold")
    for row, step in enumerate(seen.steps):
        draw_step(axes, at[step.who], row, step)
    axes.set_xlim(-0.12, max(at.values()) + 0.12 if len(at) > 1 else 1.12)
    axes.set_ylim(count - 0.05, -0.9)
    axes.set_xticks([])
    axes.set_yticks([row + 0.25 for row in range(count)], range(1, count + 1))
    axes.set_ylabel("step")
    set_title(axes, title)
    environment(axes)
    print(seen)
    return figure


def draw_step(axes, place, row, step):
    """A solid arrow to Redis with what was said, a dashed one back with what was heard."""
    middle = (place + 1) / 2
    for height, text, line, ends in ((row + 0.1, step.says, "-", (place, 1)), (row + 0.55, step.hears, "--", (1, place))):
        axes.annotate("", (ends[1], height), (ends[0], height),
                      arrowprops={"arrowstyle": "-|>", "color": style.MESSAGE, "linestyle": line, "linewidth": 1.5,
                                  "shrinkA": 0, "shrinkB": 0})
        axes.text(middle, height - 0.03, text, ha="center", va="bottom", fontsize=SMALL, color=style.INK)
