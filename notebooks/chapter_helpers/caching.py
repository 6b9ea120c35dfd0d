"""Make clients with a client-side cache, and a connection that loses the server's messages."""

import socket
import threading

import redis
from redis.cache import CacheConfig

import lab_utils as lab


def cached_client(rtt_ms: float = 0) -> redis.Redis:
    """Return a client with redis-py's client-side cache, or without it if the server refuses it.

    `rtt_ms` is the client's distance in ms.
    """
    try:
        return lab.connect(rtt_ms, protocol=3, cache_config=CacheConfig())
    except redis.ConnectionError:
        return lab.connect(rtt_ms, protocol=3)


def forgetful_port(client: redis.Redis, silent: threading.Event) -> int:
    """Return the number of a loopback port that forwards one connection to the server of `client`.

    Once the event `silent` is set, all bytes from the server are dropped, while those to the server
    still pass. The connection stays open.
    """
    door = socket.create_server(("127.0.0.1", 0))
    options = client.get_connection_kwargs()

    def forward(source, target):
        while data := source.recv(65_536):
            if not silent.is_set():
                target.sendall(data)

    def accept():
        near = door.accept()[0]
        far = socket.create_connection((options["host"], options["port"]))
        threading.Thread(target=forward, args=(far, near), daemon=True).start()
        forward(near, far)

    threading.Thread(target=accept, daemon=True).start()
    return door.getsockname()[1]
