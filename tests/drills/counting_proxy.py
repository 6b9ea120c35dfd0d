"""A proxy that counts for itself: how often a client wrote and then heard on each connection, and the bytes each way."""

import socket
import threading
import time
from contextlib import contextmanager, suppress


class Counts:
    """`turns`: how often bytes from the client followed bytes from the server, or were the first. By connection, in order.

    `written` is what the client sent, by connection and turn.
    """

    def __init__(self):
        self.turns, self.sent, self.received, self.written = [], [], [], []
        self.lock = threading.Lock()

    @property
    def total(self):
        return sum(self.turns)


@contextmanager
def counting_proxy(address, delay=0):
    """Yields (port, Counts) of a proxy to `address` on loopback, which holds each reply back for `delay` seconds.

    With a delay, writes that follow each other at once are one turn, however quick the server is.
    """
    counts, listener, sockets = Counts(), socket.create_server(("127.0.0.1", 0)), []

    def accept():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(address)
            sockets.extend((client, server))
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with counts.lock:
                number = len(counts.turns)
                for column in (counts.turns, counts.sent, counts.received):
                    column.append(0)
                counts.written.append([])
            heard = [True]
            threading.Thread(target=there, args=(client, server, number, heard), daemon=True).start()
            threading.Thread(target=back, args=(server, client, number, heard), daemon=True).start()

    def there(client, server, number, heard):
        for data in pieces(client):
            with counts.lock:
                counts.turns[number] += heard[0]
                if heard[0]:
                    counts.written[number].append(bytearray())
                counts.written[number][-1] += data
                heard[0] = False
                counts.sent[number] += len(data)
            if not passed_on(server, data):
                break
        hang_up(server)

    def back(server, client, number, heard):
        for data in pieces(server):
            time.sleep(delay)
            with counts.lock:
                heard[0] = True
                counts.received[number] += len(data)
            if not passed_on(client, data):
                break
        hang_up(client)

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], counts
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for each in sockets:
            hang_up(each)
            each.close()
        thread.join(5)


def pieces(source):
    while True:
        try:
            data = source.recv(1 << 20)
        except OSError:
            return
        if not data:
            return
        yield data


def passed_on(target, data):
    try:
        target.sendall(data)
    except OSError:
        return False
    return True


def hang_up(target):
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
