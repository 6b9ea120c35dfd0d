"""The link: every byte arrives, unchanged, later, with others in flight; ends and stalls too."""

import contextlib
import hashlib
import os
import signal
import socket
import statistics
import struct
import sys
import threading
import time

import pytest
from fakes import listening

import lab_utils as lab
from lab_utils.testbed.link import link, ping_times
from lab_utils.testbed.server import Server

PATIENCE_S = 30


@pytest.fixture
def peer():
    """Yield a function `peer(serve, rtt_ms)` that starts a server behind the link.

    The RTT to it is `rtt_ms` ms. `peer` returns the port that clients connect to. `serve(sock)` is
    called for each connection.
    """
    with contextlib.ExitStack() as stack:

        def before(serve, rtt_ms=0):
            address = "127.0.0.1", stack.enter_context(listening(serve))
            return link().listen(Server(address, {}, False), rtt_ms / 1000)

        yield before


def connected(port):
    sock = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def echo(connection):
    while chunk := connection.recv(1 << 16):
        connection.sendall(chunk)


def read_all(sock):
    with sock.makefile("rb") as stream:
        return stream.read()


# Bytes


@pytest.mark.parametrize("rtt_ms", [0, 3])
def test_megabytes_there_and_back_unchanged(peer, rtt_ms):
    sent = os.urandom(8_000_000)
    with connected(peer(echo, rtt_ms)) as sock:
        sender = threading.Thread(
            target=lambda: (sock.sendall(sent), sock.shutdown(socket.SHUT_WR))
        )
        sender.start()
        received = read_all(sock)
        sender.join(PATIENCE_S)
    assert received == sent


@pytest.mark.alone
def test_many_messages_are_in_flight_together(peer):
    """Twenty messages sent without waiting share the delay; one by one they would take twenty."""
    with connected(peer(echo, 500)) as sock:
        started = time.perf_counter()
        for number in range(20):
            sock.sendall(bytes([number]))
            time.sleep(0.002)
        with sock.makefile("rb") as stream:
            assert stream.read(20) == bytes(range(20))
        assert 0.5 <= time.perf_counter() - started < 5


# Distance


@pytest.mark.alone
def test_a_ping_takes_the_distance_asked_for(r):
    measured = {
        rtt: 1000 * statistics.median(ping_times(lab.connect(rtt_ms=rtt), 15)) for rtt in (1, 5, 20)
    }
    assert measured[1] < measured[5] < measured[20]
    assert 5 <= measured[5] < 15
    assert 20 <= measured[20] < 40


# Calibration


def test_a_distance_is_measured_once_and_what_is_asked_for_is_counted_whole(r):
    client = lab.connect(rtt_ms=4)
    port = client.connection_pool.connection_kwargs["port"]
    client.ping()
    before = link().times()
    for _ in range(10):
        client.ping()
    _, held, asked, flown = (now - then for now, then in zip(link().times(), before, strict=True))
    assert asked == pytest.approx(0.040), "ten round trips of 4 ms, whatever the link costs"
    assert flown == pytest.approx(held)
    assert asked - 10 * 100e-6 <= held <= asked
    assert lab.connect(rtt_ms=4).connection_pool.connection_kwargs["port"] == port


# Lateness


@pytest.mark.alone
def test_what_was_late_is_told_once_and_without_asking(peer):
    """A standstill that delays two connections' bytes is reported once, by the link itself."""
    port = peer(echo, 400)
    with connected(port) as one, connected(port) as other:
        assert one.send(b"x") == other.send(b"x") == 1
        assert one.recv(1) == other.recv(1) == b"x"  # so the link has accepted both
        before = link().times().late
        stopped = time.perf_counter()
        if sys.platform == "linux":  # where bytes tell when they came; else it has to read them
            os.kill(link().process.pid, signal.SIGSTOP)
        assert one.send(b"x") == other.send(b"x") == 1
        time.sleep(0.02)
        os.kill(link().process.pid, signal.SIGSTOP)
        time.sleep(0.4)
        assert link().times().late == before  # nobody was asked
        os.kill(link().process.pid, signal.SIGCONT)
        assert one.recv(1) == other.recv(1) == b"x"
        late = link().times().late - before
    assert 0.15 < late <= time.perf_counter() - stopped


# Ends


def test_bytes_before_the_end_are_not_lost(peer):
    data = os.urandom(500_000)

    def say_and_leave(connection):
        connection.sendall(data)
        connection.close()

    with connected(peer(say_and_leave, 20)) as sock:
        assert read_all(sock) == data


def test_a_client_that_leaves_is_noticed_by_the_server(peer):
    ended = threading.Event()

    def wait_for_the_end(connection):
        with contextlib.suppress(OSError):
            read_all(connection)
        ended.set()

    sock = connected(peer(wait_for_the_end, 2))
    sock.sendall(b"x")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()
    assert ended.wait(30)


# Many, slow, and not TCP


def test_a_reader_that_stalls_holds_the_sender_back(peer):
    """The link holds 64 MB in a direction, then stops reading; all arrives once the reader does."""
    go_on, arrived = threading.Event(), []

    def stall_then_read(connection):
        go_on.wait(PATIENCE_S)
        digest, size = hashlib.blake2b(), 0
        while chunk := connection.recv(1 << 18):
            digest.update(chunk)
            size += len(chunk)
        arrived.append((size, digest.hexdigest()))
        connection.sendall(b"!")
        connection.close()

    chunk, digest, sent = os.urandom(1 << 20), hashlib.blake2b(), 0
    with connected(peer(stall_then_read, 1)) as sock:
        with contextlib.suppress(TimeoutError):
            while sent < 200 << 20:
                sock.settimeout(PATIENCE_S if sent < 64 << 20 else 0.3)
                size = sock.send(chunk)
                digest.update(chunk[:size])
                sent += size
        assert 64 << 20 <= sent < 120 << 20
        assert lab.connect(rtt_ms=1).ping()  # others are not held back
        go_on.set()
        sock.settimeout(PATIENCE_S)
        sock.shutdown(socket.SHUT_WR)
        assert sock.recv(1) == b"!"
    assert arrived == [(sent, digest.hexdigest())]
