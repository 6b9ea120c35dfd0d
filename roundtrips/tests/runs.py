"""Runs a program under the command, in a process of its own, as a user does."""

import json
import os
import subprocess
import sys


def ran(folder, server, *words, by=("-m", "roundtrips"), timeout=120, **environment):
    """Return the CompletedProcess of `python -m roundtrips words…`; `by=()` runs it plain."""
    added = {"CLIENT": json.dumps(server), **environment}
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return subprocess.run(
        [sys.executable, *by, *words], cwd=folder, env={**kept, **added}, capture_output=True,
        text=True, timeout=timeout,
    )  # fmt: skip


def told(folder, server, *words, **options):
    """Return what --json says of a run, and its CompletedProcess."""
    done = ran(folder, server, "--json", *words, **options)
    assert done.stderr, done
    return json.loads(done.stderr.splitlines()[-1]), done
