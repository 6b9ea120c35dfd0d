"""What drills ask of a machine: programs that end, and programs that it may lack."""

import os
import subprocess

import pytest


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


def lacks(words):
    """Fails in CI, which has all that drills need; elsewhere skips."""
    pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
