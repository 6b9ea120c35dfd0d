"""Define functions that several tests call: texts to compare, processes, waiting."""

import os
import re
import time
from pathlib import Path

import psutil
import pytest
from nbval.plugin import get_sanitize_patterns

import lab_utils as lab

ROOT = Path(__file__).resolve().parent.parent
SANITIZED = get_sanitize_patterns(
    (ROOT / "tests" / "nbval_sanitize.cfg").read_text(encoding="utf-8")
)
NEXT_STEPS = (
    "Set ",
    "set ",
    "unset",
    "Unset",
    "Write ",
    "write ",
    "Check ",
    "check ",
    "Choose ",
    "choose ",
    "Start ",
    "Run ",
    "Let ",
    "Restart ",
    "Mend ",
    "mend ",
    "Pass ",
    "pass ",
    "say which",
    "Measured:",
    "give it",
    "needs ",
    "There are:",
)


def as_compared(text: str) -> str:
    """Return a printed text as nbval compares it, its measured values replaced by blanks."""
    for pattern, replacement in SANITIZED:
        text = re.sub(pattern, replacement, text)
    return text


def chapters_run() -> set[str]:
    """Return the names, without suffix, of the chapters that nbval ran before these tests."""
    noted = Path(os.environ["LAB_CHAPTERS_RUN"])
    return set(noted.read_text(encoding="utf-8").split()) if noted.exists() else set()


def url_of(server, db: int = 0) -> str:
    host, port = server.address
    return f"redis://:{server.options['password']}@{host}:{port}/{db}"


def refusal(call, *args, **kwargs) -> str:
    """Call `call(*args, **kwargs)`, which must raise LabError; return the error's text.

    Fails unless the text is one paragraph of fewer than 600 characters that says what to do next.
    """
    with pytest.raises(lab.LabError) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert "\n" not in text and "  " not in text, text
    assert text.endswith("."), text
    assert len(text) < 600, text
    assert any(step in text for step in NEXT_STEPS), f"it does not say what to do next: {text}"
    return text


def running(pid: int) -> bool:
    """Return whether the process `pid` runs; one that ended and is a zombie does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


GONE_S = 2  # the lab's promise: so long after its end nothing of it is left, on a busy machine too


def wait_until(condition, seconds: float = 30) -> bool:
    """Call `condition()` every 10 ms; return True as soon as it is true, False after `seconds`.

    The calls are counted and not the time, so that a machine that stands still uses up none of it.
    """
    for _ in range(round(100 * seconds)):
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
