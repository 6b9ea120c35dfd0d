"""Whose database is it? The one place that decides where the lab may write, and what it may empty.

The lab may write to the private servers that it started, and to the database that it has reserved
on the server which REDIS_URL names (see `reservation.py`). Every helper that is handed a client
asks here first.
"""

import redis
from redis.cluster import RedisCluster
from redis.sentinel import SentinelConnectionPool

from ..arguments import check_client
from ..errors import LabError

ENDED = (
    "The server of this client, which the lab had started for you, has ended. Start another one, "
    "as you did this one, with lab.connect(), lab.spare(), lab.replica() or lab.cluster()."
)
LOOPBACK = ("127.0.0.1", "localhost", "::1")

_private = {}  # (host, port) -> the Server that the lab started there last, alive or not
_doors = {}  # port of the link -> Server behind it
_reserved = []  # Servers of REDIS_URL on which a database is reserved


def add_private(server):
    """Add a server that the lab started."""
    _private[server.address] = server


def behind(address: tuple | None):
    """Return the Server behind a port of the link's, or of one that is no more; else None."""
    return _doors.get(address[1]) if address else None


def has_ended(address: tuple | None) -> bool:
    """Return whether a private server of the lab's stood at (host, port), and is no more."""
    known = _private.get(address)
    return known is not None and not known.alive()


def add_door(port: int, server):
    """Add a port of the link, and the server behind it."""
    _doors[port] = server


def add_reserved(server):
    """Add a server with a reserved database. Those that lost theirs are forgotten."""
    _reserved[:] = [known for known in _reserved if known.alive()] + [server]


def check(client):
    """Return the Server of the lab's on which `client` stands.

    It is a `redis.Redis` or a `RedisCluster`. Raises LabError, before anything is written, for
    everything else: a server or a database that is not the lab's, a lost reservation, a pipeline,
    no client at all. Of the nodes of a cluster it returns the first one's.
    """
    check_client(client, "The lab", cluster=True)
    places = [server_of(node) for node in nodes_of(client)]
    return places[0]


def nodes_of(client) -> list:
    """Return a client for each server behind this one: itself, or one for each node."""
    if isinstance(client, RedisCluster):
        return [client.get_redis_connection(node) for node in client.get_nodes()]
    return [client]


def server_of(client):
    """Return the Server on which a client stands, by its address or by what it says of itself."""
    options = client.connection_pool.connection_kwargs
    refuse_unknown_way(client.connection_pool)
    known = known_by_address(options)
    if known and known.private and not known.alive():
        raise LabError(ENDED)
    if known and known.private and options.get("password") == known.options["password"]:
        return known
    try:
        return reserved_of(client) or private_of(client) or refuse(options)
    except (redis.RedisError, OSError) as error:
        refuse(options, error)


def refuse_unknown_way(pool):
    """Raise LabError for a pool whose connections find their server by themselves."""
    kind, no_address = pool.connection_class, not {"host", "path"} & pool.connection_kwargs.keys()
    if isinstance(pool, SentinelConnectionPool) or (no_address and kind is not redis.Connection):
        raise LabError(
            f"The connections of this client ({kind.__name__}) find their server "
            "by themselves, so the lab can't tell where it would write. Pass a client from "
            "lab.connect() or lab.spare()."
        )


def known_by_address(options):
    if "path" in options:
        return None  # only its server can tell
    host, port = options.get("host", "localhost"), options.get("port", 6379)
    if host in LOOPBACK and (near := _doors.get(port) or _private.get(("127.0.0.1", port))):
        return near
    return next((server for server in _reserved if server.address == (host, port)), None)


def reserved_of(client):
    """Return the Server with the reserved database, if this client's next command will go there.

    The server itself is asked: another spelling of its name makes no difference, and a reservation
    that was lost shows.
    """
    here = [server for server in _reserved if server.reservation.known_to(client)]
    if here:
        database = client.client_info()["db"]
        for server in here:
            if database == server.options["db"] == database_of(client):
                return server
        raise LabError(
            f"This client works in database {database}, and the lab has reserved database "
            f"{here[0].options['db']} on this server and touches no other. Pass a client from "
            "lab.connect()."
        )
    lost = known_by_address(client.connection_pool.connection_kwargs)
    if lost and not lost.private:
        lost.reservation.refuse_lost()
    return None


def private_of(client):
    """Return the private Server with the run_id of this client's."""
    run_id = client.info("server").get("run_id")
    named = (server for server in _private.values() if run_id and server.run_id == run_id)
    return next(named, None)


def database_of(client) -> int:
    """Return the number of the database to which a client's new connections go."""
    return client.connection_pool.connection_kwargs.get("db", 0)


def admin_of(client) -> redis.Redis:
    """Return a client of the lab's own on the same server and database, past any link."""
    return server_of(client).connect(db=database_of(client), decode_responses=False)


def is_select_of_reserved(command: list) -> bool:
    """Return whether it is the SELECT of a new connection to a reserved database."""
    return any(command == [b"SELECT", b"%d" % server.options["db"]] for server in _reserved)


def refuse(options, error=None):
    """Raise LabError; `error` is what came of asking the server what it is."""
    where = options.get("path") or f"{options.get('host', 'localhost')}:{options.get('port', 6379)}"
    answered = f" Asked what it is, it answered: {error}." if error else ""
    raise LabError(
        f"The client of {where}, database {options.get('db', 0)}, does not stand on a database of "
        "the lab's, so the lab leaves it alone. Pass a client from lab.connect() or lab.spare(); "
        "or set REDIS_URL to that server, with the number of an empty database, and restart the "
        f"kernel.{answered}"
    ) from None


def empty(client):
    """Delete every key of the lab's database, so that a section starts from nothing.

    Raises LabError, and deletes nothing, where the client stands on anything but a private server
    of the lab's or the database that it has reserved on the server which REDIS_URL names.
    """
    check_client(client, "lab.empty", cluster=True)
    check(client)
    client.flushdb()
