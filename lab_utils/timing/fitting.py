"""Fits `lab_utils/model.py` on this machine at RTT 0, predicts, and solves published figures."""

import functools
from dataclasses import dataclass, replace

from ..arguments import check_number, shown
from ..errors import LabError
from ..model import Model
from ..words import counted, duration, milliseconds
from .comparison import compare

FITTED = ("SET", "GET")
BATCHES = 1, 100, 1_000  # commands a turn: two unknowns, three points, so a residual is left


@dataclass(frozen=True)
class HiddenDistance:
    """What published figures say of the distance behind them."""

    turn_s: float
    constant_s: float  # all that is the same in both figures
    rtt_ms: float  # behind a turn


def turn(command, size):
    """Return a function for one turn of `size` commands: a plain call, or a pipeline."""
    def call(to, i):
        to.set(f"key{i}", f"value{i}") if command == "SET" else to.get(f"key{i}")

    def several(r):
        pipe = r.pipeline(transaction=False)
        for i in range(size):
            call(pipe, i)
        pipe.execute()

    return several if size > 1 else lambda r: call(r, 1)


def fit_model(command: str = "SET") -> Model:
    """Fit a and c on this machine, for "SET" or "GET": turns of 1, of 100 and of 1,000."""
    if not isinstance(command, str) or command not in FITTED:
        raise LabError(f"The model is fitted on {' or '.join(FITTED)}, not on {shown(command)}. "
                       "Choose one of the two.")
    return fit(command)


def given(model) -> Model:
    """Return the Model that was passed, or the one fitted on SET."""
    if model is not None and not isinstance(model, Model):
        raise LabError(f"model={shown(model)} is not a Model. Pass what lab.fit_model() returns, "
                       "or leave it out.")
    return model or fit_model()


@functools.cache
def fit(command):
    times = compare({f"{size}": turn(command, size) for size in BATCHES}, same=False)
    server = {size: times.budget(f"{size}").server for size in BATCHES}
    whole = solve({size: times.seconds(f"{size}") for size in BATCHES})
    return replace(whole, server=solve(server)) if all(server.values()) else whole


def solve(measured: dict) -> Model:
    """Return the Model of {commands in a turn: seconds at RTT 0}, by least relative squares."""
    import numpy as np

    shares = np.array([(1 / seconds, size / seconds) for size, seconds in measured.items()])
    [turn_s, command_s], *_ = np.linalg.lstsq(shares, np.ones(len(shares)), rcond=None)
    found = shares @ [turn_s, command_s]  # each should be 1
    return Model(float(turn_s), float(command_s), float(abs(found - 1).max()))


def predict(turns: float, commands: float, rtt_ms: float = 0, model: Model | None = None) -> float:
    """Return the seconds that a `model` expects; that of SET on this machine if none is given."""
    return given(model).seconds(turns, commands, rtt_ms)


def hidden_distance(many: tuple, few: tuple | None = None,
                    model: Model | None = None) -> HiddenDistance:
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
        raise LabError("hidden_distance needs the figure with more turns first, and it must be the "
                       "slower one. Write it as hidden_distance((1000, 0.5), (1, 0.01)).")
    turn_s = (longer_s - shorter_s) / (more_turns - fewer_turns)
    fitted = given(model)
    rtt_s = max(0.0, turn_s - fitted.turn_s - (fitted.command_s if few is None else 0))
    return HiddenDistance(turn_s, shorter_s - fewer_turns * turn_s, rtt_s * 1000)


def figure(pair):
    """Return (turns, seconds) as it was published."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise LabError("hidden_distance takes each figure as (turns, seconds), "
                       f"and got {shown(pair)}. Write (1000, 0.5).")
    return check_number(pair[0], "turns", 0), check_number(pair[1], "seconds", 0)


def describe(turns: int, commands: int, rtt_ms: float, model: Model | None = None) -> str:
    """Show the model's arithmetic in one line, as a learner would do it by hand."""
    fitted, took = given(model), predict(turns, commands, rtt_ms, model)
    return (f"{counted(turns, 'turn')} × ({milliseconds(rtt_ms)} + {duration(fitted.turn_s)}) + "
            f"{counted(commands, 'command')} × {duration(fitted.command_s)} = {duration(took)}")
