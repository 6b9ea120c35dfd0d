"""What the processes of one run have to tell, written into a folder and added up."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from time import monotonic, sleep
from typing import Any

from .children import HARMLESS
from .keys import chosen
from .processes import Process, is_alive
from .traces import Record, Trace
from .words import counted

PATIENCE_S = 1.0  # for processes that are just about to end
MOST_NAMED = 5


@dataclass
class Part:
    """What one process did: its Trace, and the programs that it `started`; `began` is its clock."""

    name: str
    pid: int
    began: float
    started: dict[str, int]
    refusals: list[str]
    unseen: list[str]
    trace: Trace


@dataclass
class Run:
    """All processes of one run: `trace` has everything, `parts` are by process, the first first."""

    trace: Trace
    parts: list[Part]

    def by_process(self) -> list[str]:
        """Return a line for each process, or [] if there was one alone."""
        told = [each for each in self.parts if each.trace.round_trips or each.trace.setup_trips]
        if self.parts[:1] == told or not told:
            return []
        rows = [
            f"  {counted(each.trace.round_trips, 'round trip'):>20}  {each.name} ({each.pid})"
            for each in told
        ]
        return ["By process (waits are added up, as if one came after the other)", *rows]


def part_of(told: dict[str, Any], trace: Trace | None) -> Part:
    """Return the part of what a process told; without a Trace it has not imported redis."""
    return Part(**told, trace=trace or Trace(Record(unseen=told["unseen"])))


def part_in(path: str) -> Part:
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    stored = told.pop("trace", None)
    return part_of(told, Trace.from_dict(stored) if stored else None)


def gather(
    process: Process, name: str, programs: Iterable[str] = (), notes: Sequence[str] = ()
) -> Run:
    """Return the Run of the first process, of the program `name`, and of all that wrote a part.

    `programs` are names of programs that don't speak to Redis, `notes` say what was not counted.
    """
    recorder = process.recorder
    first = Trace(recorder, chosen(None)) if recorder is not None else None
    parts = [part_of({**process.part(), "name": name}, first)]
    names, missing = [], list(notes)
    try:
        names = settled(process.folder)
    except PermissionError:  # the program has given up the rights that it began with
        if process.masks:
            missing.append("what processes did that it forked: it may not read what they told")
    for file in sorted(names):
        if file.endswith(".json"):
            try:
                parts.append(part_in(os.path.join(process.folder, file)))
            except Exception as fault:
                missing.append(f"a process whose part can't be read ({fault})")
        elif file.endswith(".open"):
            missing.append(unfinished(process.folder, file))
    missing += [refusal for part in parts for refusal in part.refusals]
    missing += not_begun(parts, names, {*HARMLESS, *programs})
    return Run(added_up(parts, list(dict.fromkeys(missing))), parts)


def settled(folder: str) -> list[str]:
    """Return the names of files, when nothing is open any more, or patience is over."""
    until = monotonic() + PATIENCE_S
    while True:
        names = os.listdir(folder)
        waiting = [name for name in names if name.endswith(".open") and is_alive(pid_of(name))]
        if not waiting or monotonic() > until:
            return names
        sleep(0.02)


def pid_of(name: str) -> int:
    return int(name.split(".")[0])


def unfinished(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        process = f"{name.split('.')[0]} ({file.read()})"
    why = "still runs" if is_alive(pid_of(name)) else "was ended before it could tell"
    return f"process {process}, which {why}"


def not_begun(parts: Iterable[Part], names: Iterable[str], harmless: set[str]) -> list[str]:
    """Return what was started, and is no Python that counted itself."""
    begun = Counter(".".join(name.split(".")[2:]) for name in names)  # PARENT.began
    by_process: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for part in parts:  # of which a process that became another Python has two
        for name, times in part.started.items():
            if name not in harmless and f"{part.pid}.{name}" not in begun:  # multiprocessing.spawn
                by_process[part.pid][name] += times
    found: Counter[str] = Counter()
    for pid, started in by_process.items():
        left = begun[f"{pid}.began"]
        if started.total() > left:
            for name in [name for name in started if name.startswith("python")]:
                counted = min(started[name], left)
                started[name] -= counted
                left -= counted
            found += started
    if not found:
        return []
    named = [name + (f" × {n:,}" if n > 1 else "") for name, n in found.most_common(MOST_NAMED)]
    more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return [f"what other programs do that this one starts ({', '.join(named + more)})"]


def added_up(parts: list[Part], missing: list[str]) -> Trace:
    """Return one Trace of all parts, and of what was not counted."""
    first, *others = parts
    if not others and not missing:
        return first.trace
    record = first.trace.record
    whole = replace(record, totals=replace(record.totals), missing=missing)
    for each in others:
        add(whole, each.trace.record, each.began - first.began, f"{each.name} ({each.pid})")
    in_order = sorted(range(len(whole.log)), key=lambda at: whole.log[at].sent)
    places = {was: at for at, was in enumerate(in_order)}
    whole.log = [whole.log[at] for at in in_order]
    for trip in whole.log:
        trip.named_by = None if trip.named_by is None else places[trip.named_by]
    whole.waiting = min(whole.waiting, whole.seconds)
    return Trace(whole)


def add(whole: Record, part: Record, later: float, process: str) -> None:
    """Add what one process did to the whole; it began `later` seconds after that."""
    whole.totals.include(part.totals)
    whole.totals.setup_trips += part.totals.setup_trips
    connections, workers, before = len(whole.places), len(whole.workers), len(whole.log)
    for each in part.log:
        each.sent, each.replied = each.sent + later, each.replied + later
        each.connection += connections
        each.worker += workers if each.worker >= 0 else 0
        each.named_by = None if each.named_by is None else each.named_by + before
    for name in ("waits", "waiting", "connections", "refused", "unattributed", "unanswered",
                 "detached", "others", "log", "folds", "places", "faults"):  # fmt: skip
        setattr(whole, name, getattr(whole, name) + getattr(part, name))
    whole.commands = dict(Counter(whole.commands) + Counter(part.commands))
    whole.workers = [*whole.workers, *[f"{name} of {process}" for name in part.workers]]
    whole.unseen = list(dict.fromkeys([*whole.unseen, *part.unseen]))
