"""Runs a command that ends with its parent, and all that comes of the command with it.

    python tied.py [--grace SECONDS] [--mb MB [--scope]] command…

What a learner starts may leave every process group and ignore signals: as orphans such processes
come to this one (Linux's "child subreaper"), which kills them when the command has ended. It is
told to end by SIGTERM or SIGINT, passes that on, and waits `--grace` seconds.

--mb limits the memory of each process, so that one runaway cell is a MemoryError in one notebook
and not a machine that stands still; and of all together by a cgroup, where this user may make one,
or by systemd with --scope. Elsewhere than on Linux the command runs without all that.
"""

import argparse
import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
MOMENT_S = 0.5  # for a process whose parent is gone to end by itself
KILLED_S = 3  # until what was killed is gone
CGROUPS = Path("/sys/fs/cgroup")
LIMITS = {"memory": "memory.limit_in_bytes", "": "memory.max"}  # of cgroups v1 and v2


def main(arguments):
    options = parsed(arguments)
    together = limited_group(options.mb << 20) if options.mb and not options.scope else None
    set_for_process(PR_SET_CHILD_SUBREAPER, 1)
    set_for_process(PR_SET_PDEATHSIG, signal.SIGTERM)
    child = os.fork()
    if not child:
        become(options, together)
    end_on_signals(child, options.grace)
    status = wait_for(child)
    kill_descendants()
    if together:
        remove(together)
    sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)


def parsed(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--grace", type=int, default=5)
    parser.add_argument("--mb", type=int, default=0)
    parser.add_argument("--scope", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args(arguments)


def become(options, together):
    """Turn the forked child into the command."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)  # what started the room may have had them ignored
    parent = os.getppid()
    set_for_process(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before it could be asked
        os._exit(1)
    if together:
        (together / "cgroup.procs").write_text(str(os.getpid()))
    if options.mb:
        with contextlib.suppress(ValueError, OSError):  # the machine's own limit is lower, or none
            resource.setrlimit(resource.RLIMIT_DATA, (options.mb << 20, options.mb << 20))
    command = [*scope(options.mb), *options.command] if options.scope else options.command
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]} does not start: {error}", file=sys.stderr)
        os._exit(127)


def scope(mb):
    """Return what a command is begun with, so that systemd gives it a cgroup of its own."""
    return [
        "systemd-run",
        "--user",
        "--scope",
        "--quiet",
        "--collect",
        "-p",
        f"MemoryMax={mb}M",
        "-p",
        "MemorySwapMax=0",
        "--",
    ]


def set_for_process(option, value):
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_on_signals(child, grace_s):
    def end(number, frame):
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL if number == signal.SIGALRM else signal.SIGTERM)
        if number != signal.SIGALRM:
            signal.alarm(grace_s)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, end)


def wait_for(child):
    """Return the child's exit status; orphans that come here meanwhile are reaped."""
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            return status


def kill_descendants():
    """End all that this process has started or adopted, and what they start meanwhile.

    What has lost its parent gets a moment first: the keeper of a learner's server removes its
    folder in it. What is still there after KILLED_S is killed all at once.
    """
    import psutil  # here, so that it takes no memory while a learner works

    own, orphaned, started = psutil.Process(), {}, time.monotonic()
    last = started + 2 * KILLED_S
    while (left := own.children(recursive=True)) and (now := time.monotonic()) < last:
        for process in left:
            with contextlib.suppress(psutil.Error):
                if process.ppid() == own.pid:
                    orphaned.setdefault(process, now)
                if now > min(orphaned.get(process, now) + MOMENT_S, started + KILLED_S):
                    process.kill()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.01)


def remove(group):
    """Remove a cgroup, as soon as what was killed in it is gone."""
    deadline = time.monotonic() + KILLED_S
    while group.exists() and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            group.rmdir()
        time.sleep(0.01)


def own_groups():
    """Yield (cgroup of this process, name of the file with its limit of memory), v1 and v2."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers in LIMITS:
                yield CGROUPS / controllers / path.lstrip("/"), LIMITS[controllers]


def limited_group(size):
    """Return a new cgroup whose processes have `size` bytes together; None if this user may not."""
    for group, limit in own_groups():
        made = group / f"room-{os.getpid()}"
        with contextlib.suppress(OSError):
            made.mkdir(exist_ok=True)  # of a number that was killed once
            with contextlib.suppress(OSError):
                (made / limit).write_text(str(size))
                return made
            made.rmdir()
    return None


def own_limit():
    """Return the bytes that this process's own group allows, 0 for no limit."""
    for group, limit in own_groups():
        with contextlib.suppress(OSError, ValueError):
            return int((group / limit).read_text())
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--limit"]:
        print(own_limit())
    else:
        main(sys.argv[1:])
