"""Compute the distance behind published times, and draw them beside times measured here."""

from dataclasses import dataclass

from lab_utils.arguments import check_dict, check_number, check_positive, shown
from lab_utils.errors import LabError
from lab_utils.figures import style
from lab_utils.figures.canvas import caption, styled
from lab_utils.figures.rows import Row, draw_rows
from lab_utils.figures.labels import mark
from lab_utils.model import Model
from lab_utils.timing.fitting import fit_model
from lab_utils.words import factor_off, plain_duration, times, within

ALIKE = 1.05  # a figure reproduced within this factor came out the same
NEARLY = 1.1  # up to this factor it came out; beyond it, the title says how far off it is
UNIT = "times the published time (hollow: fitted)"


@dataclass(frozen=True)
class HiddenDistance:
    """The RTT behind published times, `rtt_ms` in ms, with what it was computed from.

    `turn_s` is the seconds of a round trip, `constant_s` the seconds that both published times have
    in common.
    """

    turn_s: float
    constant_s: float  # all that is the same in both figures
    rtt_ms: float  # behind a turn


def hidden_distance(
    many: tuple, few: tuple | None = None, model: Model | None = None
) -> HiddenDistance:
    """Compute the RTT behind published times, each given as (round trips, seconds).

    `many` and `few` are two times of the same commands. Two equations, seconds = constant + round
    trips × turn_s, give turn_s and the constant, which includes the commands' cost. With `many`
    alone the constant is taken as 0, and turn_s includes the cost of one command.

    The RTT is turn_s less what a round trip costs by itself, `model.turn_s`; with `many` alone also
    less `model.command_s`. It is no less than 0. `model` is a Model, by default the one fitted on
    this machine, since the authors' is unknown.

    Once used here, the published times prove nothing about the RTT. Raises LabError unless `many`
    has more round trips and more seconds than `few`.
    """
    more_turns, longer_s = figure(many)
    fewer_turns, shorter_s = figure((0, 0.0) if few is None else few)
    if more_turns <= fewer_turns or longer_s <= shorter_s:
        raise LabError(
            "hidden_distance needs the figure with more turns first, and it must be the "
            "slower one. Write it as hidden_distance((1000, 0.5), (1, 0.01))."
        )
    turn_s = (longer_s - shorter_s) / (more_turns - fewer_turns)
    fitted = model or fit_model()
    rtt_s = max(0.0, turn_s - fitted.turn_s - (fitted.command_s if few is None else 0))
    return HiddenDistance(turn_s, shorter_s - fewer_turns * turn_s, rtt_s * 1000)


def figure(pair) -> tuple[float, float]:
    """Return `pair`, a published time, as (round trips, seconds).

    Raises LabError if it is not a pair of numbers that are 0 or more.
    """
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise LabError(
            "hidden_distance takes each figure as (turns, seconds), "
            f"and got {shown(pair)}. Write (1000, 0.5)."
        )
    return check_number(pair[0], "turns", 0), check_number(pair[1], "seconds", 0)


@styled
def plot_published(what: str, published: dict, reproduced: dict, rtt_ms: float, fitted=()):
    """Draw times measured here as multiples of the published ones: a dot for each name.

    `published` and `reproduced` are {name: seconds}; `reproduced` was measured here, at an RTT of
    `rtt_ms` ms. `what` begins the title. `fitted` are the names of the published times from which
    that RTT was computed; their dots are hollow, since they prove nothing. Returns the matplotlib
    figure; if all are fitted, prints a line instead and returns None. Raises LabError if a
    published name was not measured, and if a fitted name was not published.
    """
    for values in (published, reproduced):
        for name, value in check_dict(values, "plot_published", '{"loop": 5.07}').items():
            check_positive(value, name)
    check_number(rtt_ms, "rtt_ms", 0)
    if missing := [name for name in published if name not in reproduced]:
        raise LabError(
            f"plot_published has no reproduced figure for {', '.join(missing)}. Write "
            "one for each published."
        )
    if strangers := [name for name in fitted if name not in published]:
        raise LabError(
            f"plot_published knows no figure {', '.join(map(repr, strangers))} "
            f"to mark as fitted. There are: {', '.join(published)}."
        )
    words = published_words(published, reproduced, fitted)
    if set(fitted) == set(published):
        print(f"measured: {words}")
        return None
    figure, axes = draw_rows({"": rows_of(published, reproduced, fitted)}, UNIT, log=True)
    mark(axes, 1, "as published")
    found = how_far_off(published, reproduced, fitted)
    title = f"{what}: {found}"
    return caption(figure, title, words, (round(rtt_ms, 2),))


def rows_of(published: dict[str, float], reproduced: dict[str, float], fitted) -> list[Row]:
    """Return a Row of a figure for each published name: the time here divided by the published one.

    `published` and `reproduced` are {name: seconds}, the second measured here; `fitted` are the
    names whose dots are drawn hollow.
    """
    rows = []
    for name, then in published.items():
        now = reproduced[name]
        note = f"published {plain_duration(then)}"
        look = style.Look(style.WAYS["one by one"][0], filled=name not in fitted)
        since = 1 if factor_off(then, now) >= ALIKE else None
        rows.append(Row(name, now / then, plain_duration(now), look, note, since))
    return rows


def how_far_off(published: dict[str, float], reproduced: dict[str, float], fitted) -> str:
    """Return in words how far times measured here are from the published ones.

    `published` and `reproduced` are {name: seconds}; `fitted` are the names of those published
    times that are left out, since the distance was computed from them. The words are such as 'what
    was not fitted comes out within 3%'.
    """
    free = [name for name in published if name not in fitted]
    several = len(free) > 1
    worst = max(factor_off(published[name], reproduced[name]) for name in free)
    how = within(worst) if worst < NEARLY else f"{'up to ' if several else ''}{times(worst)} off"
    if not fitted:
        return f"its figures come out {how}"
    if several:
        return f"what was not fitted comes out {how}"
    return f"“{free[0]}”, not fitted, comes out {how}"


def published_words(published, reproduced, fitted) -> str:
    return "; ".join(
        f"{name}: published {plain_duration(then)}"
        f"{' (fitted)' * (name in fitted)}, here {plain_duration(reproduced[name])}"
        for name, then in published.items()
    )
