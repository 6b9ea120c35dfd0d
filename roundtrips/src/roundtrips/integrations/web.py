"""Report what each request of a web application cost: in a Server-Timing header, or a callback.

    application = wsgi(application)          # Django, Flask (app.wsgi_app = wsgi(app.wsgi_app)) …
    app.add_middleware(asgi)                 # Starlette, FastAPI; else: app = asgi(app)

    Server-Timing: redis;dur=12.4;desc="23 round trips, 20 waits"

`dur` is the milliseconds in which at least one round trip was under way. The header counts what the
application does until the reply begins; under WSGI, until the application returns. A body that is a
generator runs later and is not counted. Where not all was counted, the header says so; a reply for
which nothing was sent has none. Everybody who gets the reply sees the header: leave it out
(`header=False`) if that is the public.

In production, one request in a hundred, and a line for those with many round trips:

    wsgi(application, sample=100, header=False, on_trace=note)

    def note(t, environ):                    # asgi: (t, scope)
        if t.round_trips > 20:
            log.warning("%s: %s", environ["PATH_INFO"], t)

`on_trace` gets the Trace of each traced request when the request is over; under WSGI, when the
application has returned. An error that it raises is logged and goes no further. With `sample`,
round trips of requests that run beside a traced one are counted in its `unattributed`, so that its
header says "not all counted".
"""

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
    """Return the value of the Server-Timing header for a Trace; None if it is empty."""
    if not (t.round_trips or t.setup_trips or t.uncounted):
        return None
    words = [counted(t.round_trips, "round trip"), counted(t.waits, "wait")]
    words += [f"{t.setup_trips:,} to connect"] if t.setup_trips else []
    words += ["not all counted"] if t.uncounted else []
    return f'redis;dur={1000 * t.waiting:.1f};desc="{", ".join(words)}"'


class Traced:
    """The common part of `wsgi` and `asgi`: choose which requests to trace, and call `on_trace`.

    `app` is the application. One request in `sample` is traced. With `header` its reply gets a
    Server-Timing header. `on_trace`, if any, is called with the Trace and the request, a WSGI
    environ or an ASGI scope.
    """

    def __init__(
        self, app: Any, sample: int = 1, header: bool = True, on_trace: OnTrace | None = None
    ) -> None:
        self.app = app
        self.sample = sample
        self.header = header
        self.on_trace = on_trace
        self.requests = itertools.count()

    @contextlib.contextmanager
    def tracing(self, request: Any) -> Iterator[Trace]:
        """Yield a Trace for a `with` block, in which one request is served.

        If the block raises, `on_trace(trace, request)` is called before the error goes on. If the
        block ends without an error, the caller has to call `tell`.
        """
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
    """A WSGI application that runs `app` and adds to each reply the round trips of its request.

    The round trips are added as a Server-Timing header, unless `header` is False. One request in
    `sample` is traced. `on_trace(trace, environ)`, if any, is called after each traced request.
    """

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Run the application, traced if the request is sampled; add the header to its reply."""
        if next(self.requests) % self.sample:
            return self.app(environ, start_response)  # type: ignore[no-any-return]
        reply = Reply(start_response, self.header)
        with self.tracing(environ) as reply.trace:
            body = self.app(environ, reply.start)
        self.tell(reply.trace, environ)
        reply.begin()
        return body  # type: ignore[no-any-return]


class Reply:
    """Holds back the status and headers of a WSGI reply until Server-Timing can be added.

    `start_response` is the server's; with `header` False nothing is added.
    """

    trace: Trace

    def __init__(self, start_response: Any, header: bool) -> None:
        self.start_response = start_response
        self.header = header
        self.head: Any = None  # status and headers, as the application gave them last
        self.begun = False
        self.write_body: Any = None

    def start(self, *head: Any) -> Any:
        """Store status and headers for later, and return a function that writes a part of the body.

        The application calls this in place of WSGI's start_response. If the reply has begun, the
        server's start_response is called instead.
        """
        if self.begun:
            return self.start_response(*head)
        self.head = head
        return self.write

    def begin(self) -> None:
        """Send status and headers, with the Server-Timing header; do nothing if already sent."""
        if self.begun:
            return
        self.begun = True
        if self.head is not None:
            status, headers, *_ = self.head
            value = timing(self.trace) if self.header else None
            more = [(NAME, value)] if value else []
            self.write_body = self.start_response(status, [*headers, *more])

    def write(self, data: bytes) -> None:
        self.begin()
        self.write_body(data)


class asgi(Traced):
    """An ASGI application that runs `app` and adds to each reply the round trips of its request.

    The round trips are added as a Server-Timing header, unless `header` is False. One request in
    `sample` is traced. `on_trace(trace, scope)`, if any, is called after each traced request. What
    is not HTTP, such as a WebSocket, is passed to `app` untraced.
    """

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Run the application, traced if the request is sampled; add the header to its reply."""
        if scope["type"] != "http" or next(self.requests) % self.sample:
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
