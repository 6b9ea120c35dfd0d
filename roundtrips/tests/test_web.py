"""Server-Timing and on_trace: what each request cost, however many there are at once."""

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from frameworks import need
from roundtrips import Uncounted, budget, redis_py
from roundtrips.integrations.web import asgi, wsgi

HEADER = re.compile(
    r'redis;dur=(\d+\.\d);desc="(\d+) round trips?, (\d+) waits?(?:, (\d+) to connect)?"\Z'
)


def counts(value):
    """Return (round trips, waits) of a header's value."""
    found = HEADER.match(value)
    assert found, value
    return int(found[2]), int(found[3])


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    assert not redis_py.open_recorders


# WSGI


def call(application, number, **environ):
    """Return (status, {name: value} of the head, body, how often start_response was called)."""
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
    """As a server's own wsgi.file_wrapper, which it knows by its type."""


def in_parts(environ, start_response, r, closed):
    work(r, environ)
    start_response("200 OK", [])
    try:
        yield b"a"
        work(r, environ)
        yield b"b"
    finally:
        closed.append(True)


def twice_begun(environ, start_response, r, closed):
    start_response("200 OK", [("X", "first")])
    # Nothing was sent: this one replaces the first.
    write = start_response("500 Oh", [("X", "second")], (None, None, None))
    r.get("a")
    write(b"a")
    return File([b"b"])


def begun_late(environ, start_response, r, closed):
    yield b""
    start_response("200 OK", [("X", "late")])
    yield b"a"
    yield b"b"


def streamed(environ, start_response, r, closed):
    start_response("200 OK", [])
    yield b"a"
    work(r, environ)
    yield b"b"


@pytest.mark.parametrize("application, status, kept, cost", [
    (None, "200 OK", {"Content-Type": "text/plain"}, (4, 4)), (in_parts, "200 OK", {}, (4, 4)),
    (twice_begun, "500 Oh", {"X": "second"}, (1, 1)), (begun_late, "200 OK", {"X": "late"}, None),
    (streamed, "200 OK", {}, None),
])  # fmt: skip
def test_a_reply_says_what_it_cost(r, page, application, status, kept, cost):
    closed = []
    wrapped = wsgi(page if application is None else lambda *given: application(*given, r, closed))
    said, headers, body, starts = call(wrapped, 4)
    value = headers.pop("Server-Timing", None)
    assert (said, headers, body, starts) == (status, kept, b"ab", 1)
    assert (counts(value) if value else None) == cost
    if application is in_parts:
        body = wrapped({"QUERY_STRING": "1"}, lambda *_: None)
        assert next(body) == b"a"
        body.close()
        assert closed == [True, True]
    if application is twice_begun:
        assert type(wrapped({"QUERY_STRING": "1"}, lambda *_: lambda _: None)) is File


def test_what_the_application_says_is_kept(page):
    heads = []
    wsgi(page)({"QUERY_STRING": "1"}, lambda status, headers, exc_info=None: heads.append(headers))
    assert next(value for name, value in heads[0] if name == "Server-Timing") == "db;dur=1"
    assert len(heads[0]) == 3


async def test_an_application_that_fails_fails():
    async def failing(scope, receive, send):
        raise ZeroDivisionError

    told = []
    with pytest.raises(ZeroDivisionError):
        call(wsgi(lambda *_: 1 / 0, on_trace=lambda *both: told.append(both)), 0)
    with pytest.raises(ZeroDivisionError):
        await ask(asgi(failing, on_trace=lambda *both: told.append(both)), 0)
    assert len(told) == 2


def test_a_body_that_nobody_reads_is_closed():
    closed = []

    class Late:
        __iter__, close = (lambda self: iter(())), (lambda self: closed.append(True))

    wsgi(lambda *_: Late())({}, None).close()
    assert closed == [True]


def test_requests_in_threads_are_told_apart(page):
    application = wsgi(page)
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda number: call(application, number), range(1, 31)))
    assert [counts(headers["Server-Timing"]) for _, headers, _, _ in replies] == [
        (number, number) for number in range(1, 31)
    ]


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


async def test_asgi_tells_of_the_whole_request(asgi_page):
    told = []
    await ask(asgi(asgi_page, on_trace=lambda *both: told.append(both)), 3)
    [(t, scope)] = told
    assert t.round_trips == 7 and scope["type"] == "http"  # one was made after the reply began


def test_what_on_trace_raises_goes_no_further(page, caplog):
    with caplog.at_level(logging.ERROR):
        status, *_ = call(wsgi(page, on_trace=lambda *_: 1 / 0), 1)
    assert status == "200 OK" and "ZeroDivisionError" in caplog.text


# Frameworks


@pytest.mark.parametrize("inside", [False, True], ids=["alone", "inside our middleware"])
def test_a_budget_in_a_dependency_of_fastapi_is_judged_or_refused(server, inside):
    fastapi, testclient = need("fastapi"), need("fastapi.testclient")

    def in_a_thread():
        with budget(max=3):
            yield

    async def in_the_task():
        with budget(max=3):
            yield

    for dependency, said in (
        (in_a_thread, "(?s)not all that was done.*closed in another context"),
        (in_the_task, "10 round trips, 3 allowed"),
    ):
        app = fastapi.FastAPI(dependencies=[fastapi.Depends(dependency)])
        app.get("/")(lambda: blocking(10, server))
        client = testclient.TestClient(asgi(app) if inside else app)
        with client, pytest.raises(AssertionError, match=said) as caught:
            client.get("/")
        assert isinstance(caught.value, Uncounted) is (dependency is in_a_thread)


# OpenTelemetry


async def test_numbers_on_the_current_span(r):
    sdk = need("opentelemetry.sdk.trace")
    from roundtrips.integrations.opentelemetry import on_span, put_on_span

    tracer = sdk.TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("page") as span, on_span() as t:
        work(r, {"QUERY_STRING": 3})
    assert t.round_trips == span.attributes["roundtrips.round_trips"] == 3
    assert span.attributes["roundtrips.waits"] == 3
    with tracer.start_as_current_span("request") as span:
        put_on_span(t, {})
    assert span.attributes["roundtrips.round_trips"] == 3
    put_on_span(t)  # where there is no span nothing happens
    with tracer.start_as_current_span("task") as span:
        async with on_span():
            work(r, {"QUERY_STRING": 2})
    assert span.attributes["roundtrips.round_trips"] == 2
