"""Processes that end with the kernel, however it ends: each has a keeper.

The keeper is a shell that starts the process and waits. It holds the read end of a pipe, the lifeline, whose only write
end is the kernel's: when the kernel is gone, by SIGKILL too, that pipe closes, and the keeper kills the process, removes
its folder and ends. A process that ends by itself is reaped and cleaned up after in the same way. The folder is made by
the keeper, so there is no moment at which nobody would remove it.
"""

import atexit
import contextlib
import os
import secrets
import subprocess
import tempfile
import threading

from ..interrupts import Whole, uninterrupted
from ..system import fcntl

END_S = 5  # a process killed by SIGKILL is gone long before
PREFIX = "redis-round-trip-lab-"  # of the folders

# $0 is the folder to make, to work in and to remove, or nothing; $1 the lifeline's number; then the command.
# The keeper ends when its work is done: a logout, or a service that is stopped, sends SIGTERM to all processes at once, and a
# keeper that died of it would leave its folder. Nor may mkdir and rm die of it half way. To the process itself it is as ever.
# SIGHUP is ignored, by the process too: a stopped process whose kernel is gone makes the system send it to both.
# On the lifeline come the ids of further processes to kill: the true server's, where the command is a script around it. They
# are killed first: once the command has ended, the last lines end whoever kills.
# The last line ends whatever else the process started, and the keeper itself: its group is its own.
KEEPER = """
trap '' HUP INT QUIT TERM
lifeline=$1; shift
if [ -n "$0" ]; then mkdir -m 700 -- "$0" && cd -- "$0" || exit; fi
exec 4<&0 </dev/null
{ trap - TERM; exec "$@"; } <&4 4<&- &
kept=$!
exec 4<&- >/dev/null 2>&1
{ while read -r pid; do kept="$pid $kept"; done; kill -9 $kept; } </dev/fd/$lifeline &
wait $kept
if [ -n "$0" ]; then cd / && rm -rf -- "$0"; fi
kill -9 $!
wait
kill -9 -$$
"""

FIRST_NUMBER = 10  # of a lifeline: the keeper's shell needs those below for itself
_lifelines = set()  # the write ends
_kept = set()  # what this process keeps


def _drop_lifelines():
    """A forked child lets go of them, or its parent's processes would live as long as it does."""
    for lifeline in _lifelines:
        with contextlib.suppress(OSError):
            os.close(lifeline)
    _lifelines.clear()
    _kept.clear()


os.register_at_fork(after_in_child=_drop_lifelines)


@atexit.register
def stop_all():
    """The ordinary end of a kernel: it waits until all is gone."""
    for kept in list(_kept):
        kept.cut()
    for kept in list(_kept):
        kept.stop()


class Kept:
    """A process that ends with the kernel. `process` is its keeper's Popen: it ends when the process has ended."""

    def __init__(self, command, folder=False, feed=None, **popen):
        """Starts `command`, in a `folder` of its own if asked, and feeds it bytes; `popen` are options of Popen."""
        self.folder = os.path.join(tempfile.gettempdir(), PREFIX + secrets.token_hex(8)) if folder else ""
        self.owner, self.thread = os.getpid(), threading.get_ident()
        self.process = self.lifeline = None
        for kept in [kept for kept in _kept if not kept.alive()]:
            kept.stop()  # a long kernel is to hold nothing of those that have ended
        try:
            with uninterrupted():
                self.start(command, popen if feed is None else {**popen, "stdin": subprocess.PIPE})
            if feed is not None:
                self.feed(feed)
        except BaseException:
            self.stop()
            raise

    def start(self, command, popen):
        read_end, self.lifeline = lifeline()
        try:
            self.process = subprocess.Popen(["sh", "-c", KEEPER, self.folder, str(read_end), *command],
                                            process_group=0, pass_fds=(read_end,), **popen)
        finally:
            os.close(read_end)
        _kept.add(self)

    def feed(self, text):
        """Writes its whole input. One that has ended already has its own words to say why."""
        with contextlib.suppress(BrokenPipeError), self.process.stdin as stdin:
            stdin.write(text)
        self.process.stdin = None  # else communicate() would flush it

    def alive(self):
        """True while the process runs. Reaps it otherwise."""
        return self.process.poll() is None

    def kill_too(self, pid):
        """One more process that must not outlive the kernel."""
        os.write(self.lifeline, f"{pid}\n".encode())

    def stop(self):
        """Kills the process and waits until it is gone, with its folder. A forked child leaves its parent's alone."""
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
    """What this thread starts inside the `with` block is stopped again where that ends by an error or a Ctrl-C."""

    def enter(self):
        self.before = set(_kept)

    def leave(self):
        if self.failed:
            for kept in [kept for kept in _kept - self.before if kept.thread == threading.get_ident()]:
                kept.stop()


def lifeline():
    """(read end, write end) of a pipe that closes when this process is gone, whoever else it has started."""
    low, write_end = os.pipe()
    read_end = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_NUMBER)
    os.close(low)
    _lifelines.add(write_end)
    return read_end, write_end


def mine(fd):
    """An end of a pipe that a forked child must not hold either."""
    _lifelines.add(fd)


def cut(write_end):
    """Closes a lifeline."""
    _lifelines.discard(write_end)
    os.close(write_end)
