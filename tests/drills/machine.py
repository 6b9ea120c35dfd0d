"""What drills ask of a machine: programs that end, and a user who is not root."""

import contextlib
import os
import pwd
import subprocess
import sys


def ended(command, **options):
    """(exit status, what it said) of a program, once it has ended."""
    run = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        **options,
    )
    return run.returncode, run.stdout


def unprivileged():
    """(Popen's options for a user who is not root, a Python of theirs); root if there is none."""
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
