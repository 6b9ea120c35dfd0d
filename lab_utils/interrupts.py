"""Ctrl-C, or Jupyter's stop button: what the lab changed is put back, and one sentence says so.

It stays a KeyboardInterrupt, so that Run All stops. Python raises it between any two lines of the
main thread, also on the first line of a `finally`. So the lab changes something, and puts it back,
inside `uninterrupted`; a helper that is `interruptible` closes at its end what is still open.
"""

import contextlib
import functools
import signal
import textwrap
import threading
from collections.abc import Callable

_restorers: list[Callable] = []  # put the lab's own changes back, where there are any
_open: list["Whole"] = []  # each whose block has begun and not ended


class Interrupted(KeyboardInterrupt):
    """An interrupt that a helper of the lab's has cleaned up after."""

    def _render_traceback_(self):
        """Show one sentence in Jupyter, and not where in redis-py the lab happened to wait."""
        return ["Interrupted", *textwrap.wrap(str(self), 100)]


class uninterrupted:
    """Make SIGINT wait for the end of a `with` block; `caught` is set when one came."""

    def __enter__(self):
        main = threading.current_thread() is threading.main_thread()  # no other thread gets one
        self.caught, self.before = None, signal.getsignal(signal.SIGINT) if main else None
        if self.before:
            signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *signalled):
        self.caught = signalled

    def __exit__(self, *_):
        if self.before:
            signal.signal(signal.SIGINT, self.before)
            if self.caught and callable(self.before):
                self.before(*self.caught)


class Whole:
    """A context manager whose `enter` and `leave`, which subclasses write, each run to their end.

    `leave` also runs when `enter` fails, so it undoes what has been done so far. `failed` tells it
    whether the block ended by an error. An `enter` that waits looks at `signals.caught`, and
    returns.
    """

    failed = False

    def enter(self):
        """Change something."""

    def leave(self):
        """Put it back."""

    def __enter__(self):
        self.thread = threading.get_native_id()
        try:
            with uninterrupted() as self.signals:
                _open.append(self)
                self.enter()
        except BaseException:
            self.close(failed=True)
            raise
        return self

    def __exit__(self, kind, *_):
        self.close(failed=kind is not None)

    def close(self, failed):
        with uninterrupted():
            if self in _open:
                _open.remove(self)
                self.failed = failed
                self.leave()


def restorer(restore: Callable) -> Callable:
    """Register a function that puts back what its module changed, for after an interrupt."""
    _restorers.append(restore)
    return restore


def interruptible(function: Callable) -> Callable:
    """Make a helper one that may be interrupted anywhere, and leaves the kernel as it found it."""

    @functools.wraps(function)
    def helper(*args, **kwargs):
        before = list(_open)
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt), uninterrupted():
                put_back(before)
            raise Interrupted(
                f"lab.{function.__name__} was interrupted. The kernel is as it was before; keys "
                "that had been written may remain. Run the cell again."
            ) from None

    return helper


def put_back(open_before):
    for one in reversed(list(_open)):
        if one.thread == threading.get_native_id() and one not in open_before:
            one.close(failed=True)
    for restore in _restorers:
        restore()
