"""How many bytes a connection has received, counted where its socket or stream takes them in.

A socket is given a class of its own for as long, one that counts, and then its old class again: a wrapper around it would cost a
GET on the same machine a tenth of its time. What can't be counted so (a socket of gevent's) is not counted.
"""

import asyncio
import contextlib
import socket
import weakref

PEEK = getattr(socket, "MSG_PEEK", 0)  # what is only looked at comes again
counted_sources = weakref.WeakSet()
received = {}  # id of a source -> bytes, for as long as it lives
counting_classes = {}  # class of a source -> the one that counts


class CountsSocket:
    """What a socket's class is mixed with."""

    __slots__ = ()

    def recv_into(self, *args):
        size = super().recv_into(*args)
        received[id(self)] += size
        return size

    def recv(self, size, flags=0, *args):
        data = super().recv(size, flags, *args)
        if not flags & PEEK:
            received[id(self)] += len(data)
        return data


class CountsStream:
    """What a StreamReader's class is mixed with."""

    def feed_data(self, data):
        received[id(self)] += len(data)
        return super().feed_data(data)


def count(source):
    """Begins to count what this socket or StreamReader receives, if that can be done."""
    kind = type(source)
    if kind not in counting_classes:
        mixed = CountsStream if isinstance(source, asyncio.StreamReader) else CountsSocket
        counting_classes[kind] = type(kind.__name__, (mixed, kind), {"__slots__": ()} if mixed is CountsSocket else {})
    key = id(source)
    if key not in received:
        weakref.finalize(source, received.pop, key, None).atexit = False
    received[key] = 0
    with contextlib.suppress(TypeError):  # a class with a layout of its own
        source.__class__ = counting_classes[kind]
        counted_sources.add(source)


def put_back():
    """Every socket and stream is of its own class again."""
    for source in list(counted_sources):
        source.__class__ = type(source).__mro__[2]
        counted_sources.discard(source)
    counting_classes.clear()
