"""A trace where a connection is set up otherwise: over TLS, and through a Sentinel."""

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading

import pytest
import redis
import redis.asyncio
from helpers import wait_until
from redis.sentinel import Sentinel

from lab_utils.testbed import private_server
from lab_utils.testbed.chosen_server import server
from roundtrips import trace


@pytest.fixture
def over_tls(tmp_path):
    """(options of a client that speaks TLS, [bytes that it sent, bytes that it got], both without the encryption)."""
    key, certificate = tmp_path / "key", tmp_path / "certificate"
    subprocess.run([shutil.which("openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                    "-subj", "/CN=localhost", "-days", "2"], capture_output=True, check=True)
    context, passed = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), [0, 0]
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            try:
                client = context.wrap_socket(listener.accept()[0], server_side=True)
            except OSError:
                return
            behind = socket.create_connection(server().address)
            threading.Thread(target=pump, args=(client, behind, 0), daemon=True).start()
            threading.Thread(target=pump, args=(behind, client, 1), daemon=True).start()

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
    yield {**server().options, "host": "127.0.0.1", "port": port, "ssl": True, "ssl_cert_reqs": "none"}, passed
    listener.close()


def test_over_tls_the_bytes_are_those_of_redis(over_tls):
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
        assert (t.round_trips, t.bytes_sent, t.bytes_received) == (10, passed[0] - before[0], passed[1] - before[1])


def test_over_tls_with_asyncio(over_tls):
    options, passed = over_tls

    async def main():
        client = redis.asyncio.Redis(**options)
        await client.ping()
        before = list(passed)
        async with trace() as t:
            for number in range(5):
                await client.get(f"user:{number}")
        assert (t.round_trips, t.bytes_sent, t.bytes_received) == (5, passed[0] - before[0], passed[1] - before[1])
        await client.connection_pool.disconnect(inuse_connections=False)

    asyncio.run(main())


@pytest.fixture
def sentinel(another_server, tmp_path):
    """(port of a Sentinel, the password of the master that it knows as `master`)."""
    master, port = another_server(), private_server.free_port()
    settings = tmp_path / "sentinel.conf"
    settings.write_text(f"port {port}\nsentinel monitor master 127.0.0.1 {master.address[1]} 1\n"
                        f"sentinel auth-pass master {master.options['password']}\n")
    process = subprocess.Popen([private_server.find_binary(), settings, "--sentinel"], stdout=subprocess.DEVNULL)

    def answers():
        try:
            return redis.Redis(port=port).ping()
        except redis.RedisError:
            return False

    assert wait_until(answers, 10)
    yield port, master.options["password"]
    process.terminate()
    process.wait(10)


def test_through_a_sentinel(sentinel):
    port, password = sentinel
    client = Sentinel([("127.0.0.1", port)]).master_for("master", password=password)
    with trace() as t:
        for number in range(3):
            client.get(f"user:{number}")
    assert (t.commands["GET"], t.round_trips, t.connections) == (3, 4, 2)
    assert {site.site.file for site in t.call_sites} == {__file__}
