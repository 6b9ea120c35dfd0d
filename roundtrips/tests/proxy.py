"""A proxy that counts for itself: commands, bytes, and how often a client wrote and then heard.

It stands between client and server, reads RESP by itself, and knows nothing of roundtrips. One
thread serves all its connections; it can cut them.
"""

from __future__ import annotations

import contextlib
import io
import os
import selectors
import socket
import threading
from dataclasses import dataclass, field, replace
from typing import Any

SET_UP = {"HELLO", "AUTH", "SELECT", "READONLY", "CLIENT"}  # what connecting sends
CONTAINERS = {"CLIENT", "SCRIPT", "CONFIG", "CLUSTER", "FUNCTION", "OBJECT", "COMMAND", "SENTINEL"}


@dataclass
class Turn:
    """What a client wrote on a connection before the next reply: one round trip.

    `names` are those of its commands, `size` its bytes.
    """

    names: list[str] = field(default_factory=list)
    size: int = 0


@dataclass
class Counts:
    """What the proxy saw: a Turn for each round trip, bytes, and the number of connections.

    `sent` is what clients sent, `received` what they received, both in bytes.
    """

    turns: list[Turn] = field(default_factory=list)
    sent: int = 0
    received: int = 0
    connections: int = 0

    def work(self, setting_up: set[str] = SET_UP) -> int:
        """Return how many turns have a command that is not in `setting_up`.

        `setting_up` has the first words of the commands that set up a connection.
        """
        return sum(is_work(turn.names, setting_up) for turn in self.turns)

    def __sub__(self, before: Counts) -> Counts:
        # Copies: on a connection that was not answered, more may be written to the last Turn.
        turns = [replace(turn, names=list(turn.names)) for turn in self.turns[len(before.turns) :]]
        return Counts(
            turns, self.sent - before.sent, self.received - before.received,
            self.connections - before.connections,
        )  # fmt: skip


def is_work(names: Any, setting_up: set[str] = SET_UP) -> bool:
    return any(name.split()[0] not in setting_up for name in names)


class Side:
    """One end of a connection through the proxy: the socket to the client, or that to the server.

    What arrives at this end is passed on to `other`, the opposite end.
    """

    def __init__(self, sock: socket.socket, is_client: bool) -> None:
        self.sock, self.is_client = sock, is_client
        self.other: Side
        self.is_new = is_client  # until it has written
        self.is_deaf = False  # it was closed, and is read on
        self.is_over = False  # nothing more comes
        self.heard = True  # of a client: whether the server said anything since it wrote
        self.turn = Turn()
        self.rest = b""  # of a command that is not whole yet


class Proxy:
    """A proxy that counts, in a `with` block: meanwhile its `port` leads to `address`.

    `address` is the (host, port) of a server. `settle` returns what was counted.
    """

    def __init__(self, address: tuple[str, int]) -> None:
        self.address = address
        self.counts = Counts()
        self.cut_to_come, self.cut_in = "", 0  # what `cut` was told
        self.refusing = 0  # connections to come that are closed when they have written
        self.asked, self.done = threading.Event(), threading.Event()
        self.ending = False

    def __enter__(self) -> Proxy:
        self.selector = selectors.DefaultSelector()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        self.waker, self.woken = os.pipe()[::-1]
        self.selector.register(self.listener, selectors.EVENT_READ, "listener")
        self.selector.register(self.woken, selectors.EVENT_READ, "woken")
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *failure: Any) -> None:
        self.ending = True
        self.settle()
        self.thread.join(30)
        for key in list(self.selector.get_map().values()):
            if isinstance(key.data, Side):
                key.data.sock.close()
        self.listener.close()
        self.selector.close()
        os.close(self.waker)
        os.close(self.woken)

    def settle(self) -> Counts:
        """Wait until all that clients wrote is counted; return a copy of the Counts so far."""
        self.done.clear()
        self.asked.set()
        os.write(self.waker, b".")
        assert self.done.wait(30), "the proxy hangs"
        return replace(self.counts, turns=self.counts.turns[:])

    def cut(self, when: str, nth: int = 1) -> None:
        """Cut a connection when clients write commands for the `nth` time from now on.

        Commands that set a connection up do not count.
        `when` is "unasked" (the server does not get the command), "asked" (it does, but no reply
        passes), "answered" (half of the reply passes), "now" (at once, and all connections), or ""
        for no cut.
        """
        self.cut_to_come, self.cut_in = when, nth
        if when == "now":
            self.settle()

    def run(self) -> None:
        while True:
            asked = self.asked.is_set()
            events = self.selector.select(0 if asked else None)
            for key, _ in events:
                if key.data == "listener":
                    self.accept()
                elif key.data == "woken":
                    os.read(self.woken, 100)
                elif key.fileobj.fileno() >= 0:  # not closed by the one before
                    self.pass_on(key.data)
            if asked and not [key for key, _ in events if key.data != "woken"]:
                if self.cut_to_come == "now":
                    self.cut_to_come = ""
                    for key in list(self.selector.get_map().values()):
                        if isinstance(key.data, Side) and not key.data.is_deaf:
                            self.close(key.data)
                self.asked.clear()
                self.done.set()
                if self.ending:
                    return

    def accept(self) -> None:
        client, _ = self.listener.accept()
        self.counts.connections += 1
        server = socket.create_connection(self.address)
        for each in (client, server):
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sides = Side(client, True), Side(server, False)
        for side, other in zip(sides, sides[::-1], strict=True):
            side.other = other
            self.selector.register(side.sock, selectors.EVENT_READ, side)

    def pass_on(self, side: Side) -> None:
        try:
            data = side.sock.recv(1 << 20)
        except OSError:
            data = b""
        if not data:
            side.is_over = True
            self.close(side)
            return
        if side.is_client:
            self.client_wrote(side, data)
            if side.is_deaf:
                return
            if self.refusing and side.is_new:
                self.refusing -= 1
                self.close(side)
                return
            side.is_new = False
        cut = self.cut_due(side)
        if cut == "answered":
            data = data[: len(data) // 2]
        if not side.is_client:
            self.counts.received += len(data)
            side.other.heard = True
        with contextlib.suppress(OSError):
            if cut != "unasked":
                side.other.sock.sendall(data)
            if cut == "asked":
                side.other.sock.recv(1 << 20)  # its reply, so that it is done
            if not cut:
                return
        self.close(side)

    def cut_due(self, side: Side) -> str:
        """Return how the connection of `side`, where something arrived, is cut now; "" if not."""
        client = side if side.is_client else side.other
        writing = {"unasked": True, "asked": True, "answered": False}.get(self.cut_to_come)
        if side.is_client != writing or not is_work(client.turn.names):
            return ""
        self.cut_in -= 1
        if self.cut_in:
            return ""
        due, self.cut_to_come = self.cut_to_come, ""
        return due

    def client_wrote(self, side: Side, data: bytes) -> None:
        self.counts.sent += len(data)
        if side.heard:
            side.turn, side.heard = Turn(), False
            self.counts.turns.append(side.turn)
        side.turn.size += len(data)
        side.rest += data
        while True:
            name, end = first_command(side.rest)
            if not end:
                return
            side.turn.names.append(name)
            side.rest = side.rest[end:]

    def close(self, side: Side) -> None:
        """Close a connection at the client's and at the server's end; `side` is either of them.

        Go on counting what the client writes before it notices.
        """
        for each in (side, side.other):
            if each.sock.fileno() < 0:
                continue
            with contextlib.suppress(OSError):
                each.sock.shutdown(socket.SHUT_WR)
            each.is_deaf = True
            if not each.is_client or each.is_over:
                self.selector.unregister(each.sock)
                each.sock.close()


def first_command(data: bytes) -> tuple[str, int]:
    """Return (name, size in bytes) of the first command in `data`, which a client wrote.

    That is ("", 0) if the command is not complete yet. The name is in capital letters, and has two
    words if the first is in CONTAINERS, as in "CONFIG GET".
    """
    source, words = io.BytesIO(data), []
    with contextlib.suppress(ValueError):  # int(b"") of a line that has not come
        for _ in range(int(source.readline()[1:])):
            size = int(source.readline()[1:])
            words.append(source.read(size).decode(errors="replace").upper())
            if source.read(2) != b"\r\n":
                return "", 0
        return " ".join(words[: 2 if words[0] in CONTAINERS else 1]), source.tell()
    return "", 0
