"""Round trips to Redis, counted: what a program sent, how often it waited, from which line.

    with trace() as t: ...          counts what the block does through redis-py
    with budget(max=3): ...         fails where it makes more round trips

Nothing of redis-py is imported, and nothing in the process changed, until a block opens.
(PYTEST_DONT_REWRITE: no assert in here is a test's, and pytest warns where it comes too late.)
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # typing takes a process that starts longer than all of this
if TYPE_CHECKING:
    from typing import Any

    from .budgets import OverBudget as OverBudget
    from .budgets import RoundTripsMixin as RoundTripsMixin
    from .budgets import Uncounted as Uncounted
    from .budgets import budget as budget
    from .errors import RoundTripsError as RoundTripsError
    from .traces import Trace as Trace
    from .traces import trace as trace

__version__ = "0.1.0"
__all__ = [
    "OverBudget", "RoundTripsError", "RoundTripsMixin", "Trace", "Uncounted", "budget", "trace",
]  # fmt: skip
HOMES = {
    **dict.fromkeys(("OverBudget", "RoundTripsMixin", "Uncounted", "budget"), "budgets"),
    **dict.fromkeys(("Trace", "trace"), "traces"),
    "RoundTripsError": "errors",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
