"""Start processes that end with this process, however it ends: each has a keeper.

The keeper is a shell that starts the process and waits. It has the read end of a pipe, the
lifeline, whose only write end is this process's, usually a Jupyter kernel. When that is gone, by
SIGKILL too, the pipe closes, and the keeper kills the process, removes its folder and ends. The
keeper also reaps a process that ends by itself, and removes its folder. The keeper makes the folder
too, so that it exists at no moment without someone to remove it.
"""

import atexit
import contextlib
import fcntl
import os
import secrets
import subprocess
import tempfile
from typing import Any

from ..interrupts import Whole, uninterrupted

END_S = 5  # a process killed by SIGKILL is gone long before
PREFIX = "redis-round-trip-lab-"  # of the folders
FIRST_NUMBER = 10  # lowest descriptor of a lifeline; the keeper's shell uses the lower ones
_lifelines: set[int] = set()  # the write ends
_kept: set["Kept"] = set()  # the processes of which this process has keepers

# $0 is the folder to make, to work in and to remove, or nothing; $1 the lifeline's number; then the
# command. A logout sends SIGTERM to all processes at once, so the keeper ignores it, and mkdir and
# rm do; the process itself does not. SIGHUP is ignored by all: a stopped process whose kernel is
# gone makes the system send it. The last line ends whatever else is in the keeper's group, such as
# the true server, where the command is a script around it.
KEEPER = """
trap '' HUP INT QUIT TERM
lifeline=$1; shift
if [ -n "$0" ]; then mkdir -m 700 -- "$0" && cd -- "$0" || exit; fi
exec 4<&0 </dev/null
{ trap - TERM; exec "$@"; } <&4 4<&- &
kept=$!
exec 4<&- >/dev/null 2>&1
{ read -r _; kill -9 $kept; } </dev/fd/$lifeline &
wait $kept
if [ -n "$0" ]; then cd / && rm -rf -- "$0"; fi
kill -9 $!
wait
kill -9 -$$
"""


# A forked child closes them, or they would keep its parent's processes alive.
def _drop_lifelines() -> None:
    for end in _lifelines:
        with contextlib.suppress(OSError):
            os.close(end)
    _lifelines.clear()
    _kept.clear()


os.register_at_fork(after_in_child=_drop_lifelines)


@atexit.register
def stop_all() -> None:
    """Stop every process that this process has started as a Kept, and wait for it.

    Python calls this when this process ends.
    """
    for kept in list(_kept):
        kept.stop()


class Kept:
    """A process that runs `command`, a list of words, and is killed when this process ends.

    It is started, and killed, by a shell: its keeper. With `folder` the process works in a new
    folder, whose path is the attribute `folder`; else the attribute is "". `feed` is written to the
    standard input of the process; `popen` are options of subprocess.Popen. The attribute `process`
    is the Popen of the keeper, which ends when the process has ended.
    """

    def __init__(
        self, command: list[str], folder: bool = False, feed: bytes | None = None, **popen: Any
    ) -> None:
        name = PREFIX + secrets.token_hex(8)
        self.folder = os.path.join(tempfile.gettempdir(), name) if folder else ""
        self.owner = os.getpid()
        self.process: Any = None
        self.lifeline: Any = None
        for kept in [kept for kept in _kept if not kept.alive()]:
            kept.stop()  # close its pipes: a long-lived kernel must not collect them
        if feed is not None:
            popen["stdin"] = subprocess.PIPE
        try:
            with uninterrupted():
                read_end, self.lifeline = lifeline()
                _kept.add(self)
                try:
                    keeper = ["sh", "-c", KEEPER, self.folder, str(read_end), *command]
                    popen |= {"process_group": 0, "pass_fds": (read_end,)}
                    self.process = subprocess.Popen(keeper, **popen)
                finally:
                    os.close(read_end)
            if feed is not None:
                with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
                    stdin.write(feed)  # one that has ended already has its own words to say why
                self.process.stdin = None  # else communicate() would flush it
        except BaseException:
            self.stop()
            raise

    def alive(self) -> bool:
        """Return whether the process still runs; reap it if it has ended."""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """Kill the process; wait until it has ended and its folder is removed.

        In a forked child nothing happens: the process is its parent's.
        """
        if self.owner != os.getpid():
            return
        with uninterrupted():
            if self.lifeline is not None:
                cut(self.lifeline)
                self.lifeline = None
            if self.process:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(END_S)
            _kept.discard(self)


class all_or_none(Whole):
    """In a `with` block that starts processes as Kept, stop all of these if the block fails."""

    def enter(self) -> None:
        self.before = set(_kept)

    def leave(self) -> None:
        if self.failed:
            for kept in _kept - self.before:
                kept.stop()


def lifeline() -> tuple[int, int]:
    """Make a pipe by which a child notices that this process has ended.

    Returns the file descriptors (read end, write end). The read end is for the child; the write end
    closes when this process is gone.
    """
    low, write_end = os.pipe()
    read_end = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_NUMBER)
    os.close(low)
    _lifelines.add(write_end)
    return read_end, write_end


def close_in_children(fd: int) -> None:
    """Have each forked child of this process close the file descriptor `fd` when it begins."""
    _lifelines.add(fd)


def cut(write_end: int) -> None:
    """Close the write end of a `lifeline`, so that the process at its read end ends.

    `write_end` is its file descriptor.
    """
    _lifelines.discard(write_end)
    os.close(write_end)
