"""How long it should take: turns × (RTT + a) + commands × c.

`a` is what a turn costs beside the distance (building the request, the system calls, waking up) and `c` what one more
command in the same turn costs. Both are fitted on this machine at RTT 0; the distance is then only added.
"""

import functools
from dataclasses import dataclass

from .errors import LabError
from .timing import compare
from .words import duration, many, milliseconds

BATCH = 1_000


@dataclass(frozen=True)
class Model:
    """`turn_s` and `command_s` are a and c, in seconds."""

    turn_s: float
    command_s: float

    def seconds(self, turns, commands, rtt_ms=0):
        """Seconds that `commands` commands in `turns` turns should take at `rtt_ms`."""
        return turns * (rtt_ms / 1000 + self.turn_s) + commands * self.command_s

    def __repr__(self):
        return f"turns × (RTT + {duration(self.turn_s)}) + commands × {duration(self.command_s)}"


@dataclass(frozen=True)
class HiddenDistance:
    """What a published pair of figures says: `turn_s` a turn, `constant_s` once, and the `rtt_ms` behind it."""

    turn_s: float
    constant_s: float
    rtt_ms: float


def one_set(r):
    r.set("key1", "value1")


def many_sets(r):
    pipe = r.pipeline(transaction=False)
    for i in range(BATCH):
        pipe.set(f"key{i}", f"value{i}")
    pipe.execute()


def one_get(r):
    r.get("key1")


def many_gets(r):
    pipe = r.pipeline(transaction=False)
    for i in range(BATCH):
        pipe.get(f"key{i}")
    pipe.execute()


FITTED = {"SET": (one_set, many_sets), "GET": (one_get, many_gets)}


@functools.cache
def fit_model(command="SET"):
    """Fits a and c on this machine, for "SET" or "GET": one command in a turn of its own, and 1,000 in one turn."""
    if command not in FITTED:
        raise LabError(f"The model is fitted on {' or '.join(FITTED)}, not on {command!r}. Choose one of the two.")
    one, many = FITTED[command]
    times = compare({"one": one, "many": many}, same=False)
    return solve(times.seconds("one"), times.seconds("many"), BATCH)


def solve(one_s, many_s, batch):
    """The Model for which a turn of one command takes `one_s` and a turn of `batch` commands `many_s` at RTT 0."""
    command_s = (many_s - one_s) / (batch - 1)
    return Model(one_s - command_s, command_s)


def predict(turns, commands, rtt_ms=0, model=None):
    """Seconds that the model expects, with a and c of SET on this machine unless another `model` is given."""
    return (model or fit_model()).seconds(turns, commands, rtt_ms)


def hidden_distance(many, few, model=None):
    """Solves a published pair of figures, each (turns, seconds) for the same commands, for the distance behind it.

    seconds = constant + turns × turn_s, twice, gives both unknowns; of a turn, this machine's own share (a, and one
    command's c) is taken off, since the authors' is not known. Returns a HiddenDistance; never a negative distance.
    """
    (more_turns, longer_s), (fewer_turns, shorter_s) = many, few
    if more_turns <= fewer_turns or longer_s <= shorter_s:
        raise LabError("hidden_distance needs the figure with more turns first, and it must be the slower one.")
    turn_s = (longer_s - shorter_s) / (more_turns - fewer_turns)
    fitted = model or fit_model()
    rtt_s = max(0.0, turn_s - fitted.turn_s - fitted.command_s)
    return HiddenDistance(turn_s, shorter_s - fewer_turns * turn_s, rtt_s * 1000)


def describe(turns, commands, rtt_ms, model=None):
    """The model's arithmetic in one line, as a learner would do it by hand."""
    fitted = model or fit_model()
    return (f"{many(turns, 'turn')} × ({milliseconds(rtt_ms)} + {duration(fitted.turn_s)}) + {many(commands, 'command')} × "
            f"{duration(fitted.command_s)} = {duration(fitted.seconds(turns, commands, rtt_ms))}")
