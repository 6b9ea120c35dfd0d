"""Measures what one write costs in four ways: the constants of the figures that one can drag.

    python tools/constants.py [--force]    writes lab_utils/explorables/constants.json if none is

The figures compute with lab_utils/model.py's formula: turns × (RTT + a) + commands × c. For what is
measured at once, c is from the slope over commands and a from one command; a loop has a turn for
each command and so one constant; threads wait together and share a CPU (`side_by_side`). Distance
0, with no link between and both on one CPU, has constants of its own by the same rules, "direct".
All points that were measured stand beside the constants, and so does by how much the formula misses
the worst of them. What a busy machine measured is not written.
"""

import datetime
import json
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lab_utils as lab
from lab_utils import calm
from lab_utils.model import milliseconds
from lab_utils.testbed.fingerprints import environment_line

KEPT = Path(__file__).resolve().parent.parent / "lab_utils" / "explorables" / "constants.json"
DISTANCES_MS, SIZES = (0, 0.25, 1, 5, 20), (1, 10, 100, 1_000)
AT_ONCE = {"one by one": 1, "16 threads": 16, "pipeline": None, "MSET": None}  # in one turn
LONGEST_MS = 2_500  # a loop that takes longer is left out


def ways(commands, pool):
    keys = [f"key:{number}" for number in range(commands)]

    def one_by_one(r):
        for key in keys:
            r.set(key, "value")

    def pipeline(r):
        pipe = r.pipeline(transaction=False)
        for key in keys:
            pipe.set(key, "value")
        return pipe.execute()

    def mset(r):
        return r.mset(dict.fromkeys(keys, "value"))

    def threads(r):
        return list(pool.map(lambda key: r.set(key, "value"), keys))

    return {"one by one": one_by_one, "16 threads": threads, "pipeline": pipeline, "MSET": mset}


def points():
    """Return {commands, rtt_ms, ms: {way: milliseconds}} of each size at each distance."""
    found = []
    with ThreadPoolExecutor(16) as pool:
        for commands in SIZES:
            for rtt_ms in DISTANCES_MS:
                tried = ways(commands, pool)
                if commands * rtt_ms > LONGEST_MS:
                    del tried["one by one"]
                took = lab.compare(
                    tried, ops=commands, rtt_ms=rtt_ms, rounds=9, parallel=rtt_ms > 0
                )
                ms = {name: round(took.seconds(name, rtt_ms) * 1000, 3) for name in tried}
                found.append({"commands": commands, "rtt_ms": rtt_ms, "ms": ms})
    return found


def constants(points):
    """Return {way: {at_once, turn_us, command_us, direct}} from what was measured."""
    near = [point for point in points if not point["rtt_ms"]]
    far = [point for point in points if point["rtt_ms"]]
    return {
        name: {
            "at_once": at_once,
            **costs(name, at_once, far),
            "direct": costs(name, at_once, near),
        }
        for name, at_once in AT_ONCE.items()
    }


def costs(name, at_once, points):
    """Return {turn_us, command_us} of a way, from these points."""

    def took(commands):
        return {
            point["rtt_ms"]: point["ms"][name]
            for point in points
            if point["commands"] == commands and name in point["ms"]
        }

    one, most = took(SIZES[0]), took(SIZES[-1])
    turn_us = 1000 * statistics.median(ms - rtt for rtt, ms in one.items())
    command_us = 1000 * statistics.median((most[rtt] - one[rtt]) / (SIZES[-1] - 1) for rtt in most)
    if at_once == 16:  # near by, where work is what they wait for
        command_us = 1000 * statistics.mean(took(size)[min(one)] / size for size in SIZES[-2:])
        turn_us = max(0.0, turn_us - command_us)
    elif at_once == 1:  # its work is in its turns
        command_us = 0.0
        hundred = took(SIZES[2])
        turn_us = 1000 * statistics.median(hundred[rtt] / SIZES[2] - rtt for rtt in hundred)
    return {"turn_us": round(turn_us, 1), "command_us": round(command_us, 2)}


def off_percent(found, points):
    """Return by how much the formula misses the worst of a way's points, {way: percent}."""

    def off(name, point):
        formula_ms = milliseconds(found[name], point["commands"], point["rtt_ms"])
        return abs(formula_ms / point["ms"][name] - 1)

    return {
        name: round(100 * max(off(name, point) for point in points if name in point["ms"]))
        for name in found
    }


def main(arguments):
    if KEPT.exists() and "--force" not in arguments:
        return 0
    measured = points()
    if calm.so_far().busy:
        print(f"constants.json: NOT written, {calm.so_far().sentence()}", file=sys.stderr)
        return 1
    found = constants(measured)
    told = {
        "measured": {"date": datetime.date.today().isoformat(), "on": environment_line()},
        "ways": found,
        "off_percent": off_percent(found, measured),
        "points": measured,
    }
    KEPT.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
