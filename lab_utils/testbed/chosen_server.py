"""The server that this kernel uses, and clients of it at any distance."""

import os

import redis

from ..arguments import as_options
from ..errors import LabError
from . import guard
from .link import check_distance, distance_through, link, through
from .living import living
from .private_server import find_binary, start
from .server import Server
from .server_from_url import advice, reserve_from_url, without_password

ANSWER_S = 4  # for a server of REDIS_URL to say whether the reservation stands
CHOSEN_BY_THE_LAB = (
    "host",
    "port",
    "unix_socket_path",
    "connection_pool",
    "username",
    "password",
    "credential_provider",
)


def connect(rtt_ms: float = 0, **options) -> redis.Redis:
    """Return a client on the lab's server, `rtt_ms` milliseconds of round trip away.

    `rtt_ms` is 0 to 500, fractions allowed. At 0 there is nothing between client and server;
    beyond, the simulated link. `options` are redis-py's own, such as `decode_responses=True`, and
    go to it unchanged. The first call starts a private server, or reserves a database on the one
    that REDIS_URL names. Raises LabError with what to do if there is no server, if the options lead
    elsewhere, or if the link cannot offer that distance.
    """
    if server().reservation:
        check_reservation(server())
    try:
        return client_of(server(), rtt_ms, options)
    except redis.ConnectionError:
        if server.known().alive():
            raise
        return client_of(server(), rtt_ms, options)  # it was ending when it was first asked


def client_of(chosen, rtt_ms, options, parallel=False):
    """Return a client that has been answered; its link is set for one placement or the other."""
    check_options(chosen, options)
    check_distance(rtt_ms)
    with as_options(options, "lab.connect"):
        port = rtt_ms and link().port(chosen, rtt_ms, parallel)
        client = through(chosen, port, **options) if rtt_ms else chosen.connect(**options)
        client.ping()
    return client


def check_reservation(chosen):
    """Ask the server of REDIS_URL whether the reservation stands; give up one that it doesn't know.

    A connection can end without a word, as when a laptop slept. Raises LabError where the server
    doesn't answer.
    """
    limits = {"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, "retry": None}
    try:
        with chosen.connect(**limits) as client:
            stands = chosen.reservation.known_to(client)
    except (redis.RedisError, OSError) as error:
        shown = without_password(os.environ["REDIS_URL"])
        raise LabError(advice(type(error).__name__, str(error), shown, chosen.options)) from None
    if not stands:
        chosen.reservation.end(empty=False)


def check_options(chosen: Server, options: dict):
    """Raise LabError for options that would lead to another server or database than the lab's."""
    if leads := [name for name in CHOSEN_BY_THE_LAB if name in options]:
        raise LabError(
            f"{leads[0]}= would lead to another server than the lab's. Write lab.connect without "
            "it; or make a client of your own with redis.Redis, which the lab's helpers leave "
            "alone."
        )
    if not chosen.private and options.get("db", chosen.options["db"]) != chosen.options["db"]:
        raise LabError(
            f"db={options['db']!r} is not the database that the lab has reserved on the server of "
            f"REDIS_URL, {chosen.options['db']}, and it touches no other. Write lab.connect "
            "without db, or unset REDIS_URL."
        )


def distance_of(client) -> float | None:
    """Return the distance in ms that the lab set for a client, None for one that it doesn't know.

    It is 0 beside the server. Of a cluster's client, that of its first node.
    """
    for node in guard.nodes_of(client)[:1]:
        beside = node.connection_pool.connection_kwargs.get("port") == server().address[1]
        far_ms = distance_through(node)
        return far_ms if far_ms is not None else 0 if beside else None
    return None


@living
def server() -> Server:
    """Return the server that this kernel uses: REDIS_URL's if that is set, else a private one.

    Raises LabError, with what to do, where neither is to be had.
    """
    url = os.environ.get("REDIS_URL")
    if not url:
        return start(find_binary())
    before = server.known()
    return own_server(url, before if before and before.reservation else None)


def own_server(url: str, before: Server | None = None) -> Server:
    """Return the learner's own server, on a database that is reserved for this kernel.

    `before` is the Server on which this kernel lost its reservation, if it did. Raises LabError
    where there is no such database.
    """
    options, reservation = reserve_from_url(url, again=bool(before))
    address = options["host"], options["port"]
    found = Server(address, options, private=False, reservation=reservation)
    guard.add_reserved(found)
    if before and before.options["db"] != options["db"]:
        print(
            f"this machine: the lab goes on in database {options['db']} of that server. Number "
            f"{before.options['db']} is somebody else's by now, or holds keys, perhaps your own: "
            "the lab leaves them there."
        )
    return found
