"""Solves published figures for the distance behind them."""

from dataclasses import dataclass

from lab_utils.arguments import check_number, shown
from lab_utils.errors import LabError
from lab_utils.model import Model
from lab_utils.timing.fitting import given


@dataclass(frozen=True)
class HiddenDistance:
    """What published figures say of the distance behind them."""

    turn_s: float
    constant_s: float  # all that is the same in both figures
    rtt_ms: float  # behind a turn


def hidden_distance(
    many: tuple, few: tuple | None = None, model: Model | None = None
) -> HiddenDistance:
    """Solve published figures, each (turns, seconds) for the same commands, for the distance.

    seconds = constant + turns × turn_s, twice, gives both unknowns; the cost of the commands is in
    both constants. With one figure alone the constant counts as none, and a turn holds one
    command's cost too. This machine's own share of a turn is taken off (a, and c where it is in
    it), since the authors' is not known. A figure that went in is no evidence for what comes out.
    A distance is never negative.
    """
    more_turns, longer_s = figure(many)
    fewer_turns, shorter_s = figure((0, 0.0) if few is None else few)
    if more_turns <= fewer_turns or longer_s <= shorter_s:
        raise LabError(
            "hidden_distance needs the figure with more turns first, and it must be the "
            "slower one. Write it as hidden_distance((1000, 0.5), (1, 0.01))."
        )
    turn_s = (longer_s - shorter_s) / (more_turns - fewer_turns)
    fitted = given(model)
    rtt_s = max(0.0, turn_s - fitted.turn_s - (fitted.command_s if few is None else 0))
    return HiddenDistance(turn_s, shorter_s - fewer_turns * turn_s, rtt_s * 1000)


def figure(pair):
    """Return (turns, seconds) as it was published."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise LabError(
            "hidden_distance takes each figure as (turns, seconds), "
            f"and got {shown(pair)}. Write (1000, 0.5)."
        )
    return check_number(pair[0], "turns", 0), check_number(pair[1], "seconds", 0)
