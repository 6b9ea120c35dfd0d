"""Start a replica for lab.replica: a second real server, which follows a first and may replace it.

By default the first server, the primary, is started for the pair too. A replica of the lab's usual
server would disturb other cells: that server would send each write once more, keep a megabyte of
backlog for an hour after the replica is gone, and end in a drill that kills the primary.
"""

import contextlib
from collections.abc import Callable

import redis

from ..arguments import Option, as_options, check_client
from ..errors import LabError
from . import ownership, private_server
from .chosen_server import Server, check_options
from .keeper import all_or_none
from .link import check_distance, link

FOLLOWING_TIMEOUT_S = 20
NOWHERE = ("127.0.0.1", 1)  # where nobody listens
FROZEN_S = 1  # a replica that stands still notices nothing, and is not waited for


class Pair(contextlib.AbstractContextManager):
    """A primary and its replica: `primary` and `replica` are redis.Redis, at no simulated distance.

    As a context manager it ends the servers that were started for it.
    """

    def __init__(self, primary: redis.Redis, replica: redis.Redis, started: list[Server]) -> None:
        self.primary = primary
        self.replica = replica
        self._started = started  # the Servers that end with this pair: the replica's, or both

    def cut(self) -> None:
        """Cut the replica off from its primary, as if the network between them failed.

        The replica has every write that the primary acknowledged before, and gets no more. Clients
        still reach both.
        """
        with (
            ownership.check(self.primary).connect() as first,
            self._started[-1].connect() as second,
        ):
            sent = offset(first, "master_repl_offset")
            if is_up(second):
                wait_until(lambda: offset(second, "slave_repl_offset") >= sent)
        follow(self._started[-1], NOWHERE)

    def kill_primary(self) -> None:
        """Kill the primary's process, and return when the replica has noticed.

        The replica stays a replica until somebody promotes it. It still gets the bytes that the
        primary had handed to the operating system. To lose those too, as with a whole machine, call
        `cut()` first. Raises LabError for a primary that was not started for this pair.
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
            wait_until(lambda: not is_up(second))

    def stop(self) -> None:
        """End the servers that were started for this pair."""
        for server in self._started:
            server.stop()

    def __exit__(self, *_: object) -> None:
        self.stop()


def replica(primary: redis.Redis | None = None, rtt_ms: float = 0, **options: Option) -> Pair:
    """Start a replica, wait until it has its primary's data, and return the two as a Pair.

    `.primary` and `.replica` of the Pair are clients. Without `primary`, a spare server is started
    as primary; else pass a client of a server that the lab started, such as `lab.spare()` or the
    primary of another pair. `rtt_ms` milliseconds of round trip lie between the two servers, none
    between them and you. `options` are redis-py's, for the clients made here. `cut()` and
    `kill_primary()` of the Pair are the drills; a promotion is plain Redis:
    `two.replica.replicaof("NO", "ONE")`. The servers end with the Jupyter kernel, by `stop()`, or
    at the end of a `with` block. Raises LabError for a primary that the lab did not start.
    """
    if primary is not None:
        check_client(primary, "lab.replica")
        if not ownership.check(primary).private:
            raise LabError(
                "lab.replica would copy every database of this server, and only one is the lab's. "
                "Write two = lab.replica() for a pair of the lab's own, or pass a client from "
                "lab.spare()."
            )
    with all_or_none():
        first = (
            private_server.start(private_server.find_binary())
            if primary is None
            else ownership.check(primary)
        )
        started = [first] if primary is None else []
        check_distance(rtt_ms)
        check_options(first, options)
        second = private_server.start(
            private_server.find_binary(), password=first.options["password"]
        )
        started.append(second)
        follow(second, ("127.0.0.1", link().port(first, rtt_ms)) if rtt_ms else first.address)
        wait_until_following(first, second)
        with as_options(options, "lab.replica"):
            near = first.connect(**options) if primary is None else primary
            far = second.connect(**options)
            far.ping()
        return Pair(near, far, started)


def follow(server: Server, whom: tuple[str, int]) -> None:
    with server.connect() as client:
        client.execute_command("REPLICAOF", *whom)


def wait_until_following(first: Server, second: Server) -> None:
    """Wait until the Server `second` replicates the Server `first`.

    It then has all data, and gets new writes. Raises LabError after 20 s.
    """
    with first.connect() as one, second.connect() as other:
        wait_until(lambda: is_up(other))
        # Redis 7.0 calls a new replica online and sends it nothing before its first
        # acknowledgement, up to a second later.
        one.publish("redis-round-trip-lab", "")  # is sent to replicas, and changes no key
        sent = offset(one, "master_repl_offset")
        wait_until(lambda: offset(other, "slave_repl_offset") >= sent)


def is_up(second: redis.Redis) -> bool:
    return second.info("replication").get("master_link_status") == "up"


def offset(client: redis.Redis, name: str) -> int:
    """Return how many bytes of replication a server has sent or received, from its reply to INFO.

    `name` is the field's: "master_repl_offset" or "slave_repl_offset". Returns 0 without that
    field.
    """
    return client.info("replication").get(name, 0)


def wait_until(condition: Callable[[], object]) -> None:
    private_server.wait_until(
        condition, FOLLOWING_TIMEOUT_S, "The replica did not catch up with its primary"
    )
