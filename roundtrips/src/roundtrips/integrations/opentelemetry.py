"""OpenTelemetry: round trips and waits of a block as attributes of the current span.

    with on_span() as t:                           # or `async with`
        page(r)

    app.add_middleware(asgi, on_trace=put_on_span) # of each request; inside OpenTelemetry's own

It needs opentelemetry-api: pip install roundtrips[opentelemetry].
"""

from __future__ import annotations

from typing import Any

from opentelemetry import trace as spans

from ..traces import Trace, Tracing


def put_on_span(t: Trace, *request: Any) -> None:
    """Write what a Trace counted on the current span: numbers, and seconds spent waiting."""
    span = spans.get_current_span()
    for name in ("round_trips", "waits", "setup_trips", "lost", "errors", "waiting"):
        span.set_attribute(f"roundtrips.{name}", getattr(t, name))
    if t.uncounted:
        span.set_attribute("roundtrips.uncounted", t.uncounted)


class on_span(Tracing):
    """A `trace()` whose numbers are on the current span when it is over."""

    def __exit__(self, *failure: Any) -> None:
        super().__exit__(*failure)
        put_on_span(self.trace)
