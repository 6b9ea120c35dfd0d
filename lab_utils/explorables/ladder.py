"""The ladder, to drag: what it computes from."""

from ..model import Model
from . import Explorable


def rungs(model: Model, server: dict, turns: int, commands: int, rtt_ms: float) -> list[tuple]:
    """Return each turn's moments in ms: request sent, there, reply sent, there, all done."""
    whole = 1000 * model.seconds(1, commands / turns, rtt_ms)
    work = (server["turn_us"] + commands / turns * server["command_us"]) / 1000  # Redis's
    moments = 0, rtt_ms / 2, rtt_ms / 2 + work, rtt_ms + work, whole
    return [tuple(turn * whole + moment for moment in moments) for turn in range(turns)]


def explore(figure, captures: dict, near, model: Model) -> Explorable:
    """Return the ladder of {name: Capture}, the same SETs one by one and in a pipeline, to drag.

    `figure` is the still one. `near` compares the two at RTT 0: so much of the work is Redis's; the
    client's stands after the reply.
    """
    (rtt, count), _ = ((each.rtt_ms, len(each.requests)) for each in captures.values())
    alone, together = (1e6 * near.budget(name, 0).server for name in captures)
    a, c = 1e6 * model.turn_s, 1e6 * model.command_s
    each = min(c, max(0, (together - alone / count) / max(1, count - 1)))
    server = {"turn_us": min(a, max(0, alone / count - each)), "command_us": each}
    moments, far, zero = [], [], []
    for turns, (name, run) in zip((count, 1), captures.items(), strict=True):
        moments.append([1000 * at for one in run.messages for at in (one.at_client, one.at_server)])
        computed = [
            at
            for sent, there, left, read, _ in rungs(model, server, turns, count, rtt)
            for at in (sent, there, read, left)
        ]
        far += [abs(one / at - 1) for one, at in zip(computed, moments[-1], strict=False) if at]
        zero.append(abs(near.seconds(name, 0) / model.seconds(turns, count) - 1))
    return Explorable(
        "ladder",
        figure,
        {
            "ways": [{"at_once": at_once, "turn_us": a, "command_us": c} for at_once in (1, None)],
            "server": server,
            "measured": {"rtt": rtt, "commands": count, "moments": moments},
            "from": f"Fitted on this machine: {model!r}. Rings: one run as measured, {max(far):.0%} "
            f"off at most. With no distance the sum is {max(zero):.0%} off at most.",
        },
    )
