"""A pool and a pause, to drag: what even arrivals would do, beside what the chapter measured."""

from . import Explorable

STEPS, STEPS_BEFORE = 800, 160  # of 5 ms, and of them before the pause


def under_way(arrivals: float, held: float, size: int, pause: float) -> list[float]:
    """Return the calls under way or waiting, by steps, as model.js does; `held` in milliseconds."""
    found = [min(size, arrivals * held / 1000)]
    for step in range(STEPS):
        paused = STEPS_BEFORE <= step < STEPS_BEFORE + 200 * pause
        served = 0 if paused else 5 * min(size, found[-1]) / held
        found.append(found[-1] + 0.005 * arrivals - served)
    return found


def explore(still, noted: dict[int, dict], arrivals: int, held: float, pause: float) -> Explorable:
    """Return the figure: `noted` is, by the pool's size, the calls under way by the second."""
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
            "from": "Rings: measured on this machine, calls at random moments. The line is for calls "
            f"that come evenly: {computed:.0f} at {end:.0f} s with a pool of {least}, where "
            f"{there} were measured.",
        },
    )
