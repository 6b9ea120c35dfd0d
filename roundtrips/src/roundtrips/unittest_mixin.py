"""Budgets for test classes of unittest and Django, beside Django's own assertNumQueries.

    class TestPage(RoundTripsMixin, TestCase):
        def test_page(self):
            with self.assertRoundTrips(3):
                self.client.get("/")

A budget that is not kept is a failed assertion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .budgets import Budget, budget


class RoundTripsMixin:
    """Assertions for a TestCase: budgets, for `with` and `async with`, which give a Trace."""

    def assertRoundTrips(
        self, num: int, func: Callable[..., Any] | None = None, *args: Any, **kwargs: Any
    ) -> Any:
        """Fail unless the block, or func(*args, **kwargs), makes exactly `num` round trips."""
        exactly = budget(exactly=num)
        return exactly if func is None else exactly(func)(*args, **kwargs)

    def assertMaxRoundTrips(
        self,
        max: int | None = None,
        waits: int | None = None,
        setup: int | None = None,
        allow_uncounted: bool = False,
    ) -> Budget:
        """Fail if the block makes more than this; see `budget`."""
        return budget(max, waits, setup, allow_uncounted=allow_uncounted)
