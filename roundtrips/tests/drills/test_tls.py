"""Over TLS the bytes are those that Redis and the client say to each other, before encryption."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
import redis
import redis.asyncio

from frameworks import without
from roundtrips import trace


@pytest.fixture
def over_tls(server, tmp_path):
    """(options of a client that speaks TLS, [bytes that it sent, bytes that it got])."""
    if not shutil.which("openssl"):
        without("there is no openssl")
    key, certificate = str(tmp_path / "key"), str(tmp_path / "certificate")
    asked = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    command = ["openssl", "req", "-x509", *asked, "-keyout", key, "-out", certificate]
    subprocess.run(command, capture_output=True, check=True)
    context, passed = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), [0, 0]
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            try:
                client = context.wrap_socket(listener.accept()[0], server_side=True)
            except OSError:
                return
            behind = socket.create_connection((server["host"], server["port"]))
            for each in ((client, behind, 0), (behind, client, 1)):
                threading.Thread(target=pump, args=each, daemon=True).start()

    def pump(source, target, way):
        try:
            while data := source.recv(1 << 16):
                passed[way] += len(data)
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            each.close()

    threading.Thread(target=accept, daemon=True).start()
    port = listener.getsockname()[1]
    yield {**server, "port": port, "ssl": True, "ssl_cert_reqs": "none"}, passed
    listener.close()


def since(before, passed):
    return passed[0] - before[0], passed[1] - before[1]


def test_a_client(over_tls):
    options, passed = over_tls
    with redis.Redis(**options) as client:
        client.ping()
        stream = client.connection_pool.get_connection()
        client.connection_pool.release(stream)
        kind, before = type(stream._sock), list(passed)
        with trace() as t:
            for number in range(5):
                client.set(f"user:{number}", "x" * 5_000)
                client.get(f"user:{number}")
        assert type(stream._sock) is kind
        assert (t.round_trips, t.bytes_sent, t.bytes_received) == (10, *since(before, passed))


def test_a_client_of_asyncio(over_tls):
    options, passed = over_tls

    async def main():
        async with redis.asyncio.Redis(**options) as client:
            await client.ping()
            before = list(passed)
            async with trace() as t:
                for number in range(5):
                    await client.get(f"user:{number}")
            assert (t.round_trips, t.bytes_sent, t.bytes_received) == (5, *since(before, passed))

    asyncio.run(main())
