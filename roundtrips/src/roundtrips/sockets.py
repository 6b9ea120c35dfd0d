"""How many bytes a connection has received, counted where its socket or stream takes them in.

A socket is given a class of its own for as long, one that counts, and then its old class again: a
wrapper around it would cost a GET on the same machine a tenth of its time. What can't be given
another class is not counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import socket
import weakref
from collections.abc import Callable
from typing import Any

from . import faults

# What is only looked at comes again. (The flag itself is slow to compare.)
PEEK = int(getattr(socket, "MSG_PEEK", 0))

received: dict[int, int] = {}  # id of a source -> bytes, for as long as it lives
alive: dict[int, weakref.ref[Any]] = {}  # what tells that a source is gone
counted_sources: weakref.WeakSet[Any] = weakref.WeakSet()
counting_classes: dict[type, type] = {}  # class of a source -> the one that counts
# Functions that are told (id of a source, the bytes that came): recorders that keep payloads.
listeners: list[Callable[[int, bytes], None]] = []


def tell(key: int, data: bytes) -> None:
    for listener in listeners:
        listener(key, data)


def counts_socket(kind: Any) -> type:
    """Return a class of sockets that counts what they take in."""
    recv_into, recv = kind.recv_into, kind.recv  # found now: a GET has no time to look for them

    class Counts(kind):  # type: ignore[misc]
        __slots__ = ()

        def recv_into(self, buffer: Any, *args: Any) -> Any:
            size = recv_into(self, buffer, *args) if args else recv_into(self, buffer)
            try:
                received[id(self)] += size
                if listeners:
                    tell(id(self), bytes(buffer[:size]))
            except Exception as fault:
                faults.note(fault)
            return size

        def recv(self, size: int, flags: int = 0, *args: Any) -> Any:
            data = recv(self, size, flags, *args)
            try:
                if not flags & PEEK:
                    received[id(self)] += len(data)
                    if listeners:
                        tell(id(self), data)
            except Exception as fault:
                faults.note(fault)
            return data

    return Counts


def counts_stream(kind: Any) -> type:
    """Return a class of StreamReaders that counts what they are fed."""
    feed_data = kind.feed_data

    class Counts(kind):  # type: ignore[misc]
        def feed_data(self, data: Any) -> Any:
            try:
                received[id(self)] += len(data)
                if listeners:
                    tell(id(self), bytes(data))
            except Exception as fault:
                faults.note(fault)
            return feed_data(self, data)

    return Counts


def count(source: Any) -> None:
    """Begin to count what this socket or StreamReader receives, if that can be done."""
    kind = type(source)
    is_stream = isinstance(source, asyncio.StreamReader)
    if kind in counting_classes.values() or not (is_stream or hasattr(kind, "recv_into")):
        return  # a make-believe server has neither
    if kind not in counting_classes:
        counting = counts_stream(kind) if is_stream else counts_socket(kind)
        counting.__name__ = counting.__qualname__ = kind.__name__
        counting.__module__ = kind.__module__
        counting_classes[kind] = counting
    key = id(source)
    if key not in received:
        alive[key] = weakref.ref(source, functools.partial(gone, key))
    received[key] = 0
    with contextlib.suppress(TypeError):  # a class with a layout of its own
        counted_sources.add(source)  # before it is one: a Ctrl-C may come in between
        source.__class__ = counting_classes[kind]


def gone(key: int, _: Any) -> None:
    received.pop(key, None)
    alive.pop(key, None)


def put_back() -> None:
    """Give every socket and stream its own class again. A Ctrl-C may have cut this short before."""
    if counting_classes:
        for source in list(counted_sources):
            if type(source) in counting_classes.values():
                source.__class__ = type(source).__base__
            counted_sources.discard(source)
        counting_classes.clear()
