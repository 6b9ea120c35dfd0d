"""A capture: every byte that crossed, in order, with times at both ends that make sense."""

import itertools

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.counting.wire import reply_text, request_text


def test_a_capture_has_the_bytes_that_a_count_counts(r):
    def work(r):
        r.mset({f"key{i}": "x" * i for i in range(1_000)})
        pipe = r.pipeline()
        for i in range(1_000):
            pipe.get(f"key{i}")
        pipe.execute()

    far = lab.connect(rtt_ms=1)
    seen, cost = lab.capture(work, far), lab.count(work, far)
    sent, received = (
        b"".join(message.data for message in messages) for messages in (seen.requests, seen.replies)
    )
    assert (len(sent), len(received)) == (cost.bytes_sent, cost.bytes_received)
    assert b"$999\r\n" + b"x" * 999 in received


def test_the_server_is_between_the_ends(r):
    """A request takes half the RTT to the server, and the reply half the RTT back."""
    far = lab.connect(rtt_ms=20)
    seen = lab.capture(lambda r: [r.set(f"key{i}", f"value{i}") for i in (1, 2, 3)], far)
    assert seen.messages[0].at_client == 0
    for request, reply in zip(seen.requests, seen.replies, strict=True):
        assert request.at_client < request.at_server <= reply.at_server < reply.at_client
        assert request.at_server - request.at_client >= 0.008
        assert reply.at_client - reply.at_server >= 0.008
    for before, after in itertools.pairwise(seen.requests):
        assert after.at_client - before.at_client >= 0.018


def test_what_is_on_another_connection_or_still_on_its_way_is_refused(r):
    assert "connections" in refusal(lab.capture, lambda r: lab.connect().ping(), r)

    def sends_and_does_not_wait(r):  # as a thread does that nobody joins
        connection = r.connection_pool.get_connection()
        connection.send_command("PING")
        r.connection_pool.release(connection)

    assert "thread.join()" in refusal(lab.capture, sends_and_does_not_wait, lab.connect(rtt_ms=20))


@pytest.mark.parametrize(
    "data, text",
    [
        (b"*3\r\n$3\r\nSET\r\n$4\r\nkey1\r\n$6\r\nvalue1\r\n", "SET key1"),
        (b"*1\r\n$4\r\nPING\r\n", "PING"),
        (b"*1\r\n$4\r\nPING\r\n*2\r\n$3\r\nGET\r\n$1\r\na\r\n", "PING · GET a"),
        (b"*1\r\n$4\r\nPING\r\n" * 3, "PING · PING · PING"),
        (b"*1\r\n$4\r\nPING\r\n" * 1_000, "1,000 commands"),
        (b"*3\r\n$3\r\nSET\r\n$4\r\nkey1\r\n$60000\r\nxxx", "34 bytes"),
        (b"*2\r\n$3\r\nGET\r\n$40\r\n" + b"k" * 40 + b"\r\n", "GET " + "k" * 20),
    ],
)
def test_what_a_request_says(data, text):
    assert request_text(data) == text


@pytest.mark.parametrize(
    "data, text",
    [
        (b"+OK\r\n", "+OK"),
        (b":42\r\n", ":42"),
        (b"$6\r\nvalue1\r\n", "value1"),
        (b"_\r\n", "_"),
        (b"$-1\r\n", "$-1"),
        (b"-ERR no such thing\r\n", "-ERR no such thing"),
        (b"+OK\r\n" * 3, "+OK +OK +OK"),
        (b"+OK\r\n" * 4, "20 bytes"),
        (b"*2\r\n:1\r\n:2\r\n", "12 bytes"),
    ],
)
def test_what_a_reply_says(data, text):
    assert reply_text(data) == text
