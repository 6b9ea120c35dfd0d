"""A ratchet: what each call site made, written down, so that a later run can't quietly make more.

A call site is a file, a function (as the source names it, the same on every Python) and what it
sends. The line is left out, since every edit above moves it; so are the keys' patterns and a
pipeline's length, which change with the data. Setting connections up is "set-up", by who asked for
it. What is new counts as grown from 0.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from .config import Settings, file_from
from .errors import RoundTripsError
from .functions import function_at
from .words import counted

if TYPE_CHECKING:
    from .recorder import SiteTotal
    from .traces import Trace

    State = Counter[tuple[str, str, str]]  # (file, function, what): round trips

FORMAT = 2
OTHER = "{path} is no ratchet: --ratchet did not write it. Choose another name, or delete it."
# What reading a file raises that is no ratchet.
NO_RATCHET = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
OF_SEVERAL = re.compile(r"(pipeline|transaction) of ")
TOLERANCE = re.compile(r"(\d+)(%?)\Z")


def kind_of(site: SiteTotal) -> str:
    """Return 'GET', 'pipeline', 'set-up': what is the code's and not the data's."""
    several = OF_SEVERAL.match(site.label)
    if site.setup:
        return "set-up"
    return several[1] if several else " or ".join(sorted(site.names))


def state_of(trace: Trace, folder: str, ignoring: Settings | None = None) -> State:
    """Return what a Trace made, by call site; files are told from `folder`."""
    state: State = Counter()
    for each in trace.call_sites:
        if ignoring is None or not ignoring.ignores(each.site):
            file = file_from(each.site.file, folder)
            state[file, function_at(each.site), kind_of(each)] += each.round_trips
    return state


def worse(before: State, after: State, tolerance: str | int | None = None) -> list[str]:
    """Return what grew by more than the tolerance, in words, the worst first."""
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
    """Return what may be made where it was `made` before; RoundTripsError unless 2, '10%', None."""
    found = TOLERANCE.match("0" if tolerance is None else str(tolerance))
    if found is None:
        raise RoundTripsError(
            f"The ratchet's tolerance is {tolerance!r}. Write by how many round trips a call site "
            "may grow, such as 2, or by how much of what it made, such as 10%."
        )
    more = int(found[1])
    return made + (made * more // 100 if found[2] else more)


def better(before: State, after: State) -> int:
    """Return how many round trips fewer there are at the sites that shrank."""
    return sum(max(0, number - after[site]) for site, number in before.items())


def write(path: str, state: State) -> None:
    """Write a state into a file. Raises OSError."""
    rows = [
        {"file": file, "function": function, "sends": what, "round_trips": number}
        for (file, function, what), number in sorted(state.items())
    ]
    text = json.dumps({"ratchet": FORMAT, "call_sites": rows}, indent=1, ensure_ascii=False) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def stored_in(path: str) -> Any:
    """Return what a ratchet's file holds. Raises OSError, or RoundTripsError for another file."""
    try:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        stored["ratchet"]
    except NO_RATCHET:
        raise RoundTripsError(OTHER.format(path=path)) from None
    return stored


def refuse_others(path: str) -> None:
    """Raise RoundTripsError where something else than a ratchet stands, that would be replaced."""
    with contextlib.suppress(OSError):  # writing it says what is wrong
        if os.path.isfile(path) and os.path.getsize(path):
            stored_in(path)


def read(path: str) -> State:
    """Return the state in a file. Raises RoundTripsError if it is not there, or no ratchet."""
    name = os.path.basename(path)
    how = f"Run again with --accept to write it: roundtrips --ratchet {name} --accept …"
    try:
        stored = stored_in(path)
        if stored["ratchet"] != FORMAT:
            raise RoundTripsError(
                f"{path} is a ratchet of format {stored['ratchet']}, and this version reads "
                f"{FORMAT}. {how}"
            )
        rows = stored["call_sites"]
        return Counter({(one["file"], one["function"], one["sends"]): int(one["round_trips"])
                        for one in rows})  # fmt: skip
    except FileNotFoundError:
        raise RoundTripsError(f"There is no ratchet {path} yet. {how}") from None
    except OSError as error:
        raise RoundTripsError(f"{path} can't be read ({error}). Choose one that you may.") from None
    except NO_RATCHET:
        raise RoundTripsError(OTHER.format(path=path)) from None
