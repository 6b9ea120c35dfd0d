"""Decide on which server and database the lab may write, and which ones it may empty.

The lab may write to the private servers that it started, and to the database that it has reserved
on REDIS_URL's server (see `held_database`). Both are recognized by their address. Every helper that
gets a client calls `check` first.
"""

from typing import Any

import redis
from redis.cluster import RedisCluster

from ..arguments import Client, check_client
from ..errors import LabError
from .held_database import LOST
from .server import Server

ENDED = (
    "The server of this client, which the lab had started for you, has ended. Start another one, "
    "as you did this one, with lab.connect(), lab.spare(), lab.replica() or lab.cluster()."
)
LOOPBACK = "127.0.0.1"  # what "localhost" leads to may be another server
GONE = (
    "The simulated link has ended. Run lab.connect(rtt_ms=1) again: it starts another, and returns "
    "a client of it."
)
# (host, port), or (a Unix socket's path, None) -> the Server that stood there last, alive or not
_servers: dict[tuple[str | None, int | None], Server] = {}
_links: dict[int, tuple[Server, Any]] = {}  # port of a link -> (the Server behind it, the Link)


def add(server: Server, socket_path: str | None = None) -> None:
    """Register a server to which the lab may write, by its address.

    With `socket_path` only the path of its Unix socket is registered, not its address.
    """
    _servers[(socket_path, None) if socket_path else server.address] = server


def add_link(port: int, server: Server, link: Any) -> None:
    _links[port] = server, link


def check(client: Client) -> Server:
    """Return the lab's Server to which `client` connects; for a cluster, that of the first node.

    Raises LabError, before anything is written, for a server or a database that is not the lab's, a
    server that has ended, a database that is no longer reserved, a pipeline, and anything that is
    not a client.
    """
    check_client(client, "The lab", cluster=True)
    servers = []
    for node in nodes_of(client):
        server = server_of(node)
        if server.private and not server.alive():
            raise LabError(ENDED)
        if server.held:
            check_held(server, node)
        servers.append(server)
    return servers[0]


def check_held(server: Server, client: redis.Redis) -> None:
    """Raise LabError unless the lab still holds its database on `server`, and `client` uses it.

    `server` is the learner's own Server, on which the lab has reserved a database. SELECT may have
    switched the client to another one, so the server is asked which database the client uses.
    """
    try:
        if server.held and server.held.stands():
            database = client.client_info()["db"]
            if database == server.options["db"]:
                return
            raise wrong_database(server, database)
    except (redis.RedisError, OSError):
        pass
    raise LabError(LOST)


def wrong_database(server: Server, database: object) -> LabError:
    return LabError(
        f"This client works in database {database}, and the lab holds database "
        f"{server.options['db']} on this server and touches no other. Pass a client from "
        "lab.connect()."
    )


def nodes_of(client: Client) -> list[redis.Redis]:
    """Return a list of clients, one for each server behind `client`.

    The list is [client], or for a cluster's client has one redis.Redis for each node.
    """
    if isinstance(client, RedisCluster):
        return [client.get_redis_connection(node) for node in client.get_nodes()]
    return [client]


def server_of(client: redis.Redis) -> Server:
    """Return the lab's Server at the address of a redis.Redis; raise LabError if there is none.

    LabError is also raised if the client selects a database there that the lab has not reserved.
    """
    options = client.connection_pool.connection_kwargs
    server = at(options.get("host") or options.get("path"), options.get("port"))
    if not server:
        raise LabError(
            f"The client of {shown(options)} does not stand on a database of the lab's, so the lab "
            "leaves it alone. Pass a client from lab.connect() or lab.spare(); or set REDIS_URL to "
            "that server, with the number of an empty database, and restart the kernel."
        )
    if server.held and database_of(client) != server.options["db"]:
        raise wrong_database(server, database_of(client))
    return server


def at(host: str | None, port: int | None) -> Server | None:
    """Return the lab's Server at an address, or behind a port of the link; None if there is none.

    `host` and `port` are those of a client; for a Unix socket they are its path and None. Raises
    LabError if the port is the link's and the link has ended.
    """
    if (host, port) in _servers or host != LOOPBACK or port not in _links:
        return _servers.get((host, port))
    server, link = _links[port]
    if not link.alive():
        raise LabError(GONE)
    return server


def shown(options: dict) -> str:
    where = options.get("path") or f"{options.get('host', '?')}:{options.get('port', 6379)}"
    return f"{where}, database {options.get('db', 0)},"


def database_of(client: redis.Redis) -> int:
    return client.connection_pool.connection_kwargs.get("db", 0)


def admin_of(client: redis.Redis) -> redis.Redis:
    """Return a new redis.Redis on the same server and database as `client`, without any link."""
    return server_of(client).connect(db=database_of(client), decode_responses=False)


def empty(client: Client) -> None:
    """Delete every key of the lab's database that `client` uses.

    Raises LabError, and deletes nothing, if the client is neither on a private server of the lab's
    nor on the database that the lab has reserved on REDIS_URL's server.
    """
    check_client(client, "lab.empty", cluster=True)
    server = check(client)
    if server.held:
        server.held.empty()
    else:
        client.flushdb()
