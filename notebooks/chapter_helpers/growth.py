"""Measure how long several functions that do the same work take as the database grows."""

import lab_utils as lab


def growing(ways: dict, steps, grow) -> dict[str, dict[int, float]]:
    """Time each function after each step of growth; return {name: {keys in the database: ms}}.

    `ways` is {name: function of a client}; the milliseconds are those of one call. For each element
    of the list `steps`, `grow(step)` adds keys and returns how many keys the database has then.
    """
    took = {name: {} for name in ways}
    for step in steps:
        keys = grow(step)
        times = lab.compare(ways, same=False, rounds=3)
        for name in ways:
            took[name][keys] = times.seconds(name) * 1000
    return took
