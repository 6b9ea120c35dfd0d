# mypy: allow-untyped-calls
"""A panel for django-debug-toolbar: the round trips of a request, from where, what to change.

    DEBUG_TOOLBAR_PANELS = [..., "roundtrips.integrations.django_panel.RoundTripsPanel"]

It counts what redis-py does for the view: Django's cache, sessions, and clients of your own.
"""

from __future__ import annotations

from typing import Any

from debug_toolbar.panels import Panel  # type: ignore[import-untyped,unused-ignore]
from django.utils.safestring import mark_safe  # type: ignore[import-untyped,unused-ignore]

from ..traces import Trace, Tracing, trace
from ..words import counted


class RoundTripsPanel(Panel):  # type: ignore[misc,unused-ignore]
    """What a request asked of Redis."""

    title = nav_title = "Redis"  # pyright: ignore[reportAssignmentType]
    is_async = True
    tracing: Tracing | None = None
    trace: Trace | None = None

    def enable_instrumentation(self) -> None:
        """Begin to count."""
        if self.tracing is None:
            self.tracing = trace()
            self.trace = self.tracing.__enter__()

    def disable_instrumentation(self) -> None:
        """End."""
        if self.tracing is not None:
            self.tracing.__exit__(None, None, None)
            self.tracing = None

    def generate_stats(self, request: Any, response: Any) -> None:
        """Keep what is shown."""
        t = self.trace
        if t is not None:
            summary = f"{counted(t.round_trips, 'round trip')}, {counted(t.waits, 'wait')}"
            self.record_stats({"summary": summary, "html": t._repr_html_()})

    def generate_server_timing(self, request: Any, response: Any) -> None:
        """Tell the browser's network panel as well."""
        if self.trace is not None:
            self.record_server_timing("redis", self.nav_subtitle, 1000 * self.trace.waiting)

    @property
    def nav_subtitle(self) -> str:
        """What stands in the side bar."""
        return str(self.get_stats().get("summary", ""))

    @property
    def content(self) -> str:
        """What stands in the panel; `_repr_html_` has escaped it."""
        return str(mark_safe(self.get_stats().get("html", "")))
