"""Over TLS the bytes are those that Redis and the client say to each other, before encryption."""

import asyncio
import shutil
import subprocess

import pytest
import redis
import redis.asyncio

import servers
from frameworks import without
from programs import Run, by_hand, got
from roundtrips import trace


@pytest.fixture
def both(tmp_path):
    """Yield the options of two clients of one server: of a plain one, and of one that speaks TLS.

    The server is the system's, as those of wheels don't speak TLS.
    """
    program = shutil.which("redis-server")
    if not program or not shutil.which("openssl"):
        without("there is no redis-server on PATH, or no openssl")
    key, certificate = str(tmp_path / "key"), str(tmp_path / "certificate")
    asked = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    command = ["openssl", "req", "-x509", *asked, "-keyout", key, "-out", certificate]
    subprocess.run(command, capture_output=True, check=True)
    port = servers.free_port()
    lines = f"tls-port {port}", f"tls-cert-file {certificate}", f"tls-key-file {key}"
    try:
        with servers.running(*lines, "tls-auth-clients no", program=program) as options:
            yield options, {**options, "port": port, "ssl": True, "ssl_cert_reqs": "none"}
    except RuntimeError:
        without("redis-server does not speak TLS")


async def counts(client):
    """Return (round trips, bytes sent, bytes received) of a small program, and close the client."""
    await got(client.ping())
    with trace() as t:
        for number in range(5):
            await got(client.set(f"user:{number}", "x" * 50_000))
            await got(client.get(f"user:{number}"))
    await Run.close(client)
    return t.round_trips, t.bytes_sent, t.bytes_received


@pytest.mark.parametrize("module, run", [(redis, by_hand), (redis.asyncio, asyncio.run)])
def test_bytes_are_those_before_encryption(both, module, run):
    plain, over_tls = [run(counts(module.Redis(**options))) for options in both]
    assert plain == over_tls and plain[0] == 10
