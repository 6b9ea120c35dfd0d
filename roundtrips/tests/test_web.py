"""Server-Timing and on_trace: what each request cost, however many there are at once."""

import asyncio
import logging
import re
from pathlib import Path
from unittest.mock import ANY, AsyncMock, MagicMock

import httpx2
import pytest
from werkzeug.test import Client

from frameworks import need
from roundtrips import redis_py, trace
from roundtrips.integrations.web import asgi, wsgi
from test_blocks import listening

HEADER = (
    r'redis;dur=\d+\.\d;desc="(\d+) round trips?, (\d+) waits?'
    r'(?:, \d+ to connect)?(?:, not all counted)?"'
)


def counts(value):
    """Return (round trips, waits) as told in `value`, a Server-Timing header's."""
    found = re.fullmatch(HEADER, value)
    assert found, value
    return int(found[1]), int(found[2])


@pytest.fixture(autouse=True)
def nothing_stays_open():
    yield
    assert not redis_py.open_recorders


def work(client, number):
    for each in range(int(number)):
        client.get(f"user:{each}")


# WSGI


@pytest.fixture
def page(r):
    """Return a WSGI application that makes as many round trips as the query string says."""

    def page(environ, start_response):
        work(r, environ["QUERY_STRING"])
        start_response("200 OK", [("Content-Type", "text/plain"), ("Server-Timing", "db;dur=1")])
        return [b"a", b"b"]

    return page


def test_a_reply_says_what_it_cost(page):
    reply = Client(wsgi(page)).get("/?4")
    assert (reply.status, reply.content_type, reply.data) == ("200 OK", "text/plain", b"ab")
    other, ours = reply.headers.getlist("Server-Timing")
    assert other == "db;dur=1" and counts(ours) == (4, 4)


def test_a_reply_begins_once_and_its_body_is_the_applications_own_object(r):
    body, server = object(), MagicMock()  # a server knows wsgi.file_wrapper by its type

    def application(environ, start_response):
        start_response("200 OK", [("X", "first")])
        # Nothing was sent: this one replaces the first.
        write = start_response("500 Oh", [("X", "second")], (None, None, None))
        r.get("a")
        write(b"a")
        return body

    assert wsgi(application)({}, server) is body
    server.assert_called_once_with("500 Oh", [("X", "second"), ("Server-Timing", ANY)])
    server.return_value.assert_called_once_with(b"a")


def test_a_reply_says_that_not_all_was_counted(r, page):
    ask = listening(r.get)
    reply = Client(wsgi(lambda *given: (ask("a"), page(*given))[1])).get("/?1")
    ask(None)
    timing = reply.headers.getlist("Server-Timing")[1]
    assert counts(timing) == (1, 1) and timing.endswith(', not all counted"')


def test_a_body_that_is_a_generator_runs_later(r):
    def streamed(environ, start_response):
        start_response("200 OK", [])
        yield b"a"
        work(r, 4)

    reply = Client(wsgi(streamed)).get()
    assert (reply.status, reply.data, len(reply.headers)) == ("200 OK", b"a", 0)


async def test_an_application_that_fails_fails():
    told = MagicMock()
    with pytest.raises(ZeroDivisionError):
        Client(wsgi(MagicMock(side_effect=ZeroDivisionError), on_trace=told)).get()
    with pytest.raises(ZeroDivisionError):
        await asgi(AsyncMock(side_effect=ZeroDivisionError), on_trace=told)(
            {"type": "http"}, None, None
        )
    assert told.call_count == 2


# ASGI


async def test_asgi_requests_at_once_are_told_apart(r, async_r):
    async def page(scope, receive, send):
        number = int(scope["query_string"])
        await asyncio.gather(*(async_r.get(f"user:{each}") for each in range(number)))
        await asyncio.to_thread(work, r, number)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await async_r.get("afterwards")
        await send({"type": "http.response.body", "body": b"b"})

    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(asgi(page)), base_url="http://shop"
    ) as client:
        replies = await asyncio.gather(*(client.get(f"/?{number}") for number in range(13)))
    assert "server-timing" not in replies.pop(0).headers  # without any round trip
    for number, reply in enumerate(replies, 1):
        assert (reply.headers["x"], reply.text) == ("y", "ab")
        round_trips, waits = counts(reply.headers["server-timing"])
        assert round_trips == 2 * number and number <= waits <= 2 * number
    assert any("to connect" in reply.headers["server-timing"] for reply in replies)


async def test_what_is_not_http_passes_through():
    application = AsyncMock()
    message = {"type": "lifespan"}, object(), object()
    await asgi(application)(*message)
    application.assert_awaited_once_with(*message)


# What a trace is given to


def test_one_request_in_n_is_traced_and_told(page):
    told = MagicMock()
    client = Client(wsgi(page, sample=3, header=False, on_trace=told))
    replies = [client.get(f"/?{number}") for number in (5, 5, 5, 1, 5, 5, 2)]
    traced = [(t.round_trips, environ["QUERY_STRING"]) for (t, environ), _ in told.call_args_list]
    assert traced == [(5, "5"), (1, "1"), (2, "2")]  # the first, fourth and seventh
    assert all(reply.headers.getlist("Server-Timing") == ["db;dur=1"] for reply in replies)


def test_what_on_trace_raises_goes_no_further(page, caplog):
    with caplog.at_level(logging.ERROR):
        reply = Client(wsgi(page, on_trace=lambda *_: 1 / 0)).get("/?1")
    assert reply.status == "200 OK" and "ZeroDivisionError" in caplog.text


# Frameworks


def test_the_recipe_for_opentelemetry(r):
    sdk = need("opentelemetry.sdk.trace")
    text = (Path(__file__).parents[1] / "FRAMEWORKS.md").read_text(encoding="utf-8")
    [recipe] = re.findall(r"```python\n(from opentelemetry.*?)```", text, re.S)
    space = {}
    exec(recipe, space)
    tracer = sdk.TracerProvider().get_tracer("test")
    with tracer.start_as_current_span("page") as span, trace() as t:
        work(r, 3)
        space["put_on_span"](t)
    assert span.attributes["roundtrips.round_trips"] == span.attributes["roundtrips.waits"] == 3
