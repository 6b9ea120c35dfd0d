"""A connection without a client library: the bare socket, on which nothing has been said but the password."""

import socket

import hiredis

from ..arguments import check_client
from ..errors import LabError
from . import guard

TIMEOUT_S = 5


def raw_socket(client):
    """A plain `socket.socket` to where `client` is connected, logged in (AUTH) and in its database (SELECT), nothing more.

    It speaks RESP2, as every new connection does, and a read that takes longer than 5 s fails. Raises LabError for a client
    that is not the lab's, and for TLS, whose bytes say nothing.
    """
    check_client(client, "lab.raw_socket")
    guard.check(client)
    options = client.connection_pool.connection_kwargs
    if "ssl" in client.connection_pool.connection_class.__name__.lower():
        raise LabError("Over TLS there are no plain bytes to see. Unset REDIS_URL to work on the lab's own server.")
    if "path" in options:
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(TIMEOUT_S)
        sock.connect(options["path"])
    else:
        sock = socket.create_connection((options.get("host", "localhost"), options.get("port", 6379)), TIMEOUT_S)
    for command in log_in(options):
        sock.sendall(hiredis.pack_command(tuple(command)))
        if sock.recv(1000) != b"+OK\r\n":
            sock.close()
            raise LabError("The server did not take the password of this client. Restart the kernel.")
    return sock


def log_in(options):
    """The commands that a connection with these options of redis-py must send before its first own one."""
    user = [options["username"]] if options.get("username") else []
    password = [["AUTH", *user, options["password"]]] if options.get("password") else []
    return password + ([["SELECT", str(options["db"])]] if options.get("db") else [])
