"""Run a chapter's cells one after the other in this Python, as a notebook's kernel runs them.

`retrials.py` starts it, by path. It reads JSON: the cells, the folder to run them in, seconds for
each. After each cell it prints a line of JSON: what the lab remembers by then (its folder is the
one it was started in), and the error that ended it or null.
"""

import json
import os
import signal
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


class Late(BaseException):
    """A cell took too long. No cell catches it by accident."""


def main():
    asked = json.load(sys.stdin)
    memory = Path.cwd()
    os.environ["LAB_STATE"] = str(memory)
    os.chdir(asked["folder"])
    sys.path.insert(0, "")  # as in a kernel
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what cells print is nobody's business here
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGALRM, late)
        for cell in asked["cells"]:
            error = run(cell, asked["seconds"])
            kept = memory / "state.json"
            remembered = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
            print(json.dumps({"error": error, **remembered}), file=out, flush=True)
            if error:
                break


def run(cell, seconds):
    """Run one cell; return the first line of its error, or None."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    ended = InteractiveShell.instance().run_cell(cell)
    signal.setitimer(signal.ITIMER_REAL, 0)
    error = ended.error_in_exec or ended.error_before_exec
    if error is None:
        return None
    if isinstance(error, Late):
        return f"a cell of this chapter took longer than {seconds} s"
    return f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}"


def late(*_):
    raise Late


main()
