"""Server-Timing and on_trace: what each request cost, however many there are at once."""

import asyncio
import logging
import re
from pathlib import Path

import pytest
import redis

from frameworks import need
from roundtrips import redis_py, trace
from roundtrips.integrations.web import asgi, wsgi

HEADER = re.compile(
    r'redis;dur=(\d+\.\d);desc="(\d+) round trips?, (\d+) waits?(?:, (\d+) to connect)?"\Z'
)


def counts(value):
    """Return (round trips, waits) as told in `value`, a Server-Timing header's."""
    found = HEADER.match(value)
    assert found, value
    return int(found[2]), int(found[3])


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    assert not redis_py.open_recorders


# WSGI


def call(application, number, **environ):
    """Call a WSGI application; return (status, {header: value}, body, calls of start_response).

    `number` becomes the query string; `environ` are further variables of the WSGI environment.
    """
    heads, written = [], []

    def start_response(status, headers, exc_info=None):
        heads.append((status, headers))
        return written.append

    body = application({"QUERY_STRING": str(number), **environ}, start_response)
    try:
        parts = list(body)
    finally:
        if hasattr(body, "close"):
            body.close()
    status, headers = heads[-1]
    return status, dict(headers), b"".join([*written, *parts]), len(heads)


def work(client, environ):
    for number in range(int(environ["QUERY_STRING"])):
        client.get(f"user:{number}")


@pytest.fixture
def page(r):
    def page(environ, start_response):
        work(r, environ)
        start_response("200 OK", [("Content-Type", "text/plain"), ("Server-Timing", "db;dur=1")])
        return [b"a", b"b"]

    return page


class File(list):
    """A stand-in for wsgi.file_wrapper, which a WSGI server knows by its type."""


def twice_begun(environ, start_response, r):
    start_response("200 OK", [("X", "first")])
    # Nothing was sent: this one replaces the first.
    write = start_response("500 Oh", [("X", "second")], (None, None, None))
    r.get("a")
    write(b"a")
    return File([b"b"])


def streamed(environ, start_response, r):
    start_response("200 OK", [("X", "late")])
    yield b"a"
    work(r, environ)
    yield b"b"


@pytest.mark.parametrize("application, status, kept, cost", [
    (None, "200 OK", {"Content-Type": "text/plain"}, (4, 4)),
    (twice_begun, "500 Oh", {"X": "second"}, (1, 1)), (streamed, "200 OK", {"X": "late"}, None),
])  # fmt: skip
def test_a_reply_says_what_it_cost(r, page, application, status, kept, cost):
    wrapped = wsgi(page if application is None else lambda *given: application(*given, r))
    said, headers, body, starts = call(wrapped, 4)
    value = headers.pop("Server-Timing", None)
    assert (said, headers, body, starts) == (status, kept, b"ab", 1)
    assert (counts(value) if value else None) == cost
    if application is twice_begun:
        assert type(wrapped({"QUERY_STRING": "1"}, lambda *_: lambda _: None)) is File


async def test_an_application_that_fails_fails():
    async def failing(scope, receive, send):
        raise ZeroDivisionError

    told = []
    with pytest.raises(ZeroDivisionError):
        call(wsgi(lambda *_: 1 / 0, on_trace=lambda *both: told.append(both)), 0)
    with pytest.raises(ZeroDivisionError):
        await ask(asgi(failing, on_trace=lambda *both: told.append(both)), 0)
    assert len(told) == 2


# ASGI


async def ask(application, number, kind="http"):
    sent = []

    async def send(message):
        sent.append(message)

    await application({"type": kind, "query_string": str(number).encode()}, None, send)
    return sent


@pytest.fixture
def asgi_page(async_r, server):
    async def page(scope, receive, send):
        number = int(scope["query_string"])
        await asyncio.gather(*(async_r.get(f"user:{each}") for each in range(number)))
        await asyncio.to_thread(blocking, number, server)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await async_r.get("afterwards")
        await send({"type": "http.response.body", "body": b"b"})

    return page


def blocking(number, server):
    with redis.Redis(**server) as client:
        for each in range(number):
            client.get(f"user:{each}")


async def test_asgi_requests_at_once_are_told_apart(asgi_page):
    application = asgi(asgi_page)
    replies = await asyncio.gather(*(ask(application, number) for number in range(1, 13)))
    for number, sent in enumerate(replies, 1):
        start, *bodies = sent
        assert start["headers"][0] == (b"x", b"y")
        assert [body["body"] for body in bodies] == [b"a", b"b"]
        name, value = start["headers"][1]
        assert name == b"server-timing"
        round_trips, waits = counts(value.decode())
        assert round_trips == 2 * number and number <= waits <= 2 * number
        assert b" to connect" in value


async def test_what_is_not_http_passes_through_and_a_reply_without_round_trips_has_no_header():
    seen = []

    async def application(scope, receive, send):
        seen.append((scope["type"], receive, send, redis_py.open_recorders))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    await ask(asgi(application), 0, "lifespan")
    assert seen[0][0] == "lifespan" and seen[0][3] == ()
    assert (await ask(asgi(application), 0))[0]["headers"] == []


# What a trace is given to


def test_one_request_in_n_is_traced_and_told(page):
    told = []
    application = wsgi(page, sample=3, header=False, on_trace=lambda *both: told.append(both))
    replies = [call(application, number) for number in (5, 5, 5, 1, 5, 5, 2)]
    assert [t.round_trips for t, _ in told] == [5, 1, 2]  # of the first, fourth and seventh
    assert [environ["QUERY_STRING"] for _, environ in told] == ["5", "1", "2"]
    assert all(headers["Server-Timing"] == "db;dur=1" for _, headers, *_ in replies)


def test_what_on_trace_raises_goes_no_further(page, caplog):
    with caplog.at_level(logging.ERROR):
        status, *_ = call(wsgi(page, on_trace=lambda *_: 1 / 0), 1)
    assert status == "200 OK" and "ZeroDivisionError" in caplog.text


# Frameworks


def test_the_recipe_for_opentelemetry(r):
    sdk = need("opentelemetry.sdk.trace")
    text = (Path(__file__).parents[1] / "FRAMEWORKS.md").read_text(encoding="utf-8")
    [recipe] = [
        each
        for each in re.findall(r"```python\n(.*?)```", text, re.S)
        if "get_current_span" in each
    ]
    space = {}
    exec(recipe, space)
    tracer = sdk.TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("page") as span, trace() as t:
        work(r, {"QUERY_STRING": 3})
        space["put_on_span"](t)
    assert (span.attributes["roundtrips.round_trips"], span.attributes["roundtrips.waits"]) == (
        3,
        3,
    )
