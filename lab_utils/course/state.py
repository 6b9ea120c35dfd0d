"""Store what the lab remembers for the learner in `.lab/state.json` beside the notebooks.

The file holds dicts of entries, each a dict, under names such as "progress" or "guesses". Losing it
never stops a lesson; a file that cannot be read is renamed, and one line says so.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path

said: set[str] = set()  # lines already printed: a kernel prints each once


def folder() -> Path:
    return Path(os.environ.get("LAB_STATE", ".lab"))


def load(name: str) -> dict:
    """Return the dict stored under `name`, such as "guesses"; {} if there is none."""
    with locked():
        return read().get(name, {})


@contextlib.contextmanager
def changing(name: str) -> Iterator[dict]:
    """Yield the dict stored under `name` for changing, and store it when the `with` block ends.

    No other process can change it meanwhile. If the folder cannot be written, the `with` block
    still runs, and nothing is stored.
    """
    with contextlib.suppress(OSError):  # `write` reports the error
        folder().mkdir(exist_ok=True)
    with locked():
        content = read()
        yield content.setdefault(name, {})
        write(content)


@contextlib.contextmanager
def locked() -> Iterator[None]:
    """In a `with` block, lock `.lab/state.json` against other processes and threads of the lab.

    If it can't be locked, the block runs unlocked.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            held = os.open(folder(), os.O_RDONLY)
            stack.callback(os.close, held)  # which releases the lock
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def read() -> dict[str, dict]:
    """Return all that is stored, {name: {name of an entry: entry}}; {} if there is nothing.

    If the file cannot be read, it is renamed, one line about that is printed, and {} is returned.
    """
    path = folder() / "state.json"
    if not path.exists():
        return {}
    with contextlib.suppress(OSError, ValueError, RecursionError):
        content = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(content, dict) and all(map(holds_entries, content.values())):
            return content
    aside = path.with_name("state.json.broken")  # the latest of them
    try:
        path.replace(aside)
        say(f"{path} cannot be read as what the lab writes; it is kept aside as {aside.name}")
    except OSError as error:
        say(f"{path} cannot be read, nor kept aside ({error.strerror}): the lab does without it")
    return {}


def holds_entries(part: object) -> bool:
    return isinstance(part, dict) and all(isinstance(entry, dict) for entry in part.values())


def write(content: dict[str, dict]) -> None:
    """Store `content`, {name: {name of an entry: entry}}, in state.json.

    The file is replaced at once, so nobody reads a half-written one. If the folder cannot be
    written, one line about that is printed.
    """
    target = folder() / "state.json"
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    try:
        scratch.write_text(json.dumps(content, indent=1, default=repr) + "\n", encoding="utf-8")
        scratch.replace(target)
    except OSError as error:
        say(f"{folder()} cannot be written ({error.strerror}): the lab remembers nothing here")


def say(line: str) -> None:
    """Print a line about this machine, once in a process; CI does not compare such lines."""
    if line not in said:
        said.add(line)
        print(f"this machine: {line}")
