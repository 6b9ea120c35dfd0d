"""Over TLS the bytes are those that Redis and the client say to each other, before encryption."""

import asyncio
import shutil
import ssl
import subprocess
import threading

import pytest
import redis
import redis.asyncio

from frameworks import without
from roundtrips import trace


async def pump(source, target):
    while data := await source.read(1 << 16):
        target.write(data)


def serve(context, behind, ready):
    """Run a TLS server that passes on, decrypted, what clients send to the local port `behind`.

    `context` is the server's SSLContext. `ready` is a dict with the threading.Event "is", set once
    the dict has the server's "port", its event "loop", and "over", an asyncio.Event. The server
    runs until that event is set.
    """

    async def pass_on(reader, writer):
        back, there = await asyncio.open_connection("127.0.0.1", behind)
        await asyncio.wait(
            [asyncio.create_task(pump(*ends)) for ends in ((reader, there), (back, writer))],
            return_when=asyncio.FIRST_COMPLETED,
        )
        there.close()

    async def main():
        server = await asyncio.start_server(pass_on, "127.0.0.1", 0, ssl=context)
        ready["over"], ready["loop"] = asyncio.Event(), asyncio.get_running_loop()
        ready["port"] = server.sockets[0].getsockname()[1]
        ready["is"].set()
        await ready["over"].wait()

    asyncio.run(main())


@pytest.fixture
def over_tls(proxy, tmp_path):
    """Yield the options of a client that speaks TLS to a server in front of the proxy.

    That server decrypts, so the proxy hears plain RESP. Without openssl the test is skipped, and
    fails in CI.
    """
    if not shutil.which("openssl"):
        without("there is no openssl")
    key, certificate = str(tmp_path / "key"), str(tmp_path / "certificate")
    asked = ["-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    command = ["openssl", "req", "-x509", *asked, "-keyout", key, "-out", certificate]
    subprocess.run(command, capture_output=True, check=True)
    context, ready = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), {"is": threading.Event()}
    context.load_cert_chain(certificate, key)
    thread = threading.Thread(target=serve, args=(context, proxy.port, ready))
    thread.start()
    assert ready["is"].wait(30)
    yield {**proxy.options, "port": ready["port"], "ssl": True, "ssl_cert_reqs": "none"}
    ready["loop"].call_soon_threadsafe(ready["over"].set)
    thread.join()


def test_bytes_are_those_before_encryption(over_tls, proxy):
    async def main():
        async with redis.asyncio.Redis(**over_tls) as client:
            await client.ping()
            before = proxy.settle()
            with trace() as t:
                for number in range(5):
                    await client.set(f"user:{number}", "x" * 50_000)
                    await client.get(f"user:{number}")
            return t, proxy.settle() - before

    with redis.Redis(**over_tls) as client:
        client.ping()
        before = proxy.settle()
        with trace() as t:
            for number in range(5):
                client.set(f"user:{number}", "x" * 50_000)
                client.get(f"user:{number}")
        plain = t, proxy.settle() - before
    for t, passed in (plain, asyncio.run(main())):
        assert (t.round_trips, t.bytes_sent, t.bytes_received) == (10, passed.sent, passed.received)
