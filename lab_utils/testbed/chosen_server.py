"""Choose the server that this process uses, and make clients of it at any distance."""

import os

import redis

from ..arguments import Client, Option, as_options
from ..errors import LabError
from . import ownership
from .link import check_distance, check_loss, distance_through, link, through
from .one_a_kernel import one_a_kernel
from .private_server import find_binary, start
from .server import Server
from .server_from_url import server_from_url

CHOSEN_BY_THE_LAB = (
    "host",
    "port",
    "unix_socket_path",
    "connection_pool",
    "username",
    "password",
    "credential_provider",
)


def connect(rtt_ms: float = 0, loss: float = 0, **options: Option) -> redis.Redis:
    """Return a client on the lab's server, `rtt_ms` milliseconds of round trip away.

    `rtt_ms` is 0 to 500, fractions allowed. At 0 the client connects to the server itself, else
    through the simulated link. `loss` is the share of TCP's segments, such as 0.01, that get lost
    there each way; they are sent again, later, about as Linux does. (Its tail loss probe is left
    out: it notices some losses of a burst's last segments after two round trips.) `options` are
    redis-py's own, such as `decode_responses=True`.

    The first call starts a private server, or reserves a database on the server that REDIS_URL
    names. Raises LabError, with what to do, if there is no server, if the options lead to another
    server or database, or if the link cannot offer that distance.
    """
    held = server().held
    if held and not held.stands():
        held.let_go()
    return client_of(server(), rtt_ms, options, loss=loss)


def client_of(
    chosen: Server, rtt_ms: float, options: dict, parallel: bool = False, loss: float = 0.0
) -> redis.Redis:
    """Return a client of the Server `chosen`, tried by a PING; raise LabError for wrong arguments.

    `rtt_ms` is the distance in ms, `options` a dict of redis-py's own, `loss` the share of segments
    lost each way. With `parallel` the link is calibrated for a client that has a CPU to itself, as
    in `steady(parallel=True)`.
    """
    check_options(chosen, options)
    check_distance(rtt_ms)
    check_loss(loss, rtt_ms)
    with as_options(options, "lab.connect"):
        client = (
            through(chosen, link().port(chosen, rtt_ms, parallel, loss), **options)
            if rtt_ms
            else chosen.connect(**options)
        )
        client.ping()
    return client


def check_options(chosen: Server, options: dict) -> None:
    """Raise LabError for options that would lead to another server or database than the lab's.

    `options` is a dict of redis-py's, `chosen` the lab's Server.
    """
    if leads := [name for name in CHOSEN_BY_THE_LAB if name in options]:
        raise LabError(
            f"{leads[0]}= would lead to another server than the lab's. Write lab.connect without "
            "it; or make a client of your own with redis.Redis, which the lab's helpers leave "
            "alone."
        )
    if not chosen.private and options.get("db", chosen.options["db"]) != chosen.options["db"]:
        raise LabError(
            f"db={options['db']!r} is not the database that the lab holds on the server of "
            f"REDIS_URL, {chosen.options['db']}, and it touches no other. Write lab.connect "
            "without db, or unset REDIS_URL."
        )


def distance_of(client: Client) -> float | None:
    """Return the distance in ms that the lab set for a client; None if that is not known.

    It is known for a client that uses the simulated link, and is 0 for one that connects directly
    to the server of `server`. For a RedisCluster it is that of the first node.
    """
    for node in ownership.nodes_of(client)[:1]:
        beside = node.connection_pool.connection_kwargs.get("port") == server().address[1]
        far_ms = distance_through(node)
        return far_ms if far_ms is not None else 0 if beside else None
    return None


@one_a_kernel
def server() -> Server:
    """Return the Server that this process uses: REDIS_URL's if that is set, else a private one.

    The same Server is returned as long as it is alive. Raises LabError, with what to do, if there
    is neither.
    """
    url = os.environ.get("REDIS_URL")
    if not url:
        return start(find_binary())
    found = server_from_url(url)
    ownership.add(found)
    return found
