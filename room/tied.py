"""Runs a command that ends when its parent does, however that ends: python tied.py [--data BYTES] command…

--data limits the memory of each process that comes of it, so that one runaway cell is a MemoryError in one notebook and not
a machine that stands still. Both are Linux's: elsewhere the command runs without.
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(arguments):
    if arguments[0] == "--data":
        limit_data(int(arguments[1]))
        arguments = arguments[2:]
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it ended before it could be asked
            sys.exit(1)
    os.execvp(arguments[0], arguments)


def limit_data(size):
    with contextlib.suppress(ValueError, OSError):  # the machine's own limit is lower, or it knows none
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


if __name__ == "__main__":
    main(sys.argv[1:])
