"""Collect for lab.fingerprint what could change a result, such as versions and CPUs."""

import functools
import os
import platform
import statistics
import sys

import hiredis
import redis

from .. import notebook
from ..scale import scale
from .chosen_server import Server, connect, server
from .cpu_times import waits_are_counted
from .link import link, ping_times
from .pinning import steady

ASKED_MS = 1
PINGS = 100
# The parts of TCP that the link simulates; see `link.py`.
TCP = "slow start as Linux' cubic has it; no handshake, receiver's window, bandwidth or bbr"
BUSY = {True: "told by the kernel", False: "this system does not tell whether others disturb"}


class Fingerprint(dict):
    """{name: value}, both texts, such as {"Python": "3.13.0, with the GIL"}.

    Its repr has a line for each, which begins with `this machine:`; CI does not compare such lines.
    """

    def __repr__(self) -> str:
        width = max(len(name) for name in self)
        return "\n".join(f"this machine: {name:<{width}}  {value}" for name, value in self.items())


def fingerprint() -> Fingerprint:
    """Return the versions and settings that could change a result, as a Fingerprint.

    They are those of the server, the link, redis-py and its defaults, Python, the system, and
    LAB_SCALE. The first call connects to the lab's server, and measures the link's distance.
    """
    client = connect()
    name = os.environ.get("LAB_SCALE", "workshop")
    info = client.info()
    pool = client.connection_pool
    connection = pool.get_connection()
    pool.release(connection)
    parser = type(connection._parser).__name__.strip("_")
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return Fingerprint(
        {
            "server": server_name(dict(info)),
            "where": where(server()),
            "link": f"{ASKED_MS} ms asked, {distance_ms():.3f} measured",
            "its TCP": TCP,
            "allocator": info.get("mem_allocator", "unknown"),
            "redis-py": redis.__version__,
            "parser": f"{parser} (hiredis {hiredis.__version__})",
            "protocol": f"RESP{connection.protocol}",
            "timeout": f"{connection.socket_timeout} s",
            "retries": f"{connection.retry.get_retries()}",
            "Python": f"{platform.python_version()}, {'with' if gil else 'without'} the GIL",
            "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
            "busy": BUSY[waits_are_counted()],
            "scale": f"{name}, up to {scale().seconds:g} s a comparison",
        }
    )


def distance_ms() -> float:
    """Return by how many ms the link, set to 1 ms, lengthens a PING here, as measured."""
    with connect() as near, connect(ASKED_MS) as far, steady(server().pid, link()):
        measured = [statistics.median(ping_times(client, PINGS)) for client in (far, near)]
    return (measured[0] - measured[1]) * 1000


def where(chosen: Server) -> str:
    """Return where the server comes from: 'started by the lab, on loopback', for example.

    For the learner's own server it is 'named by REDIS_URL, database 3', with the number of the
    database that this process has reserved. `chosen` is the lab's Server.
    """
    if chosen.private:
        return "started by the lab, on loopback"
    selects = "; a new connection selects it, one round trip more" if chosen.options["db"] else ""
    return f"named by REDIS_URL, database {chosen.options['db']}{selects}"


def server_name(info: dict) -> str:
    """Return 'Redis 8.2.3' or 'Valkey 9.1.2', from a server's reply to INFO, `info`.

    Valkey also reports a redis_version, 7.2.4.
    """
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"


@functools.cache
def environment_line() -> str:
    """Return a line of versions for the small type of figures.

    An example is 'Redis 8.2.3 · redis-py 8.1.0 · Python 3.13.0 · Linux x86_64'.
    """
    info = connect().info("server")
    return (
        f"{server_name(dict(info))} · redis-py {redis.__version__} · "
        f"Python {platform.python_version()} · {platform.system()} {platform.machine()}"
    )


notebook.line = environment_line
