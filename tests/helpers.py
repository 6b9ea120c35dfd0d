"""What several tests call."""

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


def as_compared(text):
    """A text as nbval compares it, with everything measured blanked."""
    for pattern, replacement in SANITIZED:
        text = re.sub(pattern, replacement, text)
    return text


def chapters_run():
    """The names of the chapters that this run of the tests, or the one before it, has run."""
    noted = Path(os.environ["LAB_CHAPTERS_RUN"])
    return set(noted.read_text(encoding="utf-8").split()) if noted.exists() else set()


def url_of(server, db=0):
    host, port = server.address
    return f"redis://:{server.options['password']}@{host}:{port}/{db}"


def refusal(call, *args, **kwargs):
    """The text of the LabError that a call raises: one paragraph that says what to do next."""
    with pytest.raises(lab.LabError) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert "\n" not in text and "  " not in text, text
    assert text.endswith("."), text
    assert len(text) < 600, text
    assert any(step in text for step in NEXT_STEPS), f"it does not say what to do next: {text}"
    return text


def running(pid):
    """True while a process runs; one that has ended and waits to be reaped does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


GONE_S = 2  # the lab's promise: so long after its end nothing of it is left, on a busy machine too


def wait_until(condition, seconds=30):
    """True as soon as `condition()` is; False after so many looks as the seconds have 10 ms.

    It counts looks, so a machine that stands still uses up no patience. What is to be gone after a
    kernel has GONE_S.
    """
    for _ in range(round(100 * seconds)):
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())
