"""What the lab remembers for the learner, in one JSON file: `.lab/state.json` beside the notebooks.

It holds a dict for each of NAMES. Losing the memory never stops a lesson, and a file that cannot be
read is never lost: it is kept aside, and said.
"""

import contextlib
import itertools
import json
import os
import time
from pathlib import Path

from ..system import fcntl

NAMES = ("progress", "guesses", "claims", "published", "board", "room")
PATIENCE_S = 2  # for another kernel that is writing; it takes a millisecond
said = set()  # what was printed already, so that each thing is said once in a kernel


def folder():
    return Path(os.environ.get("LAB_STATE", ".lab"))


def load(name):
    """Return the remembered dict `name`; empty if there is none."""
    with locked():
        return read().get(name, {})


@contextlib.contextmanager
def changing(name):
    """Yield the remembered dict `name`, and remember what the block made of it.

    No other kernel can change it meanwhile. A folder that cannot be written costs the memory, not
    the lesson.
    """
    with contextlib.suppress(OSError):  # writing says what is wrong with it
        folder().mkdir(exist_ok=True)
    with locked():
        content = read()
        yield content.setdefault(name, {})
        write(content)


@contextlib.contextmanager
def locked():
    """Keep other kernels and threads out; where the folder cannot be locked, go on without."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            held = os.open(folder(), os.O_RDONLY)
            stack.callback(os.close, held)  # which releases the lock
            deadline = time.monotonic() + PATIENCE_S
            while time.monotonic() < deadline:  # its holder may stand still
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                time.sleep(0.002)
        yield


def read():
    """Return all that is remembered; what cannot be read is kept aside and said in one line."""
    path = folder() / "state.json"
    if folder().is_symlink():  # it could lead anywhere
        return {}
    if os.path.lexists(path):
        if (content := parsed(path)) is None:
            keep_aside(path)
        return content or {}
    files = {name: folder() / f"{name}.json" for name in NAMES}  # an older lab's
    return {name: old for name, file in files.items() if (old := parsed(file, 1))}


def parsed(path, depth=2):
    """Return the dict of dicts, `depth` of them, in a JSON file; None if there is anything else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    except (OSError, ValueError, RecursionError):
        return None
    return content if is_nested(content, depth) else None


def is_nested(content, depth):
    return isinstance(content, dict) and (
        not depth or all(is_nested(part, depth - 1) for part in content.values()))


def keep_aside(path):
    """Rename whatever stands at `path` to the first free NAME.broken-1, NAME.broken-2 …"""
    aside = next(place for number in itertools.count(1)
                 if not os.path.lexists(place := path.with_name(f"{path.name}.broken-{number}")))
    try:
        path.rename(aside)
        say(f"{path} cannot be read as what the lab writes; it is kept aside as {aside.name}")
    except OSError as error:
        say(f"{path} cannot be read, nor kept aside ({error.strerror}): the lab does without it")


def write(content):
    """Put the whole file in place at once."""
    target = folder() / "state.json"
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        if folder().is_symlink():
            raise OSError(None, "it is a link to somewhere else")
        if target.is_dir():  # it could not be kept aside, and that was said
            return
        scratch.unlink(missing_ok=True)
        with scratch.open("x", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=1, default=repr) + "\n")
        scratch.replace(target)
    except OSError as error:
        say(f"{folder()} cannot be written ({error.strerror}): the lab remembers nothing here")
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)


def say(line):
    """Print a line about this machine once in a kernel; CI compares no such line."""
    if line not in said:
        said.add(line)
        print(f"this machine: {line}")
