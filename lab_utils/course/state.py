"""What the lab remembers for the learner: exercises solved, claims tried, guesses made.

Small JSON files in `.lab/` beside the notebooks.

Losing the memory never stops a lesson, and a file that cannot be read is never lost: it is kept aside, and said.
"""

import contextlib
import itertools
import json
import os
import time
from pathlib import Path

from ..arguments import HUGEST
from ..system import fcntl

LARGEST = 5_000_000  # bytes; what the lab remembers takes a hundredth of that
PATIENCE_S = 2  # for another kernel that is writing; it takes a millisecond
# What every entry of a file must hold, and of which type.
SHAPES = {
    "progress": {"solved": bool, "tries": int},
    "claims": {"text": str, "article": str, "word": str, "because": str, "measured": dict, "chapters": dict},
    "guesses": {"guess": (int, float), "unit": str, "measured": (int, float, type(None))},
    "published": {"published": dict, "reproduced": dict, "rtt_ms": (int, float), "fitted": list},
    "board": {"kind": str, "name": str, "at": (int, float)},
}
# Chapters got other numbers once: what was remembered by the old ones belongs to these. A folder that knows holds plan.json.
PLAN = {"chapters": {"renumbered": 1}}
RENUMBERED = {
    "progress": {"12.1": "14.1", "12.2": "14.2", "10.2": "11.1", "10.3": "10.2"},
    "guesses": {"12.hold": "14.hold"},
}
said = set()  # what was printed already, so that each thing is said once in a kernel


def folder():
    return Path(os.environ.get("LAB_STATE", ".lab"))


def is_elsewhere():
    """True where a link stands in the folder's place: it could lead anywhere, so the lab goes on without."""
    if folder().is_symlink():
        say(f"{folder()} is a link to somewhere else, and the lab follows none: it remembers nothing of this kernel")
        return True
    return False


def load(name):
    """The remembered dict `name`; empty if there is none. What cannot be read is kept aside and said in one line."""
    with locked():
        renumber()
        return read(name)


@contextlib.contextmanager
def changing(name):
    """`with state.changing("progress") as progress:` gives the remembered dict, and remembers what the block made of it.

    No other kernel can change it meanwhile. A folder that cannot be written costs the memory, not the lesson.
    """
    with contextlib.suppress(OSError):  # writing says what is wrong with it
        folder().mkdir(exist_ok=True)
    with locked():
        renumber()
        content = read(name)
        yield content
        write(name, content)


@contextlib.contextmanager
def locked():
    """Keeps other kernels and threads from these files; where the folder cannot be locked, goes on without."""
    held = None
    with contextlib.suppress(OSError):
        held = os.open(folder(), os.O_RDONLY)
    try:
        if held is not None:
            wait_for(held)
        yield
    finally:
        if held is not None:
            os.close(held)  # which releases the lock


def wait_for(descriptor):
    """Takes the lock; gives up on a holder that stands still, and on a file system without locks."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(0.002)
        except OSError:
            return


def read(name):
    """The sound entries of a file. If there were others, the file is kept aside as it was."""
    path = folder() / f"{name}.json"
    if is_elsewhere() or not os.path.lexists(path):
        return {}
    content = parsed(path)
    if content is None:
        keep_aside(path, "cannot be read as what the lab writes")
        return {}
    sound = {key: entry for key, entry in content.items() if is_sound(entry, SHAPES.get(name, {}))}
    if len(sound) < len(content) and keep_aside(path, f"holds {len(content) - len(sound)} entries that the lab cannot read"):
        write(name, sound)
    return sound


def renumber():
    """Gives what a folder remembers by the chapters' old numbers their new ones, once."""
    if not folder().is_dir() or os.path.lexists(folder() / "plan.json"):
        return
    for name, new in RENUMBERED.items():
        content = read(name)
        if new.keys() & content.keys():
            write(name, {new.get(key, key): entry for key, entry in content.items()})
    write("plan", PLAN)


def parsed(path):
    """The dict in a JSON file, or None if there is something else."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def is_sound(entry, shape):
    return (isinstance(entry, dict) and all(isinstance(entry.get(key), kind) for key, kind in shape.items())
            and not any(isinstance(value, (int, float)) and not abs(value) <= HUGEST for value in entry.values()))


def keep_aside(path, why):
    """Renames whatever stands at `path` to the first free NAME.broken-1, NAME.broken-2 …; False if it cannot be."""
    aside = next(place for number in itertools.count(1)
                 if not os.path.lexists(place := path.with_name(f"{path.name}.broken-{number}")))
    try:
        path.rename(aside)
    except OSError as error:
        say(f"{path} {why}, and cannot be kept aside ({error.strerror}): the lab does without it")
        return False
    say(f"{path} {why}; it is kept aside as {aside.name}")
    return True


def write(name, content):
    if is_elsewhere():
        return
    target = folder() / f"{name}.json"
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(exist_ok=True)
        if target.is_dir():  # it could not be kept aside, and that was said
            return
        scratch.unlink(missing_ok=True)
        with scratch.open("x", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=1, default=repr) + "\n")
        scratch.replace(target)
    except OSError as error:
        say(f"{folder()} cannot be written ({error.strerror}): the lab remembers nothing of this kernel")
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)


def say(line):
    """Prints a line about this machine once in a kernel; CI compares no such line."""
    if line not in said:
        said.add(line)
        print(f"this machine: {line}")
