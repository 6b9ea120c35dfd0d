"""Fit `lab_utils/model.py` on this machine at RTT 0, and predict with it."""

import functools
from collections.abc import Callable
from dataclasses import replace

from ..arguments import Client, shown
from ..errors import LabError
from ..model import Model
from ..words import counted, duration, milliseconds
from .comparison import compare

FITTED = ("SET", "GET")
BATCHES = 1, 100, 1_000  # commands a turn: two unknowns, three points, so a residual is left


def turn(command: str, size: int) -> Callable:
    """Return a function of a client that sends `size` commands in one round trip, by a pipeline.

    `command` is "SET" or "GET". For a `size` of 1 the function makes a plain call.
    """

    def call(to: Client, i: int) -> None:
        to.set(f"key{i}", f"value{i}") if command == "SET" else to.get(f"key{i}")

    def several(r: Client) -> None:
        pipe = r.pipeline(transaction=False)
        for i in range(size):
            call(pipe, i)
        pipe.execute()

    return several if size > 1 else lambda r: call(r, 1)


def fit_model(command: str = "SET") -> Model:
    """Measure the costs of a round trip and of a command on this machine; return them as a Model.

    The first call for each of the commands "SET" and "GET" times it alone, and in pipelines of 100
    and 1,000, at RTT 0; later calls in this process return the same Model. The Model's `server` is
    None if the server's CPU time is not known. Raises LabError for another command.
    """
    if not isinstance(command, str) or command not in FITTED:
        raise LabError(
            f"The model is fitted on {' or '.join(FITTED)}, not on {shown(command)}. "
            "Choose one of the two."
        )
    return fit(command)


@functools.cache
def fit(command: str) -> Model:
    times = compare({f"{size}": turn(command, size) for size in BATCHES}, same=False)
    server = {size: times.budget(f"{size}").server for size in BATCHES}
    whole = solve({size: times.seconds(f"{size}") for size in BATCHES})
    return replace(whole, server=solve(server)) if all(server.values()) else whole


def solve(measured: dict[int, float]) -> Model:
    """Return the Model whose predictions are nearest to measured times.

    `measured` is {commands in a round trip: seconds at RTT 0}. Nearest means that the sum of the
    squares of the relative errors is smallest.
    """
    import numpy as np

    shares = np.array([(1 / seconds, size / seconds) for size, seconds in measured.items()])
    [turn_s, command_s], *_ = np.linalg.lstsq(shares, np.ones(len(shares)), rcond=None)
    found = shares @ [turn_s, command_s]  # each should be 1
    return Model(float(turn_s), float(command_s), float(abs(found - 1).max()))


def predict(
    turns: float,
    commands: float,
    rtt_ms: float = 0,
    model: Model | None = None,
    sent: float = 0,
    received: float = 0,
) -> float:
    """Return the seconds that `commands` commands in `turns` round trips should take.

    The distance is `rtt_ms` ms. Without a `model`, the one fitted on SET on this machine is used.
    `sent` and `received` are the bytes of the first round trip, on a connection that is new or was
    silent: beyond 14 KB each way takes further round trips. Raises LabError for anything but
    numbers.
    """
    return (model or fit_model()).seconds(turns, commands, rtt_ms, sent, received)


def describe(turns: int, commands: int, rtt_ms: float, model: Model | None = None) -> str:
    """Return the model's arithmetic in one line: '100 turns × (1 ms + ~50 µs) + … = ~105 ms'.

    It is for `commands` commands in `turns` round trips at `rtt_ms` ms. `model` is by default the
    one fitted on SET on this machine.
    """
    fitted = model or fit_model()
    took = fitted.seconds(turns, commands, rtt_ms)
    return (
        f"{counted(turns, 'turn')} × ({milliseconds(rtt_ms)} + {duration(fitted.turn_s)}) + "
        f"{counted(commands, 'command')} × {duration(fitted.command_s)} = {duration(took)}"
    )
