"""Runs a program in a process of its own: under the command, as a user does, or by itself."""

import json
import os
import subprocess
import sys
import textwrap


def ran(folder, server, *words, by=("-m", "roundtrips"), stderr=subprocess.PIPE, **environment):
    """Return the CompletedProcess of `python -m roundtrips words…`; `by=()` runs it plain."""
    added = {"CLIENT": json.dumps(server), **environment}
    ours = "NO_COLOR", "PYTEST"
    kept = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, *by, *words], cwd=folder, env={**kept, **added}, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip


def reported(folder, server, *words, **options):
    """Return what --json says of a run, and its CompletedProcess."""
    done = ran(folder, server, "--json", *words, **options)
    assert done.stderr, done
    return json.loads(done.stderr.splitlines()[-1]), done


def printed(server, program, *options):
    """Return what a program prints, JSON and nothing else; it knows its client's `options`."""
    text = f"import json\noptions = {server!r}\n{textwrap.dedent(program)}"
    done = ran(None, server, *options, "-c", text, by=())
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)
