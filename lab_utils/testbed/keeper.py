"""Processes that end with the kernel, however it ends: each has a keeper.

The keeper is a shell that starts the process and waits. It holds the read end of a pipe, the
lifeline, whose only write end is the kernel's: when the kernel is gone, by SIGKILL too, that pipe
closes, and the keeper kills the process, removes its folder and ends. A process that ends by itself
is reaped and cleaned up after in the same way. The keeper also makes the folder, so there is no
moment at which nobody would remove it.
"""

import atexit
import contextlib
import os
import secrets
import subprocess
from typing import Any

from ..interrupts import Whole, uninterrupted
from ..system import fcntl

END_S = 5  # a process killed by SIGKILL is gone long before
PREFIX = "redis-round-trip-lab-"  # of the folders
FIRST_NUMBER = 10  # of a lifeline: the keeper's shell needs those below for itself
_lifelines = set()  # the write ends
_kept = set()  # what this process keeps

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


def _drop_lifelines():
    """Let go of them in a forked child, or its parent's processes would live as long as it does."""
    for end in _lifelines:
        with contextlib.suppress(OSError):
            os.close(end)
    _lifelines.clear()
    _kept.clear()


os.register_at_fork(after_in_child=_drop_lifelines)


@atexit.register
def stop_all():
    """Wait until all is gone, at the ordinary end of a kernel."""
    for kept in list(_kept):
        kept.cut()
    for kept in list(_kept):
        kept.stop()


class Kept:
    """A process that ends with the kernel: `command`, in a `folder` of its own if asked.

    `feed` is written to its input; `popen` are options of Popen. `process` is its keeper's Popen:
    that ends when the process has ended.
    """

    def __init__(self, command: list, folder: bool = False, feed: bytes | None = None, **popen):
        name = PREFIX + secrets.token_hex(8)
        self.folder = os.path.join(temporary_folder(), name) if folder else ""
        self.owner = os.getpid()
        self.process: Any = None
        self.lifeline: Any = None
        for kept in [kept for kept in _kept if not kept.alive()]:
            kept.stop()  # a long kernel is to hold nothing of those that have ended
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
        """Return whether the process runs. Reaps it otherwise."""
        return self.process is not None and self.process.poll() is None

    def stop(self):
        """Kill the process and wait until it is gone, with its folder.

        A forked child leaves its parent's alone.
        """
        if self.owner != os.getpid():
            return
        with uninterrupted():
            self.cut()
            if self.process:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(END_S)
            _kept.discard(self)

    def cut(self):
        if self.lifeline is not None:
            cut(self.lifeline)
            self.lifeline = None


class all_or_none(Whole):
    """If the `with` block fails, stop every process started in it."""

    def enter(self):
        self.before = set(_kept)

    def leave(self):
        if self.failed:
            for kept in _kept - self.before:
                kept.stop()


def temporary_folder() -> str:
    """Return tempfile's folder, without writing its trial file, which a kill would leave."""
    places = (*map(os.environ.get, ("TMPDIR", "TEMP", "TMP")), "/tmp", "/var/tmp")
    writable = (place for place in places if place and os.access(place, os.W_OK))
    return os.path.abspath(next(writable, os.getcwd()))


def lifeline() -> tuple[int, int]:
    """Return (read end, write end) of a pipe that closes when this process is gone."""
    low, write_end = os.pipe()
    read_end = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_NUMBER)
    os.close(low)
    _lifelines.add(write_end)
    return read_end, write_end


def mine(fd: int):
    """Have a forked child close this descriptor too."""
    _lifelines.add(fd)


def cut(write_end: int):
    """Close a lifeline."""
    _lifelines.discard(write_end)
    os.close(write_end)
