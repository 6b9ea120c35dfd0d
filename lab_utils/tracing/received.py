"""How many bytes a connection has received, counted where its socket or stream takes them in.

A socket is given a class of its own for as long, one that counts, and then its old class again: a wrapper around it would cost a
GET on the same machine a tenth of its time. What can't be counted so (a socket of gevent's) is not counted.
"""

import asyncio
import contextlib
import socket
import weakref

PEEK = int(getattr(socket, "MSG_PEEK", 0))  # what is only looked at comes again; the flag itself is slow to compare
counted_sources = weakref.WeakSet()
received = {}  # id of a source -> bytes, for as long as it lives
counting_classes = {}  # class of a source -> the one that counts


def counts_socket(kind):
    """A class of sockets that counts what they take in."""
    recv_into, recv = kind.recv_into, kind.recv  # found now: a GET has no time to look for them

    class Counts(kind):
        __slots__ = ()

        def recv_into(self, *args):
            size = recv_into(self, *args)
            received[id(self)] += size
            return size

        def recv(self, size, flags=0, *args):
            data = recv(self, size, flags, *args)
            if not flags & PEEK:
                received[id(self)] += len(data)
            return data
    return Counts


def counts_stream(kind):
    """A class of StreamReaders that counts what they are fed."""
    class Counts(kind):
        def feed_data(self, data):
            received[id(self)] += len(data)
            return super().feed_data(data)
    return Counts


def count(source):
    """Begins to count what this socket or StreamReader receives, if that can be done."""
    kind = type(source)
    if kind not in counting_classes:
        counting = counts_stream(kind) if isinstance(source, asyncio.StreamReader) else counts_socket(kind)
        counting.__name__ = counting.__qualname__ = kind.__name__
        counting_classes[kind] = counting
    key = id(source)
    if key not in received:
        weakref.finalize(source, received.pop, key, None).atexit = False
    received[key] = 0
    with contextlib.suppress(TypeError):  # a class with a layout of its own
        counted_sources.add(source)  # before it is one: a Ctrl-C may come in between
        source.__class__ = counting_classes[kind]


def put_back():
    """Every socket and stream is of its own class again. A Ctrl-C may have cut this short before."""
    for source in list(counted_sources):
        if type(source) in counting_classes.values():
            source.__class__ = type(source).__base__
        counted_sources.discard(source)
    counting_classes.clear()
