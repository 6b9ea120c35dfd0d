"""What the lab remembers for the learner, in one JSON file: `.lab/state.json` beside the notebooks.

It holds dicts of entries by name, such as "progress" or "guesses". Losing the memory never stops a
lesson, and a file that cannot be read is never lost: it is kept aside, and said.
"""

import contextlib
import itertools
import json
import os
from collections.abc import Iterator
from pathlib import Path

from ..system import fcntl

said: set[str] = set()  # what was printed already, so that each thing is said once in a kernel


def folder() -> Path:
    return Path(os.environ.get("LAB_STATE", ".lab"))


def load(name: str) -> dict:
    """Return the remembered dict `name`; empty if there is none."""
    with locked():
        return read().get(name, {})


@contextlib.contextmanager
def changing(name: str) -> Iterator[dict]:
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
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def read():
    """Return all that is remembered; what cannot be read is kept aside and said in one line."""
    path = folder() / "state.json"
    if not path.exists():
        return {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and all(map(holds_entries, content.values())):
            return content
    aside = next(
        place
        for number in itertools.count(1)
        if not (place := path.with_name(f"{path.name}.broken-{number}")).exists()
    )
    try:
        path.rename(aside)
        say(f"{path} cannot be read as what the lab writes; it is kept aside as {aside.name}")
    except OSError as error:
        say(f"{path} cannot be read, nor kept aside ({error.strerror}): the lab does without it")
    return {}


def holds_entries(part):
    return isinstance(part, dict) and all(isinstance(entry, dict) for entry in part.values())


def write(content):
    """Put the whole file in place at once."""
    target = folder() / "state.json"
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        scratch.write_text(json.dumps(content, indent=1, default=repr) + "\n", encoding="utf-8")
        scratch.replace(target)
    except OSError as error:
        say(f"{folder()} cannot be written ({error.strerror}): the lab remembers nothing here")


def say(line):
    """Print a line about this machine once in a kernel; CI compares no such line."""
    if line not in said:
        said.add(line)
        print(f"this machine: {line}")
