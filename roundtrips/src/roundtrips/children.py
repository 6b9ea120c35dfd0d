"""Notice other processes that are started or given work: their round trips are not counted.

Noticed are started programs, by name, forks, processes of multiprocessing, and work for its pools
or for a ProcessPoolExecutor. Nothing in this process tells whether another one uses Redis, so each
of them makes a counting block uncounted. Programs that don't use Redis are listed as `programs` in
[tool.roundtrips]. A worker that was started before and takes its work from a queue, such as
Celery's, is not noticed at all.
"""

import asyncio.subprocess
import multiprocessing.process
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

from . import own_errors
from .blocks import listeners_here
from .config import settings_of_process

# Programs that Python's own library or a test run starts, and that don't speak to Redis.
HARMLESS = {
    "arp", "cc", "file", "gcc", "git", "ifconfig", "ip", "ld", "ldconfig", "lsb_release", "netstat",
    "objdump", "stty", "tput", "uname",
    "dragonfly", "garnet-server", "keydb-server", "kvrocks", "redis-sentinel", "redis-server",
    "valkey-sentinel", "valkey-server",  # servers are no clients
}  # fmt: skip
SHELL = 7  # position of `shell` among Popen's arguments after `args`
Replacement = tuple[Any, str, Callable[[Any], Any]]


def replacements() -> Iterator[Replacement]:
    """Yield (class or module, attribute, function that makes a replacement from the original).

    The attributes are functions and methods that start other processes or give them work.
    """
    yield subprocess.Popen, "__init__", make_popen
    yield os, "system", make_system
    yield multiprocessing.process.BaseProcess, "start", make_hand_over
    # A pool can only have been made before the block if its module is imported.
    if "concurrent.futures.process" in sys.modules:
        executors = sys.modules["concurrent.futures.process"]
        yield executors.ProcessPoolExecutor, "submit", make_hand_over
    # Pools of processes that others make, such as joblib's loky.
    for kind in subclasses(Executor):
        of_python = kind.__module__.startswith("concurrent.futures.")
        if not of_python and "Process" in kind.__name__ and "submit" in kind.__dict__:
            yield kind, "submit", make_hand_over
    pools = sys.modules.get("multiprocessing.pool")
    if hasattr(getattr(pools, "Pool", None), "_check_running"):
        yield pools.Pool, "_check_running", make_hand_over  # type: ignore[union-attr]


def subclasses(kind: Any) -> Iterator[Any]:
    """Yield all subclasses of the class `kind`, each one before its own subclasses."""
    for each in kind.__subclasses__():
        yield each
        yield from subclasses(each)


def note(name: str) -> None:
    """Add the name of a started program to `others` of each Recorder that counts the running code.

    Programs that the settings list are left out, and those known not to use Redis.
    """
    try:
        if name not in HARMLESS and name not in settings_of_process().programs:
            for each in listeners_here():
                each.others.add(name)
    except Exception as error:
        own_errors.note(error)


def program_name(argv: Any) -> str:
    """Return the name of the program that a command line starts: 'ls', or 'python worker.py'.

    `argv` is a path, or a list whose first word is a path. The program's arguments are left out.
    """
    given = [argv] if isinstance(argv, (str, bytes, os.PathLike)) else argv
    words = [os.fsdecode(word) for word in given]
    name = os.path.basename(words[0])
    if not name.startswith("python"):
        return name
    if "-m" in words[1:-1]:
        return f"python -m {words[words.index('-m') + 1]}"
    return next(
        (f"python {os.path.basename(word)}" for word in words if word.endswith(".py")), name
    )


def make_popen(original: Any) -> Any:
    def init(self: Any, args: Any, *rest: Any, **kwargs: Any) -> None:
        original(self, args, *rest, **kwargs)
        in_shell = kwargs.get("shell") or rest[SHELL : SHELL + 1] == (True,)
        note("sh" if in_shell else own_errors.fenced(program_name, args) or "a program")

    return init


def make_system(original: Any) -> Any:
    def system(*args: Any, **kwargs: Any) -> Any:
        note("sh")
        return original(*args, **kwargs)

    return system


def make_hand_over(original: Any) -> Any:
    def hand_over(self: Any, *args: Any, **kwargs: Any) -> Any:
        # A ThreadPool's class is a Pool too.
        if type(self).__name__ != "ThreadPool":
            note("multiprocessing")
        return original(self, *args, **kwargs)

    return hand_over


def note_fork() -> None:
    """Report a process that is being forked; Python calls this before each fork.

    A program that uvloop starts is reported by its name: uvloop's code has no frames, so the
    nearest one is asyncio's. Any other fork is 'a fork'. A Popen of subprocess, which asyncio's own
    loop uses too, is reported by `make_popen`.
    """
    frame = sys._getframe(1)
    starter = frame.f_code.co_filename
    if starter == asyncio.subprocess.__file__:
        given = frame.f_locals
        note(program_name((given["program"], *given["args"])) if "program" in given else "sh")
    elif starter != subprocess.__file__:
        note("a fork")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=note_fork)
