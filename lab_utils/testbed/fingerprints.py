"""What this lab runs on: everything that could change a result, in a few lines."""

import functools
import os
import platform
import statistics
import sys

import hiredis
import redis

from .. import setting
from ..errors import LabError
from ..scale import scale
from .chosen_server import connect, server
from .evidence import is_told
from .link import link, ping_times
from .pinning import steady

ASKED_MS, PINGS = 1, 100
BUSY = {True: "told by the kernel", False: "this system does not tell whether others disturb"}


class Fingerprint(dict):
    """What was found, by name; shown one a line, marked as this machine's: not compared in CI."""

    def __repr__(self):
        width = max(len(name) for name in self)
        return "\n".join(f"this machine: {name:<{width}}  {value}" for name, value in self.items())


def fingerprint() -> Fingerprint:
    """Return the server, the client's defaults that change results, machine and settings."""
    client, name = connect(), os.environ.get("LAB_SCALE", "workshop")
    info = client.info()
    pool = client.connection_pool
    connection = pool.get_connection()
    pool.release(connection)
    parser = type(connection._parser).__name__.strip("_")
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    return Fingerprint(
        {
            "server": server_name(info),
            "where": where(server()),
            "link": link_error(),
            "allocator": info.get("mem_allocator", "unknown"),
            "redis-py": redis.__version__,
            "parser": f"{parser} (hiredis {hiredis.__version__})",
            "protocol": f"RESP{connection.protocol}",
            "timeout": f"{connection.socket_timeout} s",
            "retries": f"{connection.retry.get_retries()}",
            "Python": f"{platform.python_version()}, {'with' if gil else 'without'} the GIL",
            "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
            "busy": BUSY[is_told()],
            "scale": f"{name}, up to {scale().seconds:g} s a comparison",
        }
    )


def link_error() -> str:
    """Return '1 ms asked, 1.004 measured': how much longer a PING takes through the link."""
    try:
        return f"{ASKED_MS} ms asked, {distance_ms():.3f} measured"
    except LabError as error:
        return f"none: {error}"


def distance_ms() -> float:
    """Measure what a distance of 1 ms is in truth, in ms."""
    with connect() as near, connect(ASKED_MS) as far, steady(server().pid, link()):
        measured = [statistics.median(ping_times(client, PINGS)) for client in (far, near)]
    return (measured[0] - measured[1]) * 1000


def where(chosen) -> str:
    """Say whose server it is; on somebody's own, which database is this kernel's."""
    if chosen.private:
        return "started by the lab, on loopback"
    database = chosen.options["db"]
    return f"named by REDIS_URL, database {database}; a new connection's SELECT is in no count"


def server_name(info: dict) -> str:
    """Return 'Redis 8.2.3', or 'Valkey 9.1.2', which calls itself Redis 7.2.4 for compatibility."""
    if "valkey_version" in info:
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"


@setting.tells
@functools.cache
def environment_line() -> str:
    """Return 'Redis 8.2.3 · redis-py 8.1.0 · Python 3.13.0 · Linux x86_64', for a figure."""
    info = connect().info("server")
    return (
        f"{server_name(info)} · redis-py {redis.__version__} · Python {platform.python_version()} "
        f"· {platform.system()} {platform.machine()}"
    )
