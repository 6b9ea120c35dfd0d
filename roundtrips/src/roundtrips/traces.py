"""Trace code: count what it does through redis-py, and show the counts.

`trace` makes a Trace, which can be read while the traced code still runs. The module `roundtrip`
says what counts as a round trip, the module `critical_path` says what a wait is.
"""

from typing import Any

from .counts import Counts
from .errors import RoundTripsError
from .keys import mode_of
from .recorder import Recorder
from .report import html, text


class Trace(Counts):
    """The counts of a `with trace()` block; while the block still runs, the counts so far.

    `round_trips` is the number of round trips, `waits` the longest chain of them that had to follow
    one another. `uncounted` says in words what was not counted. `log` has the first 100,000 round
    trips, those of setting up included; `call_sites` and `findings` are made from `log`; `unlisted`
    is how many round trips came later.
    """

    def report(self) -> str:
        """Return the report as text: counts, call sites, findings."""
        return text.report(self)

    def _repr_html_(self) -> str:
        return html.fragment_of(self)


class Tracing:
    """What `trace()` returns: open it with `with` or `async with` to get the Trace.

    `scope` is "block" or "process". `keys` is "words", "plain" or "none"; None stands for the
    environment variable ROUNDTRIPS_KEYS, or else "words".
    """

    trace: Trace
    recorder: Recorder | None = None

    def __init__(self, scope: str = "block", keys: str | None = None) -> None:
        self.scope = scope
        self.keys = mode_of(keys)
        if scope not in ("block", "process"):
            raise RoundTripsError(f"scope is {scope!r}. Choose 'block' or 'process'.")

    def __enter__(self) -> Trace:
        if self.recorder is not None and self.recorder.is_open:
            raise RoundTripsError(
                "This block is open already, here or in another thread. Make one for each use: "
                "`with trace()`, `with budget(max=3)`."
            )
        recorder = self.recorder = Recorder(process=self.scope == "process")
        self.trace = Trace(recorder, self.keys)
        try:
            recorder.open()
        except BaseException as fault:
            recorder.close()
            if isinstance(fault, RoundTripsError) or not isinstance(fault, Exception):
                raise
            recorder.faults.append(fault)  # our own: the program goes on, and the trace says it
        return self.trace

    def __exit__(self, *failure: Any) -> None:
        assert self.recorder is not None
        try:
            self.recorder.close()
        except Exception as fault:
            self.recorder.faults.append(fault)

    async def __aenter__(self) -> Trace:
        return self.__enter__()

    async def __aexit__(self, *failure: Any) -> None:
        __tracebackhide__ = True  # pytest shows the caller's line
        self.__exit__(*failure)


def trace(scope: str = "block", keys: str | None = None) -> Tracing:
    """Count what code does through redis-py: `with trace() as t:`, or `async with`.

    The code inside needs no change. Every client is counted, sync or asyncio, of one server or a
    cluster, made before or inside; so are threads, tasks and executors that the code inside starts
    or gives work. `t` is a Trace. Such blocks may be nested, and may run side by side in threads
    and tasks: each counts its own part. With `scope="process"` the whole process is counted; the
    default is "block". `keys` says which words of keys are shown: "words" that many keys share,
    "plain" for every word, or "none" (see the module `keys`). While no such block is open, redis-py
    is unchanged.

    Raises RoundTripsError for other arguments, and for an unknown version of redis-py, before
    anything is changed.
    """
    return Tracing(scope, keys)
