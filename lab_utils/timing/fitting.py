"""Fits `lab_utils/model.py` on this machine at RTT 0, and predicts by it."""

import functools
from dataclasses import replace

from ..arguments import shown
from ..errors import LabError
from ..model import Model
from ..words import counted, duration, milliseconds
from .comparison import compare

FITTED = ("SET", "GET")
BATCHES = 1, 100, 1_000  # commands a turn: two unknowns, three points, so a residual is left


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
        raise LabError(
            f"The model is fitted on {' or '.join(FITTED)}, not on {shown(command)}. "
            "Choose one of the two."
        )
    return fit(command)


def given(model) -> Model:
    """Return the Model that was passed, or the one fitted on SET."""
    if model is not None and not isinstance(model, Model):
        raise LabError(
            f"model={shown(model)} is not a Model. Pass what lab.fit_model() returns, "
            "or leave it out."
        )
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


def describe(turns: int, commands: int, rtt_ms: float, model: Model | None = None) -> str:
    """Show the model's arithmetic in one line, as a learner would do it by hand."""
    fitted, took = given(model), predict(turns, commands, rtt_ms, model)
    return (
        f"{counted(turns, 'turn')} × ({milliseconds(rtt_ms)} + {duration(fitted.turn_s)}) + "
        f"{counted(commands, 'command')} × {duration(fitted.command_s)} = {duration(took)}"
    )
