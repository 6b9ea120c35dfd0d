"""Close what a helper has open when Ctrl-C, or Jupyter's stop button, interrupts it.

The helper then raises a KeyboardInterrupt with one sentence, so that Run All stops. Python raises
it between any two lines of the main thread. Some steps must not be left half done: storing the pid
of a process that was started, or reading the link's answer to a request. Such steps stand in a
`with uninterrupted():` block, and Ctrl-C waits for its end.
"""

import contextlib
import functools
import signal
import textwrap
import threading
from collections.abc import Callable
from typing import Any

import redis
from redis.cluster import RedisCluster
from roundtrips.redis_py import close_all


class Interrupted(KeyboardInterrupt):
    """The KeyboardInterrupt that a helper of the lab raises on Ctrl-C, after it has cleaned up."""

    # What Jupyter shows: one sentence, without redis-py's traceback.
    def _render_traceback_(self) -> list[str]:
        return ["Interrupted", *textwrap.wrap(str(self), 100)]


class uninterrupted:
    """In a `with` block, delay Ctrl-C (SIGINT) until the block ends.

    The attribute `caught` is None until a SIGINT comes; then it is the tuple (signal number,
    frame), with which the usual handler is called at the end of the block. Outside of the main
    thread nothing is delayed.
    """

    def __enter__(self) -> "uninterrupted":
        self.caught: tuple | None = None
        # only the main thread gets signals, and only it may set their handlers
        in_main = threading.current_thread() is threading.main_thread()
        self.before = signal.getsignal(signal.SIGINT) if in_main else None
        if self.before:
            signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *signalled: Any) -> None:
        self.caught = signalled

    def __exit__(self, *_: object) -> None:
        if self.before:
            signal.signal(signal.SIGINT, self.before)
            if self.caught and callable(self.before):
                self.before(*self.caught)


class Whole:
    """The base of context managers whose `__enter__` and `__exit__` are never left half done.

    Subclasses define `enter()` and `leave()`. `leave` also runs if `enter` fails, to undo what
    `enter` had done. In `leave`, the attribute `failed` is True if the `with` block or `enter`
    ended by an error. Ctrl-C waits until `leave` has ended.
    """

    failed = False

    def __enter__(self: Any) -> Any:
        self.thread = threading.get_native_id()
        try:
            self.enter()
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self: Any, kind: type[BaseException] | None, *_: object) -> None:
        with uninterrupted():
            self.failed = kind is not None
            self.leave()


def interruptible(function: Callable) -> Callable:
    """Decorate a helper of the lab: on Ctrl-C it cleans up and raises Interrupted.

    All recordings of round trips end, and redis-py's own methods are put back. The connections of
    each client that was passed to the helper as an argument are closed.
    """

    @functools.wraps(function)
    def helper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt:
            with contextlib.suppress(KeyboardInterrupt), uninterrupted():
                close_all()
                for client in [*args, *kwargs.values()]:
                    # one of its connections may hold a reply that the next request would read
                    if isinstance(client, (redis.Redis, RedisCluster)):
                        client.close()
            raise Interrupted(
                f"lab.{function.__name__} was interrupted. The kernel is as it was before; keys "
                "that had been written may remain. Run the cell again."
            ) from None

    return helper
