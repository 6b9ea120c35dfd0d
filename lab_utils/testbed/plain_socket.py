"""A connection without a client library: the bare socket, on which only the password was said."""

import socket

import hiredis
import redis

from ..arguments import check_client
from ..errors import LabError
from . import guard

TIMEOUT_S = 5


def raw_socket(client) -> socket.socket:
    """Return a plain socket to where `client` is connected, logged in and in its database.

    Nothing more than AUTH and SELECT was said. It speaks RESP2, as every new connection does, and a
    read that takes longer than 5 s fails. Raises LabError for a client that is not the lab's or
    whose server has ended, and for TLS, whose bytes say nothing.
    """
    check_client(client, "raw_socket")
    guard.check(client)
    options = client.connection_pool.connection_kwargs
    if client.connection_pool.connection_class is not redis.Connection:
        raise LabError("Only plain TCP has plain bytes to see. Pass a client from lab.connect().")
    try:
        address = options.get("host", "localhost"), options.get("port", 6379)
        return logged_in(socket.create_connection(address, TIMEOUT_S), options)
    except OSError as error:
        raise LabError(
            f"The server of this client took no connection ({error}): it, or the link before it, "
            "has ended. Run r = lab.connect() again."
        ) from None


def logged_in(sock, options):
    for command in log_in(options):
        sock.sendall(hiredis.pack_command(tuple(command)))
        if sock.recv(1000) != b"+OK\r\n":
            sock.close()
            raise LabError(
                "The server did not take the password of this client. Run r = lab.connect() again."
            )
    return sock


def log_in(options: dict) -> list:
    """Return the commands that a connection with these options sends before its first own one."""
    user = [options["username"]] if options.get("username") else []
    password = [["AUTH", *user, options["password"]]] if options.get("password") else []
    return password + ([["SELECT", str(options["db"])]] if options.get("db") else [])
