"""The link: every byte arrives, unchanged, later, with others in flight; ends and stalls too."""

import contextlib
import hashlib
import itertools
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fakes import listening
from helpers import GONE_S, running, wait_until

import lab_utils as lab
from lab_utils.testbed import chosen_server
from lab_utils.testbed.evidence import cpu_clock_s as cpu_s
from lab_utils.testbed.link import MOST_DOUBTS, Link, link, ping_times, through
from lab_utils.testbed.pinning import steady
from lab_utils.testbed.server import Server

PATIENCE_S = 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no waker without SCHED_IDLE")


@pytest.fixture
def peer():
    """peer(serve, rtt_ms): a port of the link, that far before one that serves so."""
    with contextlib.ExitStack() as stack:

        def before(serve, rtt_ms=0):
            address = "127.0.0.1", stack.enter_context(listening(serve))
            return link().listen(Server(address, {}, False), rtt_ms / 2000)

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


def ping_ms(client):
    return 1000 * statistics.median(ping_times(client, 15))


def test_a_ping_takes_the_distance_asked_for(r):
    measured = {rtt: ping_ms(lab.connect(rtt_ms=rtt)) for rtt in (1, 5, 20)}
    assert measured[1] < measured[5] < measured[20]
    assert 0.9 * 5 <= measured[5] < 15
    assert 0.9 * 20 <= measured[20] < 40


def test_each_distance_has_a_port_and_none_is_no_link(r):
    first, second, other, none = (
        lab.connect(rtt).get_connection_kwargs()["port"] for rtt in (5, 5.0, 6, 0)
    )
    assert first == second != other and none == chosen_server.server().address[1]
    assert [link().rtt_ms(port) for port in (first, none, None)] == [5, None, None]
    assert link().rtt_ms(link().port_without_delay(chosen_server.server())) == 0


# Calibration


def test_a_busy_moment_does_not_decide_a_distance(r, monkeypatch):
    """Disturbed calls don't count; where all were, it is calibrated again, a few times at most."""
    server, waiting = chosen_server.server(), itertools.count()
    key, module = (server.address, 0.0031, False), sys.modules["lab_utils.testbed.link"]
    monkeypatch.setattr(module, "waited_s", lambda _: next(waiting))  # seconds a call
    port = link().port(server, 3.1)
    assert link().doubts[key] == MOST_DOUBTS - 1
    assert link().port(server, 3.1) == port and link().doubts[key] == MOST_DOUBTS - 2
    monkeypatch.setattr(module, "waited_s", lambda _: 0.0)
    assert wait_until(lambda: link().port(server, 3.1) == port and not link().doubts[key], 30)
    calibrated = link().overhead_s[key]
    assert link().delays[port] == pytest.approx((0.0031 - calibrated) / 2)
    link().port(server, 3.1)
    assert link().overhead_s[key] == calibrated  # now it stays
    assert ping_ms(through(server, port)) > 2.5


def test_another_delay_holds_for_connections_that_there_are(peer):
    port = peer(echo, 2)
    with connected(port) as sock:
        link().set_delay(port, 0.5)
        started = time.perf_counter()
        sock.sendall(b"x")
        sock.recv(1)
        assert 1 <= time.perf_counter() - started < 5


# Lateness


def test_what_was_late_is_told_once_and_without_asking(peer):
    """A link that stood still while bytes of two connections were due is late by that once."""
    port = peer(echo, 400)
    with connected(port) as one, connected(port) as other:
        assert one.send(b"x") == other.send(b"x") == 1
        assert one.recv(1) == other.recv(1) == b"x"  # so the link has accepted both
        before = link().late_s()
        stopped = time.perf_counter()
        if sys.platform == "linux":  # where bytes tell when they came; else it has to read them
            os.kill(link().pid, signal.SIGSTOP)
        assert one.send(b"x") == other.send(b"x") == 1
        time.sleep(0.02)
        os.kill(link().pid, signal.SIGSTOP)
        time.sleep(0.4)
        assert link().late_s() == before  # nobody was asked
        os.kill(link().pid, signal.SIGCONT)
        assert one.recv(1) == other.recv(1) == b"x"
        late = link().late_s() - before
    assert 0.15 < late <= time.perf_counter() - stopped


@linux
def test_the_waker_stops_when_told_and_dies_with_the_link():
    own = Link()
    _, waker = own.pids()
    assert wait_until(lambda: state(waker) == "S", 30)
    asleep = cpu_s(waker)
    own.keep_awake(True)
    assert wait_until(lambda: cpu_s(waker) > asleep + 0.001, 60)  # at its priority: a while
    own.keep_awake(False)
    assert wait_until(lambda: state(waker) == "S", 30)
    spent = cpu_s(waker)
    time.sleep(0.2)
    assert cpu_s(waker) - spent < 0.002
    own.process.kill()
    own.process.wait(30)
    assert wait_until(lambda: not running(waker), GONE_S)


@linux
def test_what_has_ended_holds_no_file_and_stopping_twice_closes_nobody_elses():
    before = os.listdir("/proc/self/fd")
    first = Link()
    first.process.kill()
    first.process.wait(30)
    second = Link()
    first.stop()
    assert second.pids()
    second.stop()
    second.stop()
    del first, second
    assert os.listdir("/proc/self/fd") == before


@linux
def test_the_waker_rests_while_others_want_the_cpu(r):
    """Of a CPU on which two programs compute the waker takes hardly any, however long asked to."""
    with steady(chosen_server.server().pid, link()) as held:
        (cpu,) = held.cpus
        hogs = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
            for _ in range(2)
        ]
        try:
            for hog in hogs:
                os.sched_setaffinity(hog.pid, {cpu})
            assert wait_until(lambda: min(cpu_s(hog.pid) for hog in hogs) > 0.3, 30)
            _, waker = link().pids()
            before, started = cpu_s(waker), time.perf_counter()
            time.sleep(1.5)
            # of the time that passes, whoever has the rest
            assert cpu_s(waker) - before < 0.1 * (time.perf_counter() - started)
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


# Ends


def test_bytes_before_the_end_are_not_lost(peer):
    data = os.urandom(500_000)

    def say_and_leave(connection):
        connection.sendall(data)
        connection.close()

    with connected(peer(say_and_leave, 20)) as sock:
        assert read_all(sock) == data


def test_a_reset_ends_the_connection_for_the_client(peer):
    def reset(connection):
        connection.recv(1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    with connected(peer(reset, 2)) as sock:
        sock.sendall(b"x")
        with contextlib.suppress(ConnectionResetError):
            assert sock.recv(1) == b""


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


def test_two_thousand_connections_and_the_link_goes_on(r):
    far = lab.connect(rtt_ms=1)
    connections = [far.connection_pool.get_connection() for _ in range(90)]
    port = far.connection_pool.connection_kwargs["port"]
    with contextlib.ExitStack() as stack:
        for _ in range(2_000):
            stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert far.ping() and lab.connect(rtt_ms=1).ping()
    assert lab.connect(rtt_ms=1).ping()
    for connection in connections:
        connection.send_command("PING")
        assert connection.read_response() == b"PONG"
        far.connection_pool.release(connection)
    far.close()


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
