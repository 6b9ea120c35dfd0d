"""What each request of a web application cost: in its reply's Server-Timing header, or a callback.

    application = wsgi(application)          # Django, Flask (app.wsgi_app = wsgi(app.wsgi_app)) …
    app.add_middleware(asgi)                 # Starlette, FastAPI; else: app = asgi(app)

    Server-Timing: redis;dur=12.4;desc="23 round trips, 20 waits"

`dur` is the milliseconds in which at least one round trip was on its way. Counted is what is done
until the reply begins (by WSGI in a generator: what that generator does until then, not what was
done before it was made). A reply that begins before the first round trip has no such header. It is
seen by everybody who gets the reply: leave it out (`header=False`) where that is the public.

In production, one request in a hundred, and a line for those with many round trips:

    wsgi(application, sample=100, header=False, on_trace=note)

    def note(t, environ):                    # asgi: (t, scope)
        if t.round_trips > 20:
            log.warning("%s: %s", environ["PATH_INFO"], t)

`on_trace` gets the Trace of each traced request, when it is over; of a body that WSGI streams, what
was done until it began. What it raises is logged, and goes no further. With `sample`, what the
requests beside a traced one do is in its `unattributed`.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..traces import Trace, trace
from ..words import counted

NAME = "Server-Timing"
OnTrace = Callable[[Trace, Any], object]


def timing(t: Trace) -> str | None:
    """Return the header's value for what was counted; None where that is nothing."""
    if not t.round_trips and not t.setup_trips:
        return None
    words = [counted(t.round_trips, "round trip"), counted(t.waits, "wait")]
    words += [f"{t.setup_trips:,} to connect"] if t.setup_trips else []
    return f'redis;dur={1000 * t.waiting:.1f};desc="{", ".join(words)}"'


class Traced:
    """What `wsgi` and `asgi` share: which requests are traced, and what is told of them."""

    def __init__(
        self, app: Any, sample: int = 1, header: bool = True, on_trace: OnTrace | None = None
    ) -> None:
        self.app, self.sample, self.header, self.on_trace = app, sample, header, on_trace
        self.requests = itertools.count()

    def is_sampled(self) -> bool:
        return next(self.requests) % self.sample == 0

    @contextlib.contextmanager
    def tracing(self, request: Any) -> Iterator[Trace]:
        """Trace a block, and tell of it at once if it fails."""
        block = trace()
        try:
            with block as t:
                yield t
        except BaseException:
            self.tell(block.trace, request)
            raise

    def tell(self, t: Trace, request: Any) -> None:
        if self.on_trace is not None:
            try:
                self.on_trace(t, request)
            except Exception:
                logging.getLogger("roundtrips").exception("on_trace failed")


class wsgi(Traced):
    """A WSGI application that tells of each request what it cost; see the module."""

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request."""
        if not self.is_sampled():
            return self.app(environ, start_response)  # type: ignore[no-any-return]
        reply = Reply(start_response, self.header)
        with self.tracing(environ) as reply.trace:
            body = self.app(environ, reply.start)
        if reply.status is None:  # a generator, whose first line has not run yet
            return Body(self.late(body, reply, environ), body)
        self.tell(reply.trace, environ)
        reply.begin()
        return body  # type: ignore[no-any-return]

    def late(self, body: Any, reply: Reply, environ: dict[str, Any]) -> Iterator[bytes]:
        """Yield the body of an application that starts its reply with the body's first part."""
        with self.tracing(environ) as reply.trace:
            parts = iter(body)
            first = next(parts, b"")
        self.tell(reply.trace, environ)
        if reply.status is None:
            reply.begun = True  # it begins its reply later still: without a header of ours
        else:
            reply.begin()
        yield first
        yield from parts


class Body(Iterator[bytes]):
    """Parts of a body, which is closed as PEP 3333 says, whether they are read or not."""

    def __init__(self, parts: Iterator[bytes], body: Any) -> None:
        self.parts, self.close = parts, getattr(body, "close", lambda: None)

    def __next__(self) -> bytes:
        return next(self.parts)


class Reply:
    """Holds a reply's head back until it is known what it cost."""

    trace: Trace

    def __init__(self, start_response: Any, header: bool) -> None:
        self.start_response, self.header = start_response, header
        self.status: str | None = None
        self.headers: list[tuple[str, str]] = []
        self.begun = False
        self.write_body: Any = None

    def start(self, status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        """Take the place of start_response."""
        if self.begun:
            return self.start_response(status, headers, exc_info)
        self.status, self.headers = status, headers
        return self.write

    def begin(self) -> None:
        if not self.begun:
            self.begun = True
            value = timing(self.trace) if self.header else None
            headers = [*self.headers, (NAME, value)] if value else self.headers
            self.write_body = self.start_response(self.status, headers)

    def write(self, data: bytes) -> None:
        self.begin()
        self.write_body(data)


class asgi(Traced):
    """An ASGI application that tells of each request what it cost; see the module.

    What is not HTTP passes through.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] != "http" or not self.is_sampled():
            await self.app(scope, receive, send)
            return

        async def send_counted(message: Any) -> None:
            if message["type"] == "http.response.start" and self.header:
                value = timing(t)
                if value:
                    named = (NAME.lower().encode(), value.encode())
                    message = {**message, "headers": [*message.get("headers", ()), named]}
            await send(message)

        with self.tracing(scope) as t:
            await self.app(scope, receive, send_counted)
        self.tell(t, scope)
