"""A proxy that loses the reply to one command: the server has done it, the client never hears."""

import contextlib
import socket
import threading


class Lossy:
    """Listens on `port`; with `lose(nth)` the nth write from then on gets no reply, but the end."""

    def __init__(self, port):
        self.server = "127.0.0.1", port
        self.left = 0
        self.lost = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def lose(self, nth):
        self.left = nth

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, socket.create_connection(self.server) as server, contextlib.suppress(OSError):
            while asked := client.recv(1 << 20):
                server.sendall(asked)
                answered = server.recv(1 << 20)
                self.left -= self.left > 0 and b"CLIENT" not in asked and b"HELLO" not in asked
                if self.left == 0 and self.lost == 0:
                    self.lost = 1
                    return
                client.sendall(answered)

    def close(self):
        self.listener.close()
