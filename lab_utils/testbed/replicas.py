"""A replica: a second real server that follows a first one, and may take its place.

By default the first one, the primary, is started for it too. On the kernel's own server a replica
would be in the way: each write goes out once more, a megabyte of backlog stays in its memory for an
hour after the replica is gone, and a drill that kills the primary would take every other cell's
server with it.
"""

import contextlib
import socket

import redis

from ..arguments import as_options, check_client
from ..errors import LabError
from ..interrupts import uninterrupted
from . import guard, private_server
from .chosen_server import check_options
from .keeper import all_or_none
from .link import check_distance, link
from .private_server import find_binary, start

FOLLOWING_TIMEOUT_S = 20
FROZEN_S = 1  # a replica that stands still notices nothing, and is not waited for


class Pair(contextlib.AbstractContextManager):
    """A primary and its replica: `primary` and `replica` are plain clients, nothing in between."""

    def __init__(self, primary, replica, started, rtt_ms):
        self.primary, self.replica = primary, replica
        self._started = started  # the Servers that end with this pair: the replica's, or both
        self._rtt_ms = rtt_ms
        self._nowhere = socket.socket()  # a port at which nobody listens, held so that nobody will
        self._nowhere.bind(("127.0.0.1", 0))

    def cut(self):
        """Let nothing more that the primary does get to the replica, as when the network fails.

        Nothing that was sent before is lost: what the primary acknowledged so far, the replica has.
        Clients still reach both.
        """
        self.wait_until_level()
        follow(self._started[-1], self._nowhere.getsockname())

    def heal(self):
        """Let the replica follow its primary again, and return when it has caught up.

        One that was promoted meanwhile becomes a replica again, and loses what was written to it.
        """
        first = guard.check(self.primary)
        follow(self._started[-1], address(first, self._rtt_ms))
        wait_until_following(first, self._started[-1])

    def kill_primary(self):
        """Kill the primary's process, and return when the replica has noticed.

        The replica goes on waiting until somebody promotes it. What the process had handed to the
        system still arrives. For a machine that is lost with all that it held, `cut()` first.
        """
        if len(self._started) < 2:
            raise LabError(
                "This replica was started beside a server that others use, so it does not kill "
                "that. Write two = lab.replica() for a pair whose primary may be killed."
            )
        self._started[0].stop()
        with (
            contextlib.suppress(redis.TimeoutError),
            self._started[-1].connect(socket_timeout=FROZEN_S, retry=None) as second,
        ):
            wait_until(lambda: second.info("replication").get("master_link_status") != "up")

    def stop(self):
        """End the servers that were started for this pair."""
        with uninterrupted():
            for server in self._started:
                server.stop()
            self._nowhere.close()

    def __exit__(self, *_):
        self.stop()

    def wait_until_level(self):
        """Wait until the replica has all that was sent so far, unless it follows nobody."""
        with guard.check(self.primary).connect() as first, self._started[-1].connect() as second:
            sent = offset(first, "master_repl_offset")
            if second.info("replication").get("master_link_status") == "up":
                wait_until(lambda: offset(second, "slave_repl_offset") >= sent)


def replica(primary=None, rtt_ms: float = 0, **options) -> Pair:
    """Start a replica, wait until it has its primary's data, and return the two as a Pair.

    `.primary` and `.replica` are clients. Without `primary`, a spare one is started first; else it
    is a client of a server that the lab started, such as `lab.spare()` or the primary of another
    pair. `rtt_ms` milliseconds of round trip lie between the two servers, none between them and
    you. `options` go to redis-py, for the clients made here. `cut()`, `heal()` and `kill_primary()`
    are the drills; a promotion is plain Redis: `two.replica.replicaof("NO", "ONE")`. Both end with
    the kernel, by `stop()`, or at the end of a `with` block. Raises LabError for a primary that is
    not the lab's own to copy.
    """
    if primary is not None:
        check_primary(primary)
    with all_or_none():
        started = [] if primary is not None else [start(find_binary())]
        first = started[0] if started else guard.check(primary)
        check_distance(rtt_ms)
        check_options(first, options)
        started.append(start(find_binary(), password=first.options["password"]))
        follow(started[-1], address(first, rtt_ms))
        wait_until_following(first, started[-1])
        with as_options(options, "lab.replica"):
            near = started[0].connect(**options) if primary is None else primary
            far = started[-1].connect(**options)
            far.ping()
        return Pair(near, far, started, rtt_ms)


def check_primary(client):
    """Raise LabError unless `client` stands on a server that may have a replica of the lab's."""
    check_client(client, "lab.replica")
    if not guard.check(client).private:
        raise LabError(
            "lab.replica would copy every database of this server, and only one is the lab's. "
            "Write two = lab.replica() for a pair of the lab's own, or pass a client from "
            "lab.spare()."
        )


def address(server, rtt_ms):
    return ("127.0.0.1", link().port(server, rtt_ms)) if rtt_ms else server.address


def follow(server, whom):
    with server.connect() as client:
        client.execute_command("REPLICAOF", *whom)


def wait_until_following(first, second):
    """Wait until the one server has the other's data, and is sent each further write."""
    with first.connect() as one, second.connect() as other:
        wait_until(lambda: follows(one, other, second.address[1]))
        # Redis 7.0 calls a new replica online and sends it nothing before its first
        # acknowledgement, up to a second later.
        one.publish("redis-round-trip-lab", "")  # is sent to replicas, and changes no key
        sent = offset(one, "master_repl_offset")
        wait_until(lambda: offset(other, "slave_repl_offset") >= sent)


def follows(one, other, port):
    known = [each for each in one.info("replication").values() if isinstance(each, dict)]
    online = any(each["port"] == port and each["state"] == "online" for each in known)
    return online and other.info("replication").get("master_link_status") == "up"


def offset(client, name):
    """Return how many bytes of writes a server has sent, or has got from its primary."""
    return client.info("replication").get(name, 0)


def wait_until(condition):
    late = "The replica did not catch up with its primary"
    private_server.wait_until(condition, FOLLOWING_TIMEOUT_S, late)
