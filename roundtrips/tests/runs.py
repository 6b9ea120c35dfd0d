"""Runs a program in a process of its own: under the command, as a user does, or by itself."""

import json
import os
import subprocess
import sys
import textwrap


def ran(folder, server, *words, by=("-m", "roundtrips"), stderr=subprocess.PIPE, **environment):
    """Run `python -m roundtrips` with the arguments `words`; return its CompletedProcess.

    `by` stands in place of ("-m", "roundtrips"); with () the program runs uncounted. It runs in
    `folder`, and finds its connection options, `server`, as JSON in the variable CLIENT.
    `environment` are further variables.
    """
    added = {"CLIENT": json.dumps(server), **environment}
    ours = "NO_COLOR", "PYTEST"
    kept = {name: text for name, text in os.environ.items() if not name.startswith(ours)}
    return subprocess.run(
        [sys.executable, *by, *words], cwd=folder, env={**kept, **added}, text=True, timeout=120,
        stdout=subprocess.PIPE, stderr=stderr,
    )  # fmt: skip


def reported(folder, server, *words, **options):
    """Run a program under `roundtrips --json`; return (the report, decoded, the CompletedProcess).

    The parameters are those of `ran`.
    """
    done = ran(folder, server, "--json", *words, **options)
    assert done.stderr, done
    return json.loads(done.stderr.splitlines()[-1]), done


def printed(server, program, *options):
    """Run the code `program` in a process; return what it prints, decoded from JSON.

    In the code, `options` are the connection options `server`; here, `options` are arguments of
    Python, such as "-W", "ignore". Fails if the code fails or prints to stderr.
    """
    text = f"import json\noptions = {server!r}\n{textwrap.dedent(program)}"
    done = ran(None, server, *options, "-c", text, by=())
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)
