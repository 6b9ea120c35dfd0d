"""Programs at a port that are no Redis, or one with something to say."""

import contextlib
import socketserver
import threading
import time

import hiredis


@contextlib.contextmanager
def listening(serve):
    """A port at which `serve(sock)` runs, in a thread, for each connection; its errors pass."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            with contextlib.suppress(OSError):
                serve(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def http(sock):
    sock.recv(1000)
    sock.sendall(
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"
        b"Connection: close\r\n\r\n400 Bad Request"
    )


def ssh(sock):
    sock.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n")
    sock.recv(1000)
    sock.sendall(b"Invalid SSH identification string.\r\n")


def garbage(sock):
    sock.recv(1000)
    sock.sendall(bytes(range(256)) * 100)


def promise(sock):
    """Announces two gigabytes, and sends none."""
    sock.recv(1000)
    sock.sendall(b"$2147483647\r\n")
    time.sleep(20)


def silent(sock):
    time.sleep(20)


def closing(sock):
    sock.recv(1)


NO_REDIS = {each.__name__: each for each in (http, ssh, garbage, promise, silent, closing)}


def redis_that_says(
    info="redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\n", **errors
):
    """A Redis whose INFO says `info` (bytes: the reply as it is sent).

    It answers a command named in `errors` with that error, and all others with OK.
    """
    if isinstance(info, str):
        info = b"$%d\r\n%s\r\n" % (len(info), info.encode())

    def serve(sock):
        reader = hiredis.Reader()
        while data := sock.recv(65_536):
            reader.feed(data)
            while (command := reader.gets()) is not False:
                name = command[0].decode()
                if name in errors:
                    sock.sendall(b"-%s\r\n" % errors[name].encode())
                elif name == "INFO":
                    sock.sendall(info)
                else:
                    sock.sendall(b"+OK\r\n")

    return serve
