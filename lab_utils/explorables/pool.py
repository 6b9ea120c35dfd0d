"""Prepare the data of the figure “a pool and a pause”: measured and computed calls under way."""

from . import Explorable

STEPS, STEPS_BEFORE = 800, 160  # of 5 ms, and of them before the pause


def under_way(arrivals: float, held: float, size: int, pause: float) -> list[float]:
    """Return a list of how many calls are under way or waiting, every 5 ms for 4 s, computed.

    `arrivals` is calls a second, `held` for how many ms a call uses a connection, `size` the number
    of connections in the pool. The server pauses for `pause` seconds, from 0.8 s on. model.js
    computes the same.
    """
    found = [min(size, arrivals * held / 1000)]
    for step in range(STEPS):
        paused = STEPS_BEFORE <= step < STEPS_BEFORE + 200 * pause
        served = 0 if paused else 5 * min(size, found[-1]) / held
        found.append(found[-1] + 0.005 * arrivals - served)
    return found


def explore(
    still: object, noted: dict[int, dict], arrivals: int, held: float, pause: float
) -> Explorable:
    """Return the figure “a pool and a pause”, an Explorable, which readers can drag.

    `still` is its plain picture, a matplotlib Figure. `noted` is {size of the pool: {second:
    measured calls under way}}. `arrivals` is calls a second, `held` for how many seconds a call
    uses a connection. The server pauses for `pause` seconds.
    """
    own = {"arrivals": arrivals, "held": round(1000 * held, 1), "pause": pause}
    least = min(noted)
    end, there = list(noted[least].items())[-1]
    computed = under_way(size=least, **own)[round(200 * end)]
    return Explorable(
        "pool",
        still,
        own
        | {
            "noted": {
                size: [[round(at, 2), calls] for at, calls in list(found.items())[::8]]
                for size, found in noted.items()
            },
            "from": "Rings: measured on this machine, calls at random moments. The line is for "
            f"calls that come evenly: {computed:.0f} at {end:.0f} s with a pool of {least}, where "
            f"{there} were measured.",
        },
    )
