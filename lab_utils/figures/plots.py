"""The lab's figures, one style: the finding as the title, direct labels, units, the environment in small type.

Each draws one Figure, prints one line that says the same in words, and returns the Figure, which a notebook shows when
it is a cell's last line. Colours are safe for colour-blind readers, and hatches and markers say the same again.
"""

import functools
import itertools
import re
import textwrap
from pathlib import Path

from .. import calm, setting
from ..arguments import (
    check_dict,
    check_number,
    check_numbers,
    check_positive,
    check_positive_one,
    check_text,
    check_title,
    is_positive,
    shown,
)
from ..errors import LabError
from ..words import many, milliseconds, plain_duration, three_figures, within

STYLE = Path(__file__).with_name("lab.mplstyle")
# The way of working keeps its colour and hatch from chapter to chapter; other names take what is left, in order.
KNOWN = {"loop": 0, "pipeline": 1, "mset": 2, "mget": 2, "transaction": 3, "multi": 3, "lua": 4, "script": 4, "asyncio": 5}
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#999999", "#000000")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "++", "oo", "--")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
NETWORK, CLIENT, SERVER = ("#56B4E9", "///"), ("#E69F00", ""), ("#009E73", "...")
TITLE_WIDTH = 78
ALIKE = 1.05  # a figure reproduced within this factor came out the same
UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|µs|ns|MB|KB)\b)")
SHORT_SCALE = 15  # a log scale whose ends are less than this factor apart may show one power of ten, or none


class Pyplot:
    """Matplotlib's pyplot, imported for the first figure: it takes 0.3 s that `import lab_utils` can do without."""

    def __getattr__(self, name):
        import matplotlib.pyplot

        return getattr(matplotlib.pyplot, name)


plt = Pyplot()


def styled(draw):
    """Runs a drawing function in the lab's style, and keeps Jupyter from showing the figure twice.

    With LAB_FIGURES=off nothing is drawn or printed: for runs that nobody looks at, such as a retrial's.
    """
    @functools.wraps(draw)
    def wrapper(*args, **kwargs):
        if not setting.is_drawn():
            return None
        open_before = set(plt.get_fignums())
        try:
            with plt.style.context(STYLE):
                return draw(*args, **kwargs)
        finally:
            for number in set(plt.get_fignums()) - open_before:  # one that could not be drawn to its end too
                plt.close(number)
    return wrapper


def looks(names):
    """{name: (colour, hatch, marker)}: known names keep theirs, the others share what is left."""
    taken = {KNOWN[name.lower()] for name in names if name.lower() in KNOWN}
    free = iter([i for i in range(len(COLORS)) if i not in taken] * 4)
    used = set()
    found = {}
    for name in names:
        place = KNOWN.get(name.lower())
        if place is None or place in used:
            place = next(free)
        used.add(place)
        found[name] = COLORS[place], HATCHES[place], MARKERS[place]
    return found


def environment(axes, rtts=(), found=None):
    """Small type under the figure: where these figures come from, and that the machine was busy, if it was.

    `found` is the Calm of what is drawn; without one, that of the whole chapter counts.
    """
    distances = ", ".join(milliseconds(rtt) for rtt in rtts)
    text = setting.line() + (f" · RTT {distances}{' (simulated)' if any(rtts) else ''}" if rtts else "")
    text += f"\n{busy_note(found)}" if busy_note(found) else ""
    axes.figure.supxlabel(text, fontsize=8, color="#777777", x=0.99, ha="right")


def set_title(axes, text):
    whole = UNIT.sub("\u00a0", text)  # a number and its unit stay on one line
    axes.set_title("\n".join(textwrap.wrap(whole, TITLE_WIDTH)).replace("\u00a0", " "))


def say(line, found=None):
    note = busy_note(found)
    print(f"measured: {line}" + (f" ({note})" if note else ""))


def busy_note(found=None):
    """Nothing where the machine was calm; else who disturbed how much, in plain figures: of `found`, or of the whole chapter."""
    if found is not None:
        return found.sentence().replace("~", "") if found.busy else ""
    chapter = calm.so_far()
    return f"in this kernel, at worst: {chapter.sentence()}".replace("~", "") if chapter.busy else ""


@styled
def plot_comparison(times, over, prediction=None, title=None):
    """Bars of seconds a call for each variant at each distance, on a log scale, each with its ratio to `over`.

    `prediction`, the learner's number of times that the last other variant is faster than `over` at the first distance,
    gets a bar of its own there.
    """
    names, rtts, look = times.names, times.rtts, looks(times.names)
    prediction = heard(prediction)
    predicted = others(names, over)[-1] if prediction and len(names) > 1 else None
    rows = sum(len(names) for _ in rtts) + bool(predicted)
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.42 * rows + 0.35 * len(rtts)))
    place, ticks, every = 0.0, [], []
    for rtt in rtts:
        top = place
        for name in names:
            seconds = times.seconds(name, rtt)
            note = "" if name == over else f"   {times.speedup(name, over, rtt)}"
            draw_bar(axes, place, seconds, f"{name}  {plain_duration(seconds)}{note}", look[name])
            every.append(seconds)
            place += 1
            if name == predicted and rtt == rtts[0]:
                seconds = times.seconds(over, rtt) / prediction
                draw_bar(axes, place, seconds, f"you said {name}  {plain_duration(seconds)}   {prediction:g}x faster", None)
                every.append(seconds)
                place += 1
        ticks.append((top + place - 1) / 2)
        place += 0.8
    log_axis(axes, every, "milliseconds a call, log scale (shorter is faster)")
    axes.set_yticks(ticks, [f"RTT {milliseconds(rtt)}" for rtt in rtts])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    set_title(axes, title or comparison_title(times, over))
    environment(axes, rtts, times.calm)
    say(in_words(times, over), times.calm)
    return figure


def in_words(times, over):
    if len(times.names) == 1:
        return "; ".join(f"{over} {plain_duration(times.seconds(over, rtt))} at RTT {milliseconds(rtt)}" for rtt in times.rtts)
    return "; ".join(f"{times.verdict(name, over, rtt)} at RTT {milliseconds(rtt)}"
                     for rtt in times.rtts for name in others(times.names, over))


def draw_bar(axes, place, seconds, label, look, height=0.86):
    """One horizontal bar in milliseconds with its label at the end; without a look, an outline: said, not measured."""
    if look:
        axes.barh(place, seconds * 1000, height, color=look[0], hatch=look[1], edgecolor="white")
    else:
        axes.barh(place, seconds * 1000, height, color="white", edgecolor="#D55E00", linewidth=1.5, linestyle="--")
    axes.annotate(label, (seconds * 1000, place), (5, 0), textcoords="offset points", va="center", fontsize=10,
                  color="black" if look else "#D55E00")


def log_axis(axes, seconds, label):
    """A log scale in milliseconds with plain numbers on it and room for the labels at the bars' ends."""
    axes.set_xscale("log")
    axes.set_xlim(min(seconds) * 1000 / 2.2, max(seconds) * 1000 * 12)
    plain_ticks(axes.xaxis)
    axes.set_xlabel(label)


def plain_ticks(axis):
    """0.1, 1, 10, 1,000 instead of powers of ten; more numbers between them where the scale is too short for several of those."""
    def between(value, _):
        low, high = axis.get_view_interval()
        shown = 0 < low < high < SHORT_SCALE * low and (high < 4 * low or f"{value:e}"[0] in "235")
        return f"{value:,.10g}" if shown else ""

    axis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    axis.set_minor_formatter(between)


def others(names, over):
    return [name for name in names if name != over]


def comparison_title(times, over):
    """'Against loop: pipeline 5.2x faster at RTT 0 ms, 57x faster at 5 ms; …' for the first two others."""
    near, far = times.rtts[0], times.rtts[-1]
    if len(times.names) == 1:
        return f"{over} takes {plain_duration(times.seconds(over, far))} at RTT {milliseconds(far)}"
    parts = []
    for name in others(times.names, over)[:2]:
        text = f"{name} {times.speedup(name, over, near)} at RTT {milliseconds(near)}"
        parts.append(text if far == near else f"{text}, {times.speedup(name, over, far)} at {milliseconds(far)}")
    return f"Against {over}: " + "; ".join(parts)


@styled
def plot_budget(times, rtt_ms=None, title=None):
    """Stacked bars: of each variant's time, the share spent waiting for the network, in the client and in the server."""
    rtts = [rtt_ms] if rtt_ms is not None else times.rtts
    rows = [(name, rtt, times.budget(name, rtt)) for rtt in rtts for name in times.names]
    figure, axes = plt.subplots(figsize=(9, 1.7 + 0.5 * len(rows)))
    for place, (_, _, budget) in enumerate(rows):
        left, whole = 0, budget.network + budget.client + budget.server
        for (color, hatch), part in zip((NETWORK, CLIENT, SERVER), (budget.network, budget.client, budget.server), strict=True):
            share = 100 * part / whole
            axes.barh(place, share, left=left, color=color, hatch=hatch, edgecolor="white")
            if share >= 7:
                axes.text(left + share / 2, place, f"{share:.0f}%", ha="center", va="center", fontsize=10,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5, "alpha": 0.85})
            left += share
        axes.text(101, place, plain_duration(budget.total), va="center", fontsize=10)
    several = len(rtts) > 1
    axes.set_yticks(range(len(rows)), [f"{name}, {milliseconds(rtt)}" if several else name for name, rtt, _ in rows])
    axes.invert_yaxis()
    axes.set_xlim(0, 112)
    axes.set_xticks(range(0, 101, 25), [f"{tick}%" for tick in range(0, 101, 25)])
    axes.grid(False, axis="y")
    for label, (color, hatch) in (("network wait", NETWORK), ("client CPU", CLIENT), ("server CPU", SERVER)):
        axes.bar(0, 0, color=color, hatch=hatch, edgecolor="white", label=label)
    figure.legend(loc="outside upper right", ncols=3, fontsize=10)
    set_title(axes, title or budget_title(rows))
    environment(axes, rtts, times.calm)
    say("; ".join(f"{name} at RTT {milliseconds(rtt)}: {shares(budget)}" for name, rtt, budget in rows), times.calm)
    return figure


def budget_title(rows):
    """Of the first variant: how much of its time is the network, at the nearest and at the farthest distance."""
    name = rows[0][0]
    own = [(rtt, budget.network / (budget.network + budget.client + budget.server)) for other, rtt, budget in rows
           if other == name]
    text = f"{name}: {own[0][1]:.0%} of the time is network wait at RTT {milliseconds(own[0][0])}"
    return text if len(own) == 1 else f"{text}, {own[-1][1]:.0%} at {milliseconds(own[-1][0])}"


def shares(budget):
    whole = budget.network + budget.client + budget.server
    return f"{budget.network / whole:.0%} network, {budget.client / whole:.0%} client, {budget.server / whole:.0%} server"


@styled
def plot_sweep(sweep, title=None):
    """Time against the size swept, a line a distance, each with its knee; beneath, the client's memory if it was measured."""
    memory = sweep.memory
    figure, panels = plt.subplots(2 if memory else 1, 1, sharex=True, squeeze=False, figsize=(9, 6.4 if memory else 4.4))
    axes = panels[0][0]
    for line, rtt in enumerate(sweep.rtts):
        seconds = [sweep.seconds(size, rtt) * 1000 for size in sweep.sizes]
        color, marker = COLORS[line], MARKERS[line]
        axes.plot(sweep.sizes, seconds, marker=marker, color=color)
        axes.annotate(f"RTT {milliseconds(rtt)}", (sweep.sizes[0], seconds[0]), (4, 6), textcoords="offset points", color=color)
        mark_knee(axes, sweep, rtt, color)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(y=0.15)  # room for the labels above the first points
    plain_ticks(axes.yaxis)
    plain_ticks(axes.xaxis)
    axes.set_ylabel("milliseconds, log scale")
    if memory:
        below = panels[1][0]
        below.plot(sweep.sizes, [memory[size] / 1e6 for size in sweep.sizes], marker="s", color="#CC79A7")
        below.set_ylabel("client's peak memory, MB")
        below.set_ylim(bottom=0)
    panels[-1][0].set_xlabel(f"{sweep.what}, log scale")
    far = sweep.rtts[-1]
    set_title(axes, title or sweep.finding(far))
    environment(axes, sweep.rtts, sweep.comparison.calm)
    say("; ".join(f"RTT {milliseconds(rtt)}: {knee_in_words(sweep, rtt)}, "
                  f"{plain_duration(sweep.seconds(sweep.sizes[0], rtt))} at {sweep.sizes[0]:,}" for rtt in sweep.rtts),
        sweep.comparison.calm)
    return figure


def mark_knee(axes, sweep, rtt, color):
    """A ring around the knee of one distance, where the rounds show it."""
    knee = sweep.knee(rtt)
    if knee is not None:
        place = knee, sweep.seconds(knee, rtt) * 1000
        axes.plot(*place, marker="o", markersize=15, markerfacecolor="none", color=color)
        axes.annotate(f"knee {knee:,}", place, (0, 12), textcoords="offset points", ha="center", fontsize=9, color=color)


def knee_in_words(sweep, rtt):
    knee = sweep.knee(rtt)
    if knee is None:
        return f"no knee shown, {plain_duration(sweep.seconds(sweep.sizes[-1], rtt))} at {sweep.sizes[-1]:,}"
    return f"knee at {knee:,}, {plain_duration(sweep.seconds(knee, rtt))}"


def heard(prediction):
    """The learner's prediction, or None with a sentence where it is no number above 0, which no figure can show."""
    if prediction is None or is_positive(prediction):
        return prediction
    print(f"this machine: the prediction {shown(prediction)} is not a number above 0, so the figure leaves it out")
    return None


def plot_prediction(what, you_s, model_s, measured_s, title=None):
    """Three bars on a log scale: what the learner said, what the model says, what was measured; all in seconds.

    What the learner said is left out, and that is said, where it is no number above 0. Raises LabError where the others are not.
    """
    check_text(what, "what")
    check_title(title, "lab.plot_prediction")
    check_positive(model_s, "model_s")
    check_positive(measured_s, "measured_s")
    return draw_prediction(what, heard(you_s), model_s, measured_s, title)


@styled
def draw_prediction(what, you_s, model_s, measured_s, title):
    figure, axes = plt.subplots(figsize=(9, 2.9))
    rows = (("you", you_s, "#CC79A7", "xxx"), ("model", model_s, "#56B4E9", "///"), ("measured", measured_s, "#0072B2", ""))
    rows = [row for row in rows if row[1] is not None]
    for place, (_, seconds, *look) in enumerate(rows):
        draw_bar(axes, place, seconds, plain_duration(seconds), look)
    axes.set_yticks(range(len(rows)), [name for name, *_ in rows])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    log_axis(axes, [seconds for _, seconds, *_ in rows], "milliseconds, log scale")
    set_title(axes, title or f"{what}: {who_was_off(you_s, model_s, measured_s, calm.so_far())}")
    environment(axes)
    yours = "" if you_s is None else f"you said {plain_duration(you_s)}, "
    say(f"{what}: {yours}the model {plain_duration(model_s)}, the clock {plain_duration(measured_s)}")
    return figure


def who_was_off(you_s, model_s, measured_s, seen):
    """'you were 1.7x off, the model 3% off'; on a machine that was too busy to tell, that it was. `seen` is a Calm."""
    nearest = min(factor_off(said, measured_s) for said in (you_s, model_s) if said is not None)
    if seen.busy and nearest < 1 + seen.taken_share:
        return f"other programs took {seen.taken_share:.0%} of the time, too much to say who was how far off"
    yours = "" if you_s is None else f"you were {off_by(you_s, measured_s)}, "
    return f"{yours}the model {'is ' if you_s is None else ''}{abs(model_s / measured_s - 1):.0%} off"


def off_by(said, measured):
    factor = max(said / measured, measured / said)
    return f"{abs(said / measured - 1):.0%} off" if factor < 1.5 else f"{factor:.1f}x off"


@styled
def plot_table(what, published, reproduced, rtt_ms, title, fitted):
    figure, axes = plt.subplots(figsize=(9, 1.8 + 0.75 * len(published)))
    draw_published(axes, published, reproduced, fitted)
    axes.set_xlabel("milliseconds, log scale")
    set_title(axes, title or f"{what}, at the fitted RTT of {rtt_ms:.2g} ms: {evidence(published, reproduced, fitted)}")
    environment(axes, (round(rtt_ms, 2),))
    say(published_words(published, reproduced, fitted))
    return figure


def evidence(published, reproduced, fitted):
    """What a table proves: only a figure that the distance was not solved from can come out or fail to."""
    free = [name for name in published if name not in fitted]
    if not free:
        return "every figure went into the fit, so none is evidence"
    worst = within(max(factor_off(published[name], reproduced[name]) for name in free))
    if not fitted:
        return f"every figure comes out {worst}"
    subject = "what did not go into the fit" if len(free) > 1 else f"“{free[0]}”, which did not go into the fit,"
    return f"{subject} comes out {worst}"


def factor_off(one, other):
    return max(one / other, other / one)


def draw_published(axes, published, reproduced, fitted):
    for place, name in enumerate(published):
        then, now = published[name], reproduced[name]
        factor = factor_off(then, now)
        note = "" if factor < ALIKE else f"   {factor:.1f}x {'faster' if now < then else 'slower'}"
        draw_bar(axes, place - 0.2, then, f"published  {plain_duration(then)}{'   fitted' if name in fitted else ''}",
                 ("#999999", "xxx"), 0.38)
        draw_bar(axes, place + 0.2, now, f"here  {plain_duration(now)}{note}", ("#0072B2", ""), 0.38)
    log_axis(axes, [*published.values(), *reproduced.values()], "")
    axes.set_yticks(range(len(published)), published)
    axes.invert_yaxis()
    axes.grid(False, axis="y")


def published_words(published, reproduced, fitted):
    return "; ".join(f"{name}: published {plain_duration(published[name])}{' (fitted)' if name in fitted else ''}, "
                     f"here {plain_duration(reproduced[name])}" for name in published)


@styled
def plot_ladder(capture, turns=6, title=None):
    """The ladder (sequence) diagram: client and server as verticals, time downwards, each message at its real times.

    Draws the first `turns` turns; a turn ends where the next request follows a reply.
    """
    if not capture.messages:
        raise LabError("Nothing crossed the link in this capture, so there is no ladder. Let the function use its client.")
    drawn = first_turns(capture.messages, check_number(turns, "turns", 1, whole=True))
    end = max(max(message.at_client, message.at_server) for message in drawn) * 1000
    figure, axes = plt.subplots(figsize=(9, 5.2))
    axes.grid(False)
    for place, name in ((0, "client"), (1, "server")):
        axes.plot([place, place], [-0.02 * end, end * 1.04], color="#333333", linewidth=2)
        axes.text(place, -0.04 * end, name, ha="center", va="bottom", fontweight="bold")
    for bundle in bundles(drawn, end / 1000):
        draw_bundle(axes, bundle)
    axes.set_xlim(-0.35, 1.35)
    axes.set_ylim(end * 1.04, -0.1 * end)
    axes.set_xticks([])
    axes.set_ylabel("milliseconds since the first request left")
    left = count_turns(capture.messages) - count_turns(drawn)
    set_title(axes, title or ladder_title(capture))
    if left:
        axes.text(0.5, end * 1.02, f"… and {left:,} more turns like these", ha="center", fontsize=9, color="#555555")
    environment(axes, (capture.rtt_ms,))
    say(f"{ladder_title(capture)}; {many(len(capture.requests), 'message')} there, {len(capture.replies):,} back")
    return figure


def bundles(messages, span_s):
    """Messages of one direction that leave so close together that their arrows would cover each other."""
    found = []
    for message in messages:
        last = found[-1][-1] if found else None
        if last and last.way == message.way and message.at_client - last.at_client < span_s / 200:
            found[-1].append(message)
        else:
            found.append([message])
    return found


def draw_bundle(axes, bundle):
    message = bundle[0]
    request = message.way == "request"
    text = message.text if len(bundle) == 1 else f"{len(bundle)} {'writes' if request else 'pieces'}"
    ends = (0, message.at_client), (1, message.at_server)
    start, stop = ends if request else ends[::-1]
    color = "#0072B2" if request else "#D55E00"
    axes.annotate("", (stop[0], stop[1] * 1000), (start[0], start[1] * 1000),
                  arrowprops={"arrowstyle": "-|>", "color": color, "linewidth": 1.6, "linestyle": "-" if request else "--",
                              "shrinkA": 0, "shrinkB": 0})
    axes.text(-0.02 if request else 1.02, start[1] * 1000, text, color=color, fontsize=9,
              ha="right" if request else "left", va="center")


def first_turns(messages, turns):
    shown, seen, last = [], 0, "reply"
    for message in messages:
        if message.way == "request" and last == "reply":
            seen += 1
            if seen > turns:
                break
        shown.append(message)
        last = message.way
    return shown


def count_turns(messages):
    ways = ["reply", *(message.way for message in messages)]
    return sum(before == "reply" and now == "request" for before, now in itertools.pairwise(ways))


def ladder_title(capture):
    turns = count_turns(capture.messages)
    took = max(message.at_client for message in capture.messages)
    word = "one wait" if turns == 1 else f"{turns:,} waits"
    return f"{word}, {plain_duration(took)} in all at RTT {milliseconds(capture.rtt_ms)}"


def plot_bars(values, unit, title, log=False, measured=True):
    """A horizontal bar for each {name: value}, labelled with its value in `unit`, such as "ms" or "bytes".

    `measured=False` prints the values as facts, to be compared in CI: for counts only. Raises LabError for anything but
    numbers by name and texts.
    """
    check_numbers(values, "lab.plot_bars", '{"loop": 31.2}')
    check_text(unit, "unit")
    check_text(title, "title")
    if log:
        check_positive_one(values.values(), "lab.plot_bars")
    return draw_bars(values, unit, title, log, measured)


@styled
def draw_bars(values, unit, title, log, measured):
    figure, axes = plt.subplots(figsize=(9, 1.6 + 0.46 * len(values)))
    look = looks(values)
    for place, (name, value) in enumerate(values.items()):
        axes.barh(place, value, 0.8, color=look[name][0], hatch=look[name][1], edgecolor="white")
        axes.annotate(f"{number(value)} {unit}", (value, place), (5, 0), textcoords="offset points", va="center", fontsize=10)
    axes.set_yticks(range(len(values)), list(values))
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    if log:
        positive = [value for value in values.values() if value > 0]
        axes.set_xscale("log")
        axes.set_xlim(min(positive) / 2, max(positive) * 5)
        plain_ticks(axes.xaxis)
    else:
        axes.set_xlim(0, max(values.values()) * 1.25 or 1)
        axes.xaxis.get_major_locator().set_params(integer=not measured)  # counts are whole
        plain_ticks(axes.xaxis)
    axes.set_xlabel(f"{unit}, log scale" if log else unit)
    set_title(axes, title)
    environment(axes)
    tell(measured, "; ".join(f"{name} {number(value)} {unit}" for name, value in values.items()))
    return figure


def plot_lines(series, xlabel, ylabel, title, log_x=False, log_y=False, measured=True):
    """A line for each name of {name: {x: y}}, labelled at its end. Axes carry their units in their labels.

    `measured=False` prints the end points as facts, to be compared in CI: for counts only. Raises LabError for anything
    but numbers by number and name, and texts.
    """
    example = '{"loop": {1: 0.5, 10: 4.8}}'
    for name, points in check_dict(series, "lab.plot_lines", example).items():
        if not isinstance(points, dict) or not points:
            raise LabError(f"lab.plot_lines needs a dict {{x: y}} for each line, such as {example}, and got {shown(points)} "
                           f"for {name}. Write at least one point.")
        for x, y in points.items():
            check_number(x, f"lab.plot_lines: x of {name}")
            check_number(y, f"lab.plot_lines: y of {name}")
        if log_x:
            check_positive_one(points, "lab.plot_lines")
        if log_y:
            check_positive_one(points.values(), "lab.plot_lines")
    for text, label in ((xlabel, "xlabel"), (ylabel, "ylabel"), (title, "title")):
        check_text(text, label)
    return draw_lines(series, xlabel, ylabel, title, log_x, log_y, measured)


@styled
def draw_lines(series, xlabel, ylabel, title, log_x, log_y, measured):
    figure, axes = plt.subplots(figsize=(9, 4.4))
    look = looks(series)
    for name, points in series.items():
        color, _, marker = look[name]
        axes.plot(list(points), list(points.values()), color=color, marker=marker)
    axes.set_xscale("log" if log_x else "linear")
    axes.set_yscale("log" if log_y else "linear")
    if not log_y:
        axes.set_ylim(bottom=0)
    plain_ticks(axes.xaxis)
    plain_ticks(axes.yaxis)
    label_ends(axes, series, look)
    axes.set_xlabel(f"{xlabel}, log scale" if log_x else xlabel)
    axes.set_ylabel(f"{ylabel}, log scale" if log_y else ylabel)
    set_title(axes, title)
    environment(axes)
    ends = {name: (min(points), max(points)) for name, points in series.items()}
    tell(measured, "; ".join(f"{name} from {number(series[name][first])} to {number(series[name][last])} {ylabel} "
                             f"between {number(first)} and {number(last)} {xlabel}" for name, (first, last) in ends.items()))
    return figure


def label_ends(axes, series, look):
    """Each line's name at its right end, moved apart where two lines end close together."""
    axes.figure.canvas.draw()
    spots = sorted((axes.transData.transform((max(points), points[max(points)]))[1], name) for name, points in series.items())
    last = float("-inf")
    for height, name in spots:
        points = series[name]
        x = max(points)
        moved = max(height, last + 15)
        axes.annotate(name, (x, points[x]), (9, (moved - height) * 72 / axes.figure.dpi), textcoords="offset points",
                      color=look[name][0], va="center", fontsize=10, annotation_clip=False)
        last = moved
    axes.margins(x=0.02)


def number(value):
    """1234 -> '1,234', 12.345 -> '12.3'."""
    return f"{value:,}" if isinstance(value, int) else three_figures(value)


def tell(measured, line):
    """Prints a measured line as such, and a line of facts bare."""
    say(line) if measured else print(line)
