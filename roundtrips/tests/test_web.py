"""Server-Timing: what each request cost, each its own, however many there are at once."""

import asyncio
import re
import threading
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import pytest
import redis
import redis.asyncio
from lab_utils.tracing import tap
from lab_utils.tracing.middleware import asgi, wsgi

from lab_utils.testbed.chosen_server import server

HEADER = re.compile(r'redis;dur=(\d+\.\d);desc="(\d+) round trips?, (\d+) waits?(?:, (\d+) to connect)?"\Z')


def counts(value):
    """(round trips, waits) of a header's value."""
    found = HEADER.match(value)
    assert found, value
    return int(found[2]), int(found[3])


# WSGI


def call(application, number, **environ):
    """(status, {name: value} of the head, body, how often start_response was called)."""
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


@pytest.mark.parametrize("number", [0, 1, 7])
def test_a_reply_says_what_it_cost(page, number):
    status, headers, body, starts = call(wsgi(page), number)
    assert (status, body, starts) == ("200 OK", b"ab", 1)
    assert counts(headers["Server-Timing"]) == (number, number)
    assert not tap.open_taps


def test_what_the_application_says_is_kept(page):
    heads = []
    wsgi(page)({"QUERY_STRING": "1"}, lambda status, headers, exc_info=None: heads.append(headers))
    assert next(value for name, value in heads[0] if name == "Server-Timing") == "db;dur=1"
    assert len(heads[0]) == 3


def test_a_generator_is_counted_to_its_first_part(r):
    closed = []

    def page(environ, start_response):
        work(r, environ)
        start_response("200 OK", [])
        try:
            yield b"a"
            work(r, environ)
            yield b"b"
        finally:
            closed.append(True)

    _, headers, body, starts = call(wsgi(page), 4)
    assert (body, starts, closed, counts(headers["Server-Timing"])) == (b"ab", 1, [True], (4, 4))
    body = wsgi(page)({"QUERY_STRING": "1"}, lambda *_: None)
    assert next(body) == b"a"
    body.close()
    assert closed == [True, True] and not tap.open_taps


def test_a_body_that_is_read_later_is_the_applications_own(r):
    class File(list):
        """As a server's own wsgi.file_wrapper, which it knows by its type."""

    def page(environ, start_response):
        start_response("200 OK", [])
        return File([b"x"])

    assert type(wsgi(page)({"QUERY_STRING": "0"}, lambda *_: None)) is File


def test_write_and_a_second_start(r):
    def page(environ, start_response):
        write = start_response("200 OK", [("X", "first")])
        start_response("500 Oh", [("X", "second")], (None, None, None))  # nothing was sent: it replaces the first
        r.get("a")
        write(b"w")
        return [b"b"]

    status, headers, body, starts = call(wsgi(page), 0)
    assert (status, headers["X"], body, starts) == ("500 Oh", "second", b"wb", 1)
    assert counts(headers["Server-Timing"]) == (1, 1)


def test_an_application_that_fails_fails(r):
    def page(environ, start_response):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        wsgi(page)({"QUERY_STRING": "0"}, None)
    assert not tap.open_taps


def test_a_late_start_passes_through(r):
    def page(environ, start_response):
        yield b""
        start_response("200 OK", [("X", "late")])
        yield b"a"

    status, headers, body, starts = call(wsgi(page), 0)
    assert (status, headers, body, starts) == ("200 OK", {"X": "late"}, b"a", 1)


def test_requests_in_threads_are_told_apart(page):
    application = wsgi(page)
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda number: call(application, number), range(1, 31)))
    assert [counts(headers["Server-Timing"]) for _, headers, _, _ in replies] == [(number, number) for number in range(1, 31)]


def test_a_server_that_is_real(page):
    class Quiet(WSGIRequestHandler):
        def log_message(self, *_):
            pass

    with WSGIServer(("127.0.0.1", 0), Quiet) as real:
        real.set_app(wsgi(page))
        thread = threading.Thread(target=real.handle_request)
        thread.start()
        with urllib.request.urlopen(f"http://127.0.0.1:{real.server_port}/?5", timeout=20) as reply:
            assert counts(reply.headers.get_all("Server-Timing")[1]) == (5, 5)
        thread.join()


def test_connecting_is_told_apart():
    def page(environ, start_response):
        with redis.Redis(**server().options) as client:
            client.get("a")
        start_response("200 OK", [])
        return []

    value = call(wsgi(page), 0)[1]["Server-Timing"]
    assert counts(value) == (1, 1) and "to connect" in value


# ASGI


async def ask(application, number, kind="http"):
    sent = []

    async def send(message):
        sent.append(message)

    await application({"type": kind, "query_string": str(number).encode()}, None, send)
    return sent


def asgi_page(client):
    async def page(scope, receive, send):
        number = int(scope["query_string"])
        await asyncio.gather(*(client.get(f"user:{each}") for each in range(number)))
        await asyncio.to_thread(blocking, number)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await client.get("afterwards")
        await send({"type": "http.response.body", "body": b"b"})
    return page


def blocking(number):
    with redis.Redis(**server().options) as client:
        for each in range(number):
            client.get(f"user:{each}")


def test_asgi_requests_at_once_are_told_apart():
    async def main():
        async with redis.asyncio.Redis(**server().options) as client:
            application = asgi(asgi_page(client))
            return await asyncio.gather(*(ask(application, number) for number in range(1, 13)))

    for number, sent in enumerate(asyncio.run(main()), 1):
        start, *bodies = sent
        assert start["headers"][0] == (b"x", b"y") and [body["body"] for body in bodies] == [b"a", b"b"]
        name, value = start["headers"][1]
        assert name == b"server-timing"
        round_trips, waits = counts(value.decode())
        assert round_trips == 2 * number and number <= waits <= 2 * number
    assert not tap.open_taps


def test_what_is_not_http_passes_through():
    seen = []

    async def application(scope, receive, send):
        seen.append((scope["type"], receive, send, tap.open_taps))

    asyncio.run(ask(asgi(application), 0, "lifespan"))
    assert seen[0][0] == "lifespan" and seen[0][3] == ()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask(asgi(failing), 0))
    assert not tap.open_taps


async def failing(scope, receive, send):
    raise ZeroDivisionError
