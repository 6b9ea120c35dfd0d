"""Count a program's round trips to Redis: what it sent, how often it waited, from which line.

    with trace() as t: ...          counts what the code inside does through redis-py
    with budget(max=3): ...         fails if the code inside makes more round trips
    growth(page, fill)              tells whether a page makes more for more data

The code inside such a `with` is called a counting block in this package. Importing the package
neither imports redis-py nor changes anything in the process; opening a counting block does.
(PYTEST_DONT_REWRITE: no assert in this package is a test's. Without this word pytest warns that it
rewrites the module too late.)
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing takes a process that starts longer than all of this
if TYPE_CHECKING:
    from typing import Any

    from .budgets import RoundTripsMixin as RoundTripsMixin
    from .budgets import budget as budget
    from .errors import OverBudget as OverBudget
    from .errors import RoundTripsError as RoundTripsError
    from .errors import Uncounted as Uncounted
    from .page_growth import Growth as Growth
    from .page_growth import growth as growth
    from .traces import Trace as Trace
    from .traces import trace as trace

__version__ = "0.1.0"
folder = ""  # by whose settings blocks go; "" is the current one, as the first block is opened
__all__ = [
    "Growth", "OverBudget", "RoundTripsError", "RoundTripsMixin", "Trace", "Uncounted", "budget",
    "growth", "trace",
]  # fmt: skip
HOMES = {
    **dict.fromkeys(("RoundTripsMixin", "budget"), "budgets"),
    **dict.fromkeys(("Trace", "trace"), "traces"),
    **dict.fromkeys(("Growth", "growth"), "page_growth"),
    **dict.fromkeys(("OverBudget", "RoundTripsError", "Uncounted"), "errors"),
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
