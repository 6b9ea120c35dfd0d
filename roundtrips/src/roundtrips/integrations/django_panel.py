# mypy: allow-untyped-calls
"""Show a request's round trips, their call sites, and hints: a panel for django-debug-toolbar.

    DEBUG_TOOLBAR_PANELS = [..., "roundtrips.integrations.django_panel.RoundTripsPanel"]

It counts what redis-py does for the view: Django's cache, sessions, and clients of your own.
"""

from typing import Any

from debug_toolbar.panels import Panel  # type: ignore[import-untyped,unused-ignore]
from django.utils.safestring import mark_safe  # type: ignore[import-untyped,unused-ignore]

from ..traces import Trace, Tracing, trace
from ..words import counted


class RoundTripsPanel(Panel):  # type: ignore[misc,unused-ignore]
    """The panel of django-debug-toolbar that shows the round trips of one request."""

    title = nav_title = "Redis"
    is_async = True
    tracing: Tracing | None = None
    trace: Trace | None = None

    def enable_instrumentation(self) -> None:
        """Open a trace; the toolbar calls this before the view runs."""
        if self.tracing is None:
            self.tracing = trace()
            self.trace = self.tracing.__enter__()

    def disable_instrumentation(self) -> None:
        """Close the trace; the toolbar calls this after the view has run."""
        if self.tracing is not None:
            self.tracing.__exit__(None, None, None)
            self.tracing = None

    def generate_stats(self, request: Any, response: Any) -> None:
        """Give the toolbar the summary and the HTML that the panel shows.

        The toolbar calls this when the view has run.
        """
        t = self.trace
        if t is not None:
            summary = f"{counted(t.round_trips, 'round trip')}, {counted(t.waits, 'wait')}"
            self.record_stats({"summary": summary, "html": t._repr_html_()})

    @property
    def nav_subtitle(self) -> str:
        """Text for the toolbar's side bar: the number of round trips and waits."""
        return str(self.get_stats().get("summary", ""))

    @property
    def content(self) -> str:
        """The panel's HTML, already escaped by `_repr_html_`."""
        return str(mark_safe(self.get_stats().get("html", "")))
