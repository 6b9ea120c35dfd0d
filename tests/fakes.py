"""Start a Redis that the lab did not start, and programs at a port that speak no RESP."""

import contextlib
import socketserver
import subprocess
import threading
import time

import redis
from helpers import wait_until

from lab_utils.testbed import ownership, private_server
from lab_utils.testbed.keeper import Kept
from lab_utils.testbed.server import Server
from lab_utils.testbed.server_from_url import server_from_url


@contextlib.contextmanager
def somebodys_server(*settings: str, password: str | None = "theirs"):
    """In a `with` block, run a Redis that the lab does not know; yield it as a Server of lab_utils.

    `settings` are lines of redis.conf. Without a `password` everybody may log in.
    """
    port = private_server.free_port()
    lines = ["bind 127.0.0.1", f"port {port}", 'save ""', "appendonly no", *settings, ""]
    if password:
        lines.insert(0, f'requirepass "{password}"')
    kept = Kept(
        [private_server.find_binary(), "-"],
        folder=True,
        feed="\n".join(lines).encode(),
        stdout=subprocess.DEVNULL,
    )
    options = {"host": "127.0.0.1", "port": port, "password": password}
    try:
        assert wait_until(lambda: is_up(options))
        with redis.Redis(**options) as client:
            pid = client.info("server")["process_id"]
        yield Server(("127.0.0.1", port), options, pid)
    finally:
        kept.stop()


def is_up(options: dict):
    with (
        contextlib.suppress(redis.ConnectionError),
        redis.Redis(**options, retry=None) as client,
    ):
        return client.ping()


@contextlib.contextmanager
def held(url: str):
    """In a `with` block, let the lab use a database of the server at `url`, as REDIS_URL would.

    Yields a Server of lab_utils; at the end the database is given up.
    """
    server = server_from_url(url)
    ownership.add(server)
    try:
        yield server
    finally:
        server.held.end()


@contextlib.contextmanager
def listening(serve):
    """In a `with` block, call `serve(sock)` for each connection to a port; yield the port's number.

    Each call runs in a thread; an OSError that it raises is dropped.
    """

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            with contextlib.suppress(OSError):
                serve(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def http(sock):
    sock.recv(1000)
    sock.sendall(
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
        b"Connection: close\r\n\r\n400 Bad Request"
    )


def silent(sock):
    time.sleep(20)


def closing(sock):
    sock.recv(1)


NO_REDIS = {each.__name__: each for each in (http, silent, closing)}
