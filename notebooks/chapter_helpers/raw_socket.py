"""Connect to the server without a client library, by a plain socket."""

import socket

import hiredis

from lab_utils.arguments import check_client
from lab_utils.errors import LabError
from lab_utils.testbed import ownership
from lab_utils.testbed.server import log_in

TIMEOUT_S = 5


def raw_socket(client) -> socket.socket:
    """Return a socket, connected to the server of `client` and logged in, in the client's database.

    `client` is a redis.Redis of the lab. Only AUTH and SELECT have been sent. The socket speaks
    RESP2, as every new connection does, and a read fails after 5 s. Raises LabError for a client
    that is not the lab's, or whose server has ended.
    """
    check_client(client, "raw_socket")
    ownership.check(client)
    options = client.connection_pool.connection_kwargs
    sock = socket.create_connection((options["host"], options["port"]), TIMEOUT_S)
    for command in log_in(options):
        sock.sendall(hiredis.pack_command(tuple(command)))
        if sock.recv(1000) != b"+OK\r\n":
            sock.close()
            raise LabError(
                "The server did not take the password of this client. Run r = lab.connect() again."
            )
    return sock
