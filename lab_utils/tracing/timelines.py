"""Who saw what: the steps of clients that share a server, in the order in which they happened.

`timeline` writes down what each client said and heard, and draws it; `plot_seen` draws what one client saw of another's
batch while it ran.
"""

from dataclasses import dataclass

import hiredis

from ..arguments import check_dict, check_function, check_number, check_positive, check_ran, check_text, shown
from ..errors import LabError
from ..figures.plots import environment, plain_ticks, plt, say, set_title, styled
from ..words import many, plain_duration
from .counters import commands_in
from .tap import Tap

SAID, HEARD = "#0072B2", "#D55E00"
# How much of the batch somebody saw: colour, marker.
NOTHING, PART, ALL = ("#777777", "o"), ("#D55E00", "^"), ("#0072B2", "s")
LONGEST_SAID, LONGEST_HEARD, SHOWN_COMMANDS = 48, 44, 6


@dataclass(frozen=True)
class Step:
    """One turn: `who` sent `says` and got `hears`."""

    who: str
    says: str
    hears: str


@dataclass(frozen=True)
class Timeline:
    """The steps of a run, in the order in which they were sent."""

    steps: list

    @property
    def clients(self):
        """The clients' names, sorted."""
        return sorted({step.who for step in self.steps})

    def plot(self, title):
        """Draws each client as a vertical beside Redis, a step a row: what it said, what it heard; prints the same in words.

        At most two clients, else LabError.
        """
        return plot_timeline(self, title)

    def __repr__(self):
        clients = self.clients
        width = max(len(step.says) for step in self.steps)
        indent = {who: "    " * place for place, who in enumerate(clients)}
        lines = [f"{number:>2}  {indent[step.who]}{step.who}  {step.says:<{width}}{indent[clients[-1]][len(indent[step.who]):]}"
                 f"  → {step.hears}" for number, step in enumerate(self.steps, 1)]
        return "\n".join(lines)


def timeline(fn):
    """Runs `fn()` once and returns a Timeline of what its clients said and heard.

    A client goes by the `client_name` it was connected with: `a = lab.connect(client_name="A")`. What connecting itself
    costs is left out. Raises LabError if nothing was said; an error that `fn` raises goes through.
    """
    check_function(fn, "lab.timeline", "both", "a function without arguments, such as `def both(): a.get('key')`", takes=0)
    with Tap(keep_replies=True) as tap:
        check_ran(fn(), "lab.timeline")
    found = steps(tap)
    if not found:
        raise LabError("Nothing was said to Redis. Let the function call its clients, as in `def both(): a.get('key')`.")
    return Timeline(found)


def steps(tap):
    """Joins what each connection wrote with the replies that it read, as many replies as commands."""
    found = []
    for number, connection in enumerate(tap.kept):
        reader = hiredis.Reader()
        for read in tap.reads:
            if read.connection == number and not read.handshake:
                reader.feed(read.data)
        for write in tap.writes:
            if write.connection == number and not write.handshake:
                commands = list(commands_in(write.chunks))
                if not commands:  # redis-py writes nothing at all for an empty batch
                    continue
                replies = [reader.gets() for _ in commands]
                who = connection.client_name or f"client {number + 1}"
                found.append((write.started, Step(who, said(commands), heard(replies))))
    return [step for _, step in sorted(found, key=lambda pair: pair[0])]


def said(commands):
    if len(commands) > SHOWN_COMMANDS:
        return many(len(commands), "command")
    return " · ".join(short(b" ".join(command).decode(errors="replace"), LONGEST_SAID) for command in commands)


def heard(replies):
    if len(replies) > SHOWN_COMMANDS:
        return f"{len(replies):,} replies"
    return short(" · ".join(in_words(reply) for reply in replies), LONGEST_HEARD * max(1, len(replies) // 2))


def in_words(reply):
    """A reply as a person would say it; of an error its first word, which is its kind."""
    if reply is None:
        return "nil"
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, hiredis.ReplyError):
        return f"error {str(reply).split(' ')[0]}"
    if isinstance(reply, list):
        return f"[{', '.join(in_words(item) for item in reply)}]"
    return str(reply)


def short(text, longest):
    return text if len(text) <= longest else f"{text[:longest - 1]}…"


@styled
def plot_timeline(seen, title):
    """Clients left and right of Redis, time downwards, a row a step; equal distances, for it is the order that counts."""
    clients = seen.clients
    if len(clients) > 2:
        raise LabError(f"The timeline draws one or two clients, and this one has {len(clients)}: {', '.join(clients)}. "
                       "Let the function call two of them, or print what lab.timeline returned.")
    at = dict(zip(clients, (0, 2), strict=False))
    count = len(seen.steps)
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.62 * count))
    axes.grid(False)
    for name, place in {**at, "Redis": 1}.items():
        axes.plot([place, place], [-0.35, count - 0.1], color="#333333", linewidth=2)
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
    for height, text, color, style, ends in ((row + 0.1, step.says, SAID, "-", (place, 1)),
                                             (row + 0.55, step.hears, HEARD, "--", (1, place))):
        axes.annotate("", (ends[1], height), (ends[0], height),
                      arrowprops={"arrowstyle": "-|>", "color": color, "linestyle": style, "linewidth": 1.5,
                                  "shrinkA": 0, "shrinkB": 0})
        axes.text(middle, height - 0.03, text, ha="center", va="bottom", fontsize=9, color=color)


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
    figure, panels = plt.subplots(len(runs), 1, sharex=True, squeeze=False, figsize=(9, 0.9 + 2.3 * len(runs)))
    told = []
    for axes, (name, (samples, took)) in zip(panels[:, 0], runs.items(), strict=True):
        axes.axvspan(0, took * 1000, color="#f0f0f0", zorder=0)
        groups = {"nothing": [], "a part": [], "all of it": []}
        for at, seen in samples:
            groups["nothing" if seen == 0 else "all of it" if seen >= whole else "a part"].append((at * 1000, seen))
        looks = zip(groups.items(), (NOTHING, PART, ALL), strict=True)
        for row, ((label, points), (color, marker)) in enumerate(looks):
            axes.plot(*zip(*points or [(None, None)], strict=True), marker, color=color, markersize=5, linestyle="none")
            axes.text(0.04, 0.62 + 0.13 * row, f"saw {label}: {many(len(points), 'time')}", color=color, fontsize=10,
                      transform=axes.transAxes)
            axes.plot(0.025, 0.655 + 0.13 * row, marker, color=color, markersize=6, transform=axes.transAxes)
        axes.set_ylim(-0.09 * whole, 1.12 * whole)
        axes.set_ylabel(f"{name}:\nentries seen")
        plain_ticks(axes.yaxis)
        told.append(f"{name}: {many(len(samples), 'look')} in {plain_duration(took)}, "
                    + ", ".join(f"{len(points)} saw {label}" for label, points in groups.items()))
    last = max(max([took, *(at for at, _ in samples)]) for samples, took in runs.values()) * 1000
    panels[-1][0].set_xlim(-0.03 * last, 1.03 * last)
    panels[-1][0].set_xlabel("milliseconds since execute() was called (grey: until it returned)")
    set_title(panels[0][0], title)
    environment(panels[0][0])
    say("; ".join(told))
    return figure
