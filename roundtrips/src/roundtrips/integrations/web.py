"""What each request of a web application cost, in its reply's Server-Timing header: a browser's network panel shows it.

    application = wsgi(application)          # Django, Flask (app.wsgi_app = wsgi(app.wsgi_app)), Pyramid …
    app.add_middleware(asgi)                 # Starlette, FastAPI; else: app = asgi(app)

    Server-Timing: redis;dur=12.4;desc="23 round trips, 20 waits"

`dur` is the milliseconds in which at least one round trip was on its way. Counted is what is done until the reply begins: a body
that is streamed afterwards comes too late for a header. Each request is a trace of its own, right beside others in threads and
tasks. Everybody who gets the reply can read it: leave it out where that is the public.
"""

from ..traces import trace
from ..words import counted

NAME = "Server-Timing"


def timing(*traces):
    """The header's value for what the traces of one request counted."""
    turns, waits, setup = (sum(getattr(t, name) for t in traces) for name in ("round_trips", "waits", "setup_trips"))
    words = [counted(turns, "round trip"), counted(waits, "wait"), *([f"{setup:,} to connect"] if setup else [])]
    return f'redis;dur={1000 * sum(t.waiting for t in traces):.1f};desc="{", ".join(words)}"'


def wsgi(application):
    """A WSGI application that tells in each reply what it cost."""
    def counted_application(environ, start_response):
        reply = Reply(start_response)
        with trace() as reply.trace:
            body = application(environ, reply.start)
        if reply.status is None:
            return reply.late(body)  # a generator, whose first line has not run yet
        reply.begin()
        return body
    return counted_application


class Reply:
    """Holds a reply's head back until it is known what it cost."""

    def __init__(self, start_response):
        self.start_response = start_response
        self.status = self.headers = self.write_body = None
        self.begun = False

    def start(self, status, headers, exc_info=None):
        """What the application calls in place of start_response."""
        if self.begun:
            return self.start_response(status, headers, exc_info)
        self.status, self.headers = status, headers
        return self.write

    def begin(self):
        if not self.begun:
            self.begun = True
            self.write_body = self.start_response(self.status, [*self.headers, (NAME, timing(self.trace))])

    def write(self, data):
        self.begin()
        self.write_body(data)

    def late(self, body):
        """The body of an application that starts its reply with the body's first part."""
        try:
            parts = iter(body)
            with trace() as self.trace:
                first = next(parts, b"")
            if self.status is None:
                self.begun = True  # it begins its reply later still: without a header of ours
            else:
                self.begin()
            yield first
            yield from parts
        finally:
            if hasattr(body, "close"):
                body.close()


def asgi(application):
    """An ASGI application that tells in each reply what it cost. What is not HTTP passes through."""
    async def counted_application(scope, receive, send):
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        with trace() as t:
            async def send_counted(message):
                if message["type"] == "http.response.start":
                    header = (NAME.lower().encode(), timing(t).encode())
                    message = {**message, "headers": [*message.get("headers", ()), header]}
                await send(message)

            await application(scope, receive, send_counted)
    return counted_application
