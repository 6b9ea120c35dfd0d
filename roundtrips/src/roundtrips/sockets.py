"""Count the bytes that a connection receives, in its socket or StreamReader.

While a counting block is open, a socket's class is replaced by a subclass that counts; afterwards
the socket gets its old class back. (A wrapper around the socket would make a GET on the same
machine a tenth slower.) A socket whose class can't be changed is not counted. The bytes of a
StreamReader are counted by a `feed_data` of its own. (If its class were replaced, it would look up
each of its attributes the slow way.)
"""

import asyncio
import contextlib
import functools
import socket
import weakref
from collections.abc import Callable
from typing import Any

from . import own_errors

# Bytes that are only peeked at will be received again. (An int: the enum is slow to compare.)
PEEK = int(getattr(socket, "MSG_PEEK", 0))

received: dict[int, int] = {}  # id of a socket or StreamReader that exists -> bytes
alive: dict[int, weakref.ref[Any]] = {}  # each calls `forget` when its socket is gone
counted_sources: weakref.WeakSet[Any] = weakref.WeakSet()
counting_classes: dict[type, type] = {}  # a class -> its subclass that counts
# Functions called with (id of a source, bytes received), of recorders that keep payloads.
listeners: list[Callable[[int, bytes], None]] = []


def counts_socket(kind: Any) -> type:
    """Return a subclass of a socket class that counts the bytes it receives, in `received`."""
    recv_into, recv = kind.recv_into, kind.recv  # looked up once, not for each GET

    class Counts(kind):  # type: ignore[misc]
        __slots__ = ()

        def recv_into(self, buffer: Any, *args: Any) -> Any:
            size = recv_into(self, buffer, *args) if args else recv_into(self, buffer)
            try:
                received[id(self)] += size
                for listener in listeners:
                    listener(id(self), bytes(buffer[:size]))
            except Exception as fault:
                own_errors.note(fault)
            return size

        def recv(self, size: int, flags: int = 0, *args: Any) -> Any:
            data = recv(self, size, flags, *args)
            try:
                if not flags & PEEK:
                    received[id(self)] += len(data)
                    for listener in listeners:
                        listener(id(self), data)
            except Exception as fault:
                own_errors.note(fault)
            return data

    return Counts


def feed_data(reader_ref: weakref.ref[Any], original: Any, data: Any) -> Any:
    """Count bytes that a StreamReader is fed, in `received`, and feed them to it.

    `count` sets this function, with its first two arguments, as an attribute of the StreamReader
    itself. So `reader_ref` is a weak reference to the StreamReader; `original` is its class's
    method.
    """
    reader: Any = reader_ref()
    try:
        received[id(reader)] += len(data)
        for listener in listeners:
            listener(id(reader), bytes(data))
    except Exception as fault:
        own_errors.note(fault)
    return original(reader, data)


def count(source: Any) -> None:
    """Begin to count, in `received`, the bytes that a socket or StreamReader receives.

    A source whose class can't be changed, and a fake server's connection, are not counted.
    """
    kind = type(source)
    is_stream = isinstance(source, asyncio.StreamReader)
    if kind in counting_classes.values() or not (is_stream or hasattr(kind, "recv_into")):
        return  # a fake server's connection, which has neither
    key = id(source)
    if key not in received:
        alive[key] = weakref.ref(source, functools.partial(forget, key))
    received[key] = 0
    if is_stream:
        counted_sources.add(source)
        source.feed_data = functools.partial(feed_data, alive[key], kind.feed_data)
        return
    if kind not in counting_classes:
        counting = counts_socket(kind)
        counting.__name__ = counting.__qualname__ = kind.__name__
        counting.__module__ = kind.__module__
        counting_classes[kind] = counting
    with contextlib.suppress(TypeError):  # a class with a layout of its own
        counted_sources.add(source)  # before its class changes: a Ctrl-C may come in between
        source.__class__ = counting_classes[kind]


def forget(key: int, _: Any) -> None:
    received.pop(key, None)
    alive.pop(key, None)


def put_back() -> None:
    """Give every socket its own class and every stream its method again.

    That is done even if an earlier call was interrupted.
    """
    for source in list(counted_sources):
        if type(source) in counting_classes.values():
            source.__class__ = type(source).__base__
        elif getattr(getattr(source, "feed_data", None), "func", None) is feed_data:
            del source.feed_data
        counted_sources.discard(source)
    counting_classes.clear()
