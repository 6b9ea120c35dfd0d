"""Other processes that a block starts, or hands work: what they do is not counted, and is noted.

Noted are the names of programs, forks, processes of multiprocessing, and work for its pools and for
a ProcessPoolExecutor. Whether one of them speaks to Redis can't be seen from here, so each counts;
programs that never do are listed as `programs` in [tool.roundtrips]. A worker of before that takes
its work from a queue of its own, such as Celery's, is not seen at all.
"""

from __future__ import annotations

import functools
import multiprocessing.process
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import faults, scope
from .processes import name_of

# Programs that Python's own library or a test run starts, and that don't speak to Redis.
HARMLESS = {
    "arp", "cc", "file", "gcc", "git", "ifconfig", "ip", "ld", "ldconfig", "lsb_release", "netstat",
    "objdump", "stty", "tput", "uname",
}  # fmt: skip
SHELL = 7  # place of Popen's `shell`, counted from behind its `args`


def replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield (owner, name, what makes the replacement), as redis_py's."""
    yield subprocess.Popen, "__init__", starts_program
    for name in ("system", "posix_spawn", "posix_spawnp"):
        if hasattr(os, name):
            yield os, name, functools.partial(runs_program, f"os.{name}")
    yield multiprocessing.process.BaseProcess, "start", hands_work
    if "concurrent.futures.process" in sys.modules:  # else there is none of before
        yield sys.modules["concurrent.futures.process"].ProcessPoolExecutor, "submit", hands_work
    pools = sys.modules.get("multiprocessing.pool")
    if hasattr(getattr(pools, "Pool", None), "_check_running"):
        yield pools.Pool, "_check_running", hands_work  # type: ignore[union-attr]


def note(name: str) -> None:
    """Note with the blocks that this code stands in what they start."""
    try:
        if name not in HARMLESS and name not in harmless():
            for each in scope.blocks_here():
                each.others.add(name)
    except Exception as fault:
        faults.note(fault)


@functools.cache
def harmless() -> tuple[str, ...]:
    from .config import settings
    from .errors import RoundTripsError

    try:
        return settings().programs
    except RoundTripsError:  # the command and the plugin say what is wrong with the table
        return ()


def note_start(event: str, arguments: tuple[Any, ...]) -> None:
    note(faults.fenced(name_of, event, arguments) or event)


def starts_program(original: Any) -> Any:
    def init(self: Any, args: Any, *rest: Any, **kwargs: Any) -> None:
        original(self, args, *rest, **kwargs)
        in_shell = kwargs.get("shell") or rest[SHELL : SHELL + 1] == (True,)
        note_start("os.system" if in_shell else "subprocess.Popen", (None, args))

    return init


def runs_program(event: str, original: Any) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        note_start(event, args)
        return original(*args, **kwargs)

    return run


def hands_work(original: Any) -> Any:
    def hand(self: Any, *args: Any, **kwargs: Any) -> Any:
        if type(self).__name__ != "ThreadPool":  # whose class is a Pool too
            note("multiprocessing")
        return original(self, *args, **kwargs)

    return hand


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=functools.partial(note, "a fork"))
