"""Keep a ratchet: a file with the round trips of each call site, which must not grow.

A call site is a file, a function and the commands it sends. Lines are left out, since every edit
above moves them. Patterns of keys and lengths of pipelines are left out, since they change with the
data. The round trips of setting a connection up are listed as "set-up" at the call site that asked
for the connection. A new call site counts as grown from 0.
"""

import json
import os
import re
from collections import Counter

from .config import Settings
from .counts import Counts
from .errors import RoundTripsError
from .ownership import file_from
from .record import SiteTotal
from .words import counted

State = Counter[tuple[str, str, str]]  # (file, function, what): round trips
OF_A_TEST = "test"  # what a row sends that pytest writes; the command's rows name commands
HOW = {
    "roundtrips": "roundtrips --ratchet {} --accept …",
    "pytest": "pytest --round-trips-ratchet={} --round-trips-accept",
}
OF_SEVERAL = re.compile(r"(pipeline|transaction) of ")
TOLERANCE = re.compile(r"(\d+)(%?)\Z")


def kind_of(site: SiteTotal) -> str:
    """Return the part of a call site's label that data do not change.

    It is 'set-up', 'pipeline', 'transaction', or the command's name, such as 'GET'.
    """
    several = OF_SEVERAL.match(site.label)
    if site.setup:
        return "set-up"
    return several[1] if several else " or ".join(sorted(site.names))


def state_of(trace: Counts, folder: str, ignoring: Settings | None = None) -> State:
    """Return the state of a Trace, {(file, function, kind): round trips}.

    Files are relative to `folder`; the kind is such as 'GET' or 'pipeline'. Call sites that the
    Settings `ignoring` ignore are left out. Raises RoundTripsError if there were too many round
    trips to list every call site.
    """
    if trace.unlisted:
        raise RoundTripsError(
            f"Only the call sites of the first {len(trace.log):,} round trips are kept, and "
            f"{trace.unlisted:,} more were made. Run it on less data."
        )
    state: State = Counter()
    for each in trace.call_sites:
        if ignoring is None or not ignoring.ignores(each.site):
            file = file_from(each.site.file, folder)
            state[file, each.site.outer, kind_of(each)] += each.round_trips
    return state


def worse(before: State, after: State, tolerance: str | int | None = None) -> list[str]:
    """Return a sentence for each call site with more round trips than before, the worst first.

    `before` and `after` are {(file, function, what it sends): round trips}. An increase of up to
    `tolerance` is allowed: a number such as 2, or a share such as '10%'; None allows no increase.
    """
    grown = [
        (now - before[site], site, now)
        for site, now in after.items()
        if now > most(before[site], tolerance)
    ]
    return [
        f"{site[0]} in {site[1].rsplit('.', 1)[-1]}: {site[2]}: "
        f"{before[site]:,} → {counted(now, 'round trip')}"
        for _, site, now in sorted(grown, key=lambda each: (-each[0], each[1]))
    ]


def most(made: int, tolerance: str | int | None) -> int:
    """Return the most round trips allowed at a call site that made `made` before.

    `tolerance` is by how much it may grow: a number such as 2, a share such as '10%', or None.
    Raises RoundTripsError for any other.
    """
    match = TOLERANCE.match("0" if tolerance is None else str(tolerance))
    if match is None:
        raise RoundTripsError(
            f"The ratchet's tolerance is {tolerance!r}. Write by how many round trips a call site "
            "may grow, such as 2, or by how much of what it made, such as 10%."
        )
    more = int(match[1])
    return made + (made * more // 100 if match[2] else more)


def write(path: str, state: State) -> None:
    """Write a state to the ratchet's file at `path`.

    A state is {(file, function, what it sends): round trips}. Raises OSError if the file can't be
    written.
    """
    rows = [
        {"file": file, "function": function, "sends": what, "round_trips": number}
        for (file, function, what), number in sorted(state.items())
    ]
    text = json.dumps({"ratchet": 2, "call_sites": rows}, indent=1, ensure_ascii=False) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path: str, by: str = "roundtrips") -> State:
    """Return the state in the ratchet's file at `path`.

    A state is {(file, function, what it sends): round trips}. `by` is who writes that file,
    "roundtrips" or "pytest". Raises RoundTripsError if the file is missing, invalid, or written by
    the other one.
    """
    how = HOW[by].format(os.path.basename(path))
    try:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        # Another report may have call sites, too, but is no "ratchet".
        rows = stored["ratchet"] and stored["call_sites"]
        if any((row["sends"] == OF_A_TEST) != (by == "pytest") for row in rows):
            raise RoundTripsError(
                f"{path} is the ratchet of {'a command' if by == 'pytest' else 'a run of pytest'}. "
                "Name another file: each of the two needs its own."
            )
        return Counter(
            {(row["file"], row["function"], row["sends"]): int(row["round_trips"]) for row in rows}
        )
    except FileNotFoundError:
        raise RoundTripsError(f"There is no ratchet {path} yet. Write it: {how}") from None
    except OSError as error:
        raise RoundTripsError(f"{path} can't be read ({error}). Choose one that you may.") from None
    except (ValueError, KeyError, TypeError):
        raise RoundTripsError(
            f"{path} is no ratchet: --ratchet did not write it. Choose another name, or delete it."
        ) from None
