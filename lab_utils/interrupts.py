"""Ctrl-C, or Jupyter's stop button, at any moment: what the lab changed is put back, and one sentence says what happened.

It stays a KeyboardInterrupt, so that Run All stops and nothing takes it for an error.
"""

import contextlib
import functools
import gc
import inspect
import os
import signal
import sys
import textwrap
import threading

AGAIN_S = 0.005  # until a signal that came at a bad moment comes again
# Functions, by the end of their names, in which a signal waits.
BAD_MOMENTS = (
    "__del__",  # what is raised in one is thrown away
    "parse_info.<locals>.get_value",  # redis-py's, for INFO: an int() that is refused makes a ValueError of what is raised in it
    "Condition.__enter__", "_acquireLock",  # threading's and logging's: who called them is to give the lock back, if they return
    # redis-py's, for hiredis 3.5.0: its pack_command takes it for granted that Python can write out a number, and crashes the
    # process where a signal's handler raises instead (src/pack.c).
    "HiredisRespSerializer.pack",
)
_restorers = []  # what puts the lab's own changes back; each may be called when there is nothing to put back


class Interrupted(KeyboardInterrupt):
    """An interrupt that a helper of the lab's has cleaned up after."""

    def _render_traceback_(self):
        """Jupyter shows this instead of a traceback, which would show where in redis-py the lab happened to wait."""
        return ["Interrupted", *textwrap.wrap(str(self), 100)]


class uninterrupted:
    """Inside the `with` block SIGINT waits; it comes at the end of the block. Other threads never get it."""

    def __enter__(self):
        self.caught = None
        self.before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
        if self.before is not None:
            signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *signalled):
        self.caught = signalled

    def __exit__(self, *_):
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
            if self.caught and callable(self.before):
                self.before(*self.caught)


class Patient:
    """A handler of SIGINT that waits while it is a bad moment for one.

    It goes when it raises, so that an interrupt at any moment leaves the handler that was there before.
    """

    def __init__(self):
        self.before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
        if callable(self.before):
            signal.signal(signal.SIGINT, self.handle)

    def handle(self, number, frame):
        if at_a_bad_moment(frame):
            again()
        else:
            self.go()
            self.before(number, frame)

    def go(self):
        if signal.getsignal(signal.SIGINT) == self.handle:
            signal.signal(signal.SIGINT, self.before)


def again():
    """The signal once more, shortly: its moment was a bad one."""
    threading.Timer(AGAIN_S, os.kill, (os.getpid(), signal.SIGINT)).start()


def thrown_away(what, told=sys.unraisablehook):
    """Python swallows what is raised in a weak reference's callback. An interrupt that falls into one comes again."""
    if what.exc_type is KeyboardInterrupt:
        with contextlib.suppress(KeyboardInterrupt), uninterrupted():  # a second one: the two come as one
            again()
    else:
        told(what)


# Once for the whole kernel: whoever set it and put it back for each call could be interrupted in between.
sys.unraisablehook = thrown_away


def at_a_bad_moment(frame):
    """Whether this frame is one of a bad moment's functions, or was called from one."""
    while frame:
        if frame.f_code.co_qualname.endswith(BAD_MOMENTS):
            return True
        frame = frame.f_back
    return False


def restorer(restore):
    """Registers a function that puts back what its module changes. Called after an interrupt, with signals waiting."""
    _restorers.append(restore)
    return restore


def interruptible(function):
    """A helper that may be interrupted anywhere, and leaves the kernel as it found it.

    `with` and `finally` do most of it; but a signal may come between a change and the `try` that would put it back.
    """

    @functools.wraps(function)
    def whole(*args, **kwargs):
        before = gc.isenabled(), placement()
        patient = Patient()
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt), uninterrupted():
                put_back(before, [*args, *kwargs.values()])
            raise Interrupted(f"lab.{function.__name__} was interrupted. The kernel is as it was before; keys that had been "
                              "written may remain. Run the cell again.") from None
        finally:
            patient.go()

    return whole


def placement():
    """The CPUs on which this thread may run; None where the system does not know or tell."""
    with contextlib.suppress(OSError, AttributeError):
        return os.sched_getaffinity(0)
    return None


def put_back(before, arguments):
    collecting, cpus = before
    for restore in _restorers:
        restore()
    for client in arguments:
        disconnect(client)
    if cpus:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, cpus)
    if collecting:
        gc.enable()


def disconnect(client):
    """A connection that was stopped between a request and its reply would hand that reply to the next request."""
    pool = getattr(client, "connection_pool", None)
    with contextlib.suppress(Exception):
        if hasattr(client, "disconnect_connection_pools"):
            client.disconnect_connection_pools()
        elif hasattr(pool, "disconnect") and not inspect.iscoroutinefunction(pool.disconnect):
            pool.disconnect()
