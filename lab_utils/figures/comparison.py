"""Draw a Comparison: variants of the same work beside each other, and where each one waits."""

from dataclasses import replace

from ..words import milliseconds, plain_duration, two_figures
from . import style
from .canvas import USUAL, WIDTH, Result, caption, plt, styled
from .labels import explain, plain_ticks, unit_for, write
from .rows import GAP, REST, ROUNDS_NOTE, ROW, Row, draw_rows, lay_out, name_rows

LONGEST_BAR = 50  # times the shortest one: beyond, that would not be seen, so they are dots
PARTS: dict[str, dict] = {
    "client's CPU": {"facecolor": style.CLIENT, "edgecolor": style.CLIENT_EDGE},
    "server's CPU": {"facecolor": style.SERVER, "edgecolor": style.SERVER},
    "waiting": {"facecolor": style.WAITING, "edgecolor": style.WAITING_EDGE},
}
LEGEND = 0.25  # inches
LABELS = 1.5  # the axis in longest bars, so that words have room


@styled
def plot_comparison(
    times: Result, over: str, said: Result = None, title: str | None = None
) -> plt.Figure:
    """Draw the seconds that a call of each compared function takes, and the factor to `over`.

    `times` is the Comparison that `lab.compare` returned, `over` the name of the function with
    which the others are compared, and `title` replaces the usual title. Values are bars, or dots on
    a log axis if they span decades. `said` is the learner's Guess, drawn as a diamond, or None: how
    many times faster than `over` one other function is, at the first distance. That is the last
    function, or the first if the last is `over` itself. Returns the figure.
    """
    ratios = {
        (name, rtt): times.speedup(name, over, rtt)
        for rtt in times.rtts
        for name in times.names
        if name != over
    }
    found = times.names[-1] if times.names[-1] != over else times.names[0]
    if said is not None:
        said = said.hears(ratios[found, times.rtts[0]].value, "x") if ratios else None
    slowest = max(times.seconds(name, rtt) for name in times.names for rtt in times.rtts)
    unit, scale = unit_for(slowest)
    blocks = {
        f"RTT {milliseconds(rtt)}" if len(times.rtts) > 1 else "": rows_at(
            times, over, rtt, scale, ratios
        )
        for rtt in times.rtts
    }
    if said:
        value = times.seconds(over, times.rtts[0]) * scale / said
        row = Row(
            "you said",
            value,
            f"{found} {said:g}x faster",
            style.Look(style.GUESS, "D", filled=False),
            said=True,
        )
        next(iter(blocks.values())).insert(times.names.index(found) + 1, row)
    rows = [row for block in blocks.values() for row in block]
    values = [row.value for row in rows]
    spans = max(values) > LONGEST_BAR * min(values)
    figure, _ = draw_rows(blocks, f"{unit} a run", log=spans)
    return caption(
        figure,
        title or comparison_title(times, over, ratios),
        in_words(times, over, ratios),
        times.rtts,
        times.disturbance,
        ROUNDS_NOTE if any(row.rounds for row in rows) else "",
        ratios=ratios.values(),
    )


def rows_at(times: Result, over: str, rtt: float, scale: float, ratios: dict) -> list[Row]:
    """Return a Row, a bar or dot with its words, for each compared function at one distance.

    `times` is the Comparison, `over` the function to compare with, `rtt` the distance in ms. Values
    are seconds times `scale`; `ratios` is {(name, RTT in ms): Ratio}. A Row has small dots for its
    single rounds only where they leave in doubt whether a function differs from `over`: in the Row
    of that function, and in the Row of `over`.
    """
    looks = style.looks(times.names)
    alike = {name for (name, far), ratio in ratios.items() if far == rtt and not ratio.differs}
    doubtful = alike | {over} if alike else alike
    rows = []
    for name in times.names:
        seconds = times.seconds(name, rtt)
        value = seconds * scale
        rounds = value.rounds if name in doubtful else ()
        row = Row(name, value, plain_duration(seconds), looks[name].in_row, rounds=rounds)
        if ratio := ratios.get((name, rtt)):
            since = times.seconds(over, rtt) * scale if ratio.differs else None
            row = replace(row, note=str(ratio), since=since)
        rows.append(row)
    return rows


def in_words(times: Result, over: str, ratios: dict) -> str:
    if not ratios:
        return "; ".join(
            f"{over} {plain_duration(times.seconds(over, rtt))} at RTT {milliseconds(rtt)}"
            for rtt in times.rtts
        )
    return "; ".join(
        f"{ratio.sentence(name, over)} at RTT {milliseconds(rtt)}"
        for (name, rtt), ratio in ratios.items()
    )


def comparison_title(times: Result, over: str, ratios: dict) -> str:
    """Return '5 ms away: pipeline is 28x faster than loop', or the times if they do not differ.

    `times` is the Comparison, `over` the function to compare with, `ratios` is {(name, RTT in ms):
    Ratio}. The title is about the farthest distance.
    """
    far = times.rtts[-1]
    apart = {name: ratio for (name, rtt), ratio in ratios.items() if rtt == far and ratio.differs}
    if apart:
        best = max(apart, key=lambda name: apart[name].value)
        return f"{style.away(far)}: {best} is {apart[best]} than {over}"
    doubts = {name: str(ratio) for (name, rtt), ratio in ratios.items() if rtt == far}
    seconds = {name: times.seconds(name, far) for name in times.names}
    return f"{style.away(far)}: {style.times_in_words(seconds, doubts)}"


# Where the time went


@styled
def plot_budget(times: Result, rtt_ms: float | None = None, title: str | None = None) -> plt.Figure:
    """Draw for each compared function how many ms of a call are work, and how many waiting.

    `times` is the Comparison that `lab.compare` returned, `rtt_ms` one of its distances in ms, by
    default all of them, and `title` replaces the usual title. If the only distance is 0, each bar
    is 100% of its function's time: a loop's bar would otherwise leave no room for the parts of the
    others. Returns the figure.
    """
    rtts = [rtt_ms] if rtt_ms is not None else times.rtts
    blocks = {
        f"RTT {milliseconds(rtt)}" if len(rtts) > 1 else "": [
            (name, rtt, times.budget(name, rtt)) for name in times.names
        ]
        for rtt in rtts
    }
    names, bars, end = lay_out(blocks)
    as_shares = not any(rtts)
    figure, axes = plt.subplots(figsize=(WIDTH, LEGEND + REST + ROW * end + GAP))
    longest = 0.0
    for place, (name, _, budget) in bars:
        milliseconds_of = parts(budget)
        whole = sum(milliseconds_of)
        widths = [100 * part / whole for part in milliseconds_of] if as_shares else milliseconds_of
        draw_bar(axes, place, widths)
        longest = max(longest, sum(widths))
        names.append((place, name, style.INK, "normal"))
        words = plain_duration(budget.total)
        if not as_shares:
            # Each is a median of its own, and work that is all of a run may come out above it.
            work = plain_duration(min(budget.total, budget.client + budget.server))
            words += f": {work} of work, {waiting(budget):.0%} waiting"
        write(axes, words, (sum(widths), place), (5, 0))
    label = "% of a run's time" if as_shares else "milliseconds a run"
    room = 1.15 if as_shares else LABELS
    axes.set(xlabel=label, xlim=(0, longest * room), ylim=(end - 0.4, -0.6))
    plain_ticks(axes.xaxis)
    if as_shares:
        axes.set_xticks(range(0, 101, 20))
    name_rows(axes, names)
    explain(axes, PARTS, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=USUAL)
    told = "; ".join(
        f"{name} at RTT {milliseconds(rtt)}: {shares(budget)}" for _, (name, rtt, budget) in bars
    )
    first = [block[0] for block in blocks.values()]
    title = title or budget_title(first[0], first[-1])
    return caption(figure, title, told, rtts, times.disturbance)


def parts(budget: Result) -> tuple[float, float, float]:
    """Return (client's work, server's work, waiting) of one call, in milliseconds.

    `budget` is a timing Budget.
    """
    return 1000 * budget.client, 1000 * budget.server, 1000 * budget.network


def draw_bar(axes: plt.Axes, place: float, widths: tuple[float, ...] | list[float]) -> None:
    left = 0.0
    for fill, width in zip(PARTS.values(), widths, strict=True):
        axes.barh(place, width, 0.68, left=left, linewidth=1, **fill)
        left += width


def waiting(budget: Result) -> float:
    return parts(budget)[-1] / sum(parts(budget))


def budget_title(nearest: tuple, farthest: tuple) -> str:
    """Return a title such as 'RTT 1 ms instead of 0 ms: loop takes 31x as long, 94% waiting'.

    It compares one function at two distances. `nearest` and `farthest` are each (function's name,
    RTT in ms, timing Budget). If both are at the same distance, the title is about that one alone.
    """
    (name, near, first), (_, far, last) = nearest, farthest
    if near == far:
        return (
            f"{style.away(far)}, {waiting(last):.0%} of {name}'s {plain_duration(last.total)} "
            "is waiting"
        )
    longer = two_figures(last.total / first.total)
    return (
        f"RTT {milliseconds(far)} instead of {milliseconds(near)}: "
        f"{name} takes {longer}x as long, {waiting(last):.0%} waiting"
    )


def shares(budget: Result) -> str:
    client, server, network = (part / sum(parts(budget)) for part in parts(budget))
    return f"{network:.0%} network, {client:.0%} client, {server:.0%} server"
