"""Ctrl-C, or Jupyter's stop button: what the lab changed is put back, and one sentence says so.

It stays a KeyboardInterrupt, so that Run All stops. Python raises it between any two lines of the
main thread, also on the first line of a `finally`. So the lab changes something, and puts it back,
inside `uninterrupted`; a helper that is `interruptible` closes at its end what is still open.
"""

import contextlib
import functools
import inspect
import os
import signal
import textwrap
import threading
from collections.abc import Callable

from roundtrips.redis_py import close_all

AGAIN_S = 0.005  # until a signal that came at a bad moment comes again
# Functions, by the end of their names, in which an exception would do harm: the signal waits.
BAD_MOMENTS = (
    "__del__",  # what is raised in one is thrown away
    "__init__.<locals>._remove",  # a weak set's, when an object in it goes: the same
    "__init__.<locals>.remove",  # a weak dictionary's
    "parse_info.<locals>.get_value",  # redis-py's, which makes a ValueError of what is raised in it
    "Condition.__enter__",  # threading's: who called it is to give the lock back, if it returns
    "_acquireLock",  # logging's, up to Python 3.12: the same
    "HiredisRespSerializer.pack",  # hiredis 3.5.0 (src/pack.c) crashes where a handler raises
)
_open: list["Whole"] = []  # each whose block has begun and not ended


class Interrupted(KeyboardInterrupt):
    """An interrupt that a helper of the lab's has cleaned up after."""

    def _render_traceback_(self):
        """Show one sentence in Jupyter, and not where in redis-py the lab happened to wait."""
        return ["Interrupted", *textwrap.wrap(str(self), 100)]


class uninterrupted:
    """Make SIGINT wait for the end of a `with` block; `caught` is set when one came."""

    def __enter__(self):
        self.caught, self.before = None, handler()
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


class Patient:
    """A handler of SIGINT that waits while the moment is a bad one, and goes when it raises."""

    def __enter__(self):
        self.before = handler()
        if callable(self.before):
            signal.signal(signal.SIGINT, self.handle)

    def handle(self, number, frame):
        if at_a_bad_moment(frame):
            again()
        else:
            self.__exit__()
            self.before(number, frame)

    def __exit__(self, *_):
        if signal.getsignal(signal.SIGINT) == self.handle:
            signal.signal(signal.SIGINT, self.before)


def handler():
    """Return the handler of SIGINT in the main thread; None in the others, which never get one."""
    if threading.current_thread() is threading.main_thread():
        return signal.getsignal(signal.SIGINT)
    return None


def at_a_bad_moment(frame):
    while frame and not frame.f_code.co_qualname.endswith(BAD_MOMENTS):
        frame = frame.f_back
    return frame is not None


def again():
    """Send the signal once more, shortly."""
    threading.Timer(AGAIN_S, os.kill, (os.getpid(), signal.SIGINT)).start()


def interruptible(function: Callable) -> Callable:
    """Make a helper one that may be interrupted anywhere, and leaves the kernel as it found it."""

    @functools.wraps(function)
    def helper(*args, **kwargs):
        before = list(_open)
        try:
            with Patient():
                return function(*args, **kwargs)
        except KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt), uninterrupted():
                put_back(before, [*args, *kwargs.values()])
            raise Interrupted(
                f"lab.{function.__name__} was interrupted. The kernel is as it was before; keys "
                "that had been written may remain. Run the cell again."
            ) from None

    return helper


def put_back(open_before, arguments):
    for one in reversed(list(_open)):
        if one.thread == threading.get_native_id() and one not in open_before:
            one.close(failed=True)
    close_all()
    for client in arguments:
        disconnect(client)


def disconnect(client):
    """Close a client's connections: one may hold a reply that the next request would read."""
    pool = getattr(client, "connection_pool", None)
    with contextlib.suppress(Exception):
        if hasattr(client, "disconnect_connection_pools"):
            client.disconnect_connection_pools()
        elif hasattr(pool, "disconnect") and not inspect.iscoroutinefunction(pool.disconnect):
            pool.disconnect()
