"""Writes the plans of docs/workshop/tracks.md from tracks.toml: what each section takes.

    python tools/workshop.py                        writes the tables, with the seconds on file
    python tools/workshop.py --run [NOTEBOOK ...]   first times the chapters of all tracks

A section's minutes are an estimate of the reading (tests/reading.py), MINUTES_A_GUESS for each
guess that the room makes, and the seconds that its cells take, measured at the workshop scale. What
was measured beside other work is marked so, and never takes the place of what was measured quiet.
"""

import functools
import json
import os
import re
import sys
import tempfile
import tomllib
from datetime import datetime
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
KIT = ROOT / "docs" / "workshop"
SECONDS = KIT / "seconds.json"
sys.path.insert(0, str(ROOT / "tests"))

import reading  # noqa: E402 - the tests' estimate, from the tests' folder

MINUTES_A_GUESS = 2  # to make one, to say it, to see all of them
OPENING = "the first cells"
RUN = "python tools/workshop.py --run"
TABLE = re.compile(r"(<!-- track: (.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
MEASURED = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)
ASK = """from lab_utils import calm
import lab_utils
print(calm.so_far().busy)
print(lab_utils.fingerprint())"""


def main(arguments):
    if arguments[:1] == ["--run"]:
        for path in map(Path, arguments[1:]) if arguments[1:] else map(path_of, chapters(tracks())):
            keep(path)
    page = KIT / "tracks.md"
    page.write_text(written(page.read_text(encoding="utf-8")), encoding="utf-8")


def tracks():
    """Return the tracks of tracks.toml, each with its `name`, its `minutes` and its parts."""
    return tomllib.loads((KIT / "tracks.toml").read_text(encoding="utf-8"))["track"]


def chapters(found):
    """Return the chapters that tracks need, in their order."""
    return sorted(
        {part["chapter"] for track in found for part in track["part"] if "chapter" in part}
    )


def path_of(chapter):
    return ROOT / "notebooks" / f"{chapter}.ipynb"


# Running


def keep(path):
    """Run a chapter; keep its sections' seconds, unless they are on file from a quieter machine."""
    known = json.loads(SECONDS.read_text(encoding="utf-8")) if SECONDS.exists() else {}
    found = run(path)
    if not found["busy"] or known.get(path.stem, found)["busy"]:
        known[path.stem] = found
        SECONDS.write_text(
            json.dumps(known, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    beside = ", beside other work" if found["busy"] else ""
    print(f"{path.stem}: {sum(found['seconds'].values()):.0f} s{beside}", flush=True)


def run(path):
    """Run a chapter anew; return {"on": versions, "busy": …, "seconds": {section: seconds}}."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell(ASK))
    with tempfile.TemporaryDirectory() as state:  # so that nobody's progress changes
        os.environ.update(
            TQDM_DISABLE="1", LAB_SCALE="workshop", LAB_CHAPTER=path.stem, LAB_STATE=state
        )
        NotebookClient(
            notebook,
            timeout=300,
            kernel_name="python3",
            resources={"metadata": {"path": str(path.parent)}},
        ).execute()
    busy, *facts = "".join(output.text for output in notebook.cells.pop().outputs).splitlines()
    seconds, now = {}, ""
    for cell in notebook.cells:
        now = reading.heading(cell) or now
        seconds[now] = round(seconds.get(now, 0) + took(cell), 1)
    named = dict(fact.removeprefix("this machine: ").split(maxsplit=1) for fact in facts)
    on = f"{named['server']}, Python {named['Python'].split(',')[0]}, {named['system']}"
    return {"on": on, "busy": busy == "True", "seconds": seconds}


def took(cell):
    """Return the seconds from the moment a code cell began until its reply; 0 for any other."""
    times = cell.metadata.get("execution", {})
    began, ended = times.get("iopub.execute_input"), times.get("shell.execute_reply")
    if not (began and ended):
        return 0
    return (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()


# Writing


def written(page):
    """Return the page with each table, between its two marks, made anew."""
    known = json.loads(SECONDS.read_text(encoding="utf-8"))
    by_name = {track["name"]: track for track in tracks()}
    page = MEASURED.sub(lambda found: f"{found[1]}{measured(known)}{found[2]}", page)
    return TABLE.sub(lambda found: f"{found[1]}{table(by_name[found[2]], known)}{found[3]}", page)


def measured(known):
    """Return a sentence: on what the seconds were measured, and which of them beside other work."""
    machines = sorted({chapter["on"] for chapter in known.values()})
    busy = [name[:2] for name, chapter in sorted(known.items()) if chapter["busy"]]
    beside = f" Beside other work, so rather too long: {', '.join(busy)}." if busy else ""
    return (
        f"The seconds are of {'; '.join(machines)}.{beside} All of them stand in "
        "[seconds.json](seconds.json).\n"
    )


def table(track, known):
    """Return a track as a table: when each part begins, and what its minutes are made of."""
    lines = ["| at | what | read, min | guesses | runs, s | minutes |", "|---|---|---|---|---|---|"]
    at = 0
    for what, read, guesses, seconds, minutes in rows(track, known):
        made_of = f"{read:.0f} | {guesses or ''} | {seconds:.0f}" if read is not None else " |  | "
        lines.append(f"| {clock(at)} | {what} | {made_of} | {minutes} |")
        at += minutes
    lines.append(f"| {clock(at)} | the end | | | | of {track['minutes']} |")
    return "\n".join(lines) + "\n"


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02d}"


def rows(track, known):
    """Yield each part: what, minutes to read or None, guesses, seconds of running, minutes."""
    for part in track["part"]:
        if "chapter" not in part:
            yield part["what"], None, 0, 0, part["minutes"]
            continue
        chapter = part["chapter"]
        guesses = guesses_in(chapter)
        for name in ["", *part["sections"]] if part.get("opens", True) else part["sections"]:
            read, runs = minutes_of(chapter, name, known)
            asked = guesses.get(name, 0)
            minutes = max(1, round(read + MINUTES_A_GUESS * asked + runs / 60))
            yield link(chapter, name), read, asked, runs, minutes
        if part.get("exercises"):
            named = ", ".join(f"{chapter[:2]}.{number}" for number in part["exercises"])
            minutes = reading.EXERCISE_MINUTES * len(part["exercises"])
            word = "Exercise" if len(part["exercises"]) == 1 else "Exercises"
            yield f"{chapter[:2]} · {word} {named}", None, 0, 0, minutes


def minutes_of(chapter, section, known):
    """Return (minutes of reading, seconds of running) of a section; exit where one is not known."""
    there, timed = sections(chapter), known.get(chapter, {"seconds": {}})["seconds"]
    if section not in there:
        sys.exit(
            f"tracks.toml names a section of {chapter} that is not there: {section!r}. There "
            f"are: {', '.join(there)}"
        )
    if section not in timed:
        sys.exit(
            f"What {section!r} of {chapter} takes is not on file. Measure it: {RUN} "
            f"notebooks/{chapter}.ipynb"
        )
    return there[section].minutes, timed[section]


def link(chapter, section):
    """Return a section as the table names it: a chapter's first with the chapter's own title."""
    path = f"../../notebooks/{chapter}.ipynb"
    if not section:
        return f"**[{title(chapter)}]({path})**: {OPENING}"
    return f"[{section}]({path}#{section.replace(' ', '-')})"


@functools.cache
def title(chapter):
    first = nbformat.read(path_of(chapter), as_version=4).cells[0]
    return first.source.splitlines()[0].removeprefix("# ")


@functools.cache
def sections(chapter):
    return reading.sections(path_of(chapter))


@functools.cache
def guesses_in(chapter):
    """Return {section: how many guesses it asks for}."""
    found, now = {}, ""
    for cell in nbformat.read(path_of(chapter), as_version=4).cells:
        now = reading.heading(cell) or now
        found[now] = found.get(now, 0) + (cell.cell_type == "code" and "lab.guess(" in cell.source)
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
