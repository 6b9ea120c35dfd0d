"""Measure the cost of a write in four ways: the constants of the figures that readers can drag.

    python tools/constants.py [--force]    writes lab_utils/explorables/constants.json if missing

The figures compute with the formula of lab_utils/model.py: turns × (RTT + a) + commands × c. A turn
is one round trip; a is in µs a turn, c in µs a command.
- For ways that send all at once, c is the slope over the number of commands, a is from one command.
- A loop has a turn for each command, so it has one constant only.
- Threads wait at the same time and share one CPU (`model.side_by_side`).
- At distance 0 there is no link, and client and server share one CPU, so its constants, "direct",
  are computed separately.

The file also holds all measured points, and the formula's largest error. On a busy machine nothing
is written.
"""

import datetime
import json
import statistics
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lab_utils as lab
from lab_utils import disturbance
from lab_utils.model import milliseconds
from lab_utils.testbed.fingerprints import environment_line

KEPT = Path(__file__).resolve().parent.parent / "lab_utils" / "explorables" / "constants.json"
DISTANCES_MS = 0, 0.25, 1, 5, 20
SIZES = 1, 10, 100, 1_000
AT_ONCE = {"one by one": 1, "16 threads": 16, "pipeline": None, "MSET": None}  # in one turn
LONGEST_MS = 2_500  # a loop that takes longer is left out


def ways(commands: int, pool: ThreadPoolExecutor) -> dict:
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


def points() -> list[dict]:
    """Measure the four ways with 1 to 1,000 commands at five distances.

    Returns a list of dicts: {"commands": number, "rtt_ms": ms, "ms": {way: milliseconds for all
    commands}}. A loop that would take too long is left out.
    """
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


def constants(points: list[dict]) -> dict[str, dict]:
    """Compute each way's constants from `points`, what the function `points` returned.

    Returns {way: {"at_once", "turn_us", "command_us", "direct"}}. "at_once" is how many commands
    are under way at once, None for all; "turn_us" is µs a round trip, "command_us" µs a command.
    "direct" has the same two at distance 0: {"turn_us", "command_us"}.
    """
    near = [point for point in points if not point["rtt_ms"]]
    far = [point for point in points if point["rtt_ms"]]
    return {
        name: {"at_once": at_once}
        | costs(name, at_once, far)
        | {"direct": costs(name, at_once, near)}
        for name, at_once in AT_ONCE.items()
    }


def costs(name: str, at_once: int | None, points: list[dict]) -> dict[str, float]:
    """Return {"turn_us", "command_us"} of the way `name`: µs a round trip and µs a command.

    `at_once` is how many commands the way sends before it waits for a reply, None if it sends all.
    `points` is a list of dicts as the function `points` returns them, of the distances to compute
    from.
    """
    ms = {(each["commands"], each["rtt_ms"]): each["ms"].get(name) for each in points}
    distances = sorted({rtt for _, rtt in ms})
    turn_ms = statistics.median(ms[1, rtt] - rtt for rtt in distances)
    command_ms = 0.0
    if at_once == 1:  # its work is in its turns
        turn_ms = statistics.median(ms[100, rtt] / 100 - rtt for rtt in distances)
    elif at_once == 16:  # near by, where work is what they wait for
        command_ms = statistics.mean(ms[size, distances[0]] / size for size in (100, 1_000))
        turn_ms = max(0.0, turn_ms - command_ms)
    else:
        command_ms = statistics.median((ms[1_000, rtt] - ms[1, rtt]) / 999 for rtt in distances)
    return {"turn_us": round(1000 * turn_ms, 1), "command_us": round(1000 * command_ms, 2)}


def off_percent(found: dict[str, dict], points: list[dict]) -> dict[str, float]:
    """Return {way: by how many percent the formula of lab_utils/model.py is off at most}.

    Its results are compared with the times measured in `points`, which the function `points`
    returned; `found` is what `constants` returned.
    """

    def off(name, point):
        formula_ms = milliseconds(found[name], point["commands"], point["rtt_ms"])
        return abs(formula_ms / point["ms"][name] - 1)

    return {
        name: round(100 * max(off(name, point) for point in points if name in point["ms"]))
        for name in found
    }


def main(arguments: list[str]):
    if KEPT.exists() and "--force" not in arguments:
        return 0
    measured = points()
    if disturbance.so_far().busy:
        print(f"constants.json: NOT written, {disturbance.so_far().sentence()}", file=sys.stderr)
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
