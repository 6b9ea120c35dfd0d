"""What has to be put back is put back, wherever a Ctrl-C falls.

Python raises KeyboardInterrupt between any two lines of the main thread: also on the first line of an `__exit__`, which
then never runs. So whoever changes something that must not stay changed takes the signal in hand for as long.
"""

import contextlib
import signal
import threading


class Whole:
    """A context manager whose way in and way out are each run whole: a Ctrl-C that falls into one is raised at its end.

    Subclasses say what is done in `enter` and `leave`. `leave` also runs when `enter` fails or is interrupted, so it undoes
    whatever has been done so far. Inside the `with` block a Ctrl-C does what it always does. `failed` tells `leave` whether
    the block ended by an error, or a Ctrl-C has come.
    """

    _ended_by = None  # the class of the error by which the block ended

    _came = False  # a Ctrl-C, while it could not be raised
    _open = False  # to Ctrl-C, though on the way in
    _before = None  # the handler that was in force

    def enter(self):
        """Changes something."""

    def leave(self):
        """Puts it back."""

    @property
    def failed(self):
        return self._came or self._ended_by is not None

    def __enter__(self):
        self._came = False
        self._take_in_hand()
        try:
            self.enter()
            self._raise()
        except BaseException:
            self.leave()
            self._let_go()
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            self._ended_by = kind
            self.leave()
        finally:
            self._let_go()
            self._raise()

    @contextlib.contextmanager
    def interruptible(self):
        """For waiting in `enter`: a Ctrl-C is raised at once, also one that has come before."""
        self._open = True
        try:
            self._raise()
            yield
        finally:
            self._open = False

    def _take_in_hand(self):
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(handler):
            self._before = handler
            signal.signal(signal.SIGINT, self._interrupted)

    def _let_go(self):
        if self._before and signal.getsignal(signal.SIGINT) == self._interrupted:
            signal.signal(signal.SIGINT, self._before)

    def _interrupted(self, number, frame):
        if self._on_the_way(frame) and not self._open:
            self._came = True
        else:
            self._open = False  # a second Ctrl-C does not cut short what the first one has begun
            self._before(number, frame)

    def _on_the_way(self, frame):
        """Whether the interrupted line is one of this object's way in or way out, or was called from there."""
        while frame:
            if frame.f_code in WAYS and frame.f_locals.get("self") is self:
                return True
            frame = frame.f_back
        return False

    def _raise(self):
        if self._came:
            self._came = False
            self._before(signal.SIGINT, None)


WAYS = Whole.__enter__.__code__, Whole.__exit__.__code__
