"""Run programs to their end, and find a user who is not root, for drills."""

import contextlib
import os
import pwd
import subprocess
import sys


def ended(command, **options) -> tuple[int, str]:
    """Run the program `command` to its end; return (exit status, what it printed).

    Printed errors are part of that text. `options` are those of subprocess.run.
    """
    run = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        **options,
    )
    return run.returncode, run.stdout


def unprivileged() -> tuple[dict, str]:
    """Return (options of Popen for a user who is not root, the path of a Python for that user).

    If this process is not root, or no such Python is found, the options are {}.
    """
    own = sys._base_executable
    if os.geteuid() != 0:
        return {}, own
    nobody = pwd.getpwnam("nobody")
    user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    able = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    for python in (own, "/usr/local/bin/python3", "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            tried = subprocess.run([python, "-c", able], capture_output=True, cwd="/", **user)
            if tried.returncode == 0:
                return user, python
    return {}, own
