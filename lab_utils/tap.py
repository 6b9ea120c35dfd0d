"""The tap: everything that redis-py writes and reads while it is open, seen at the connection.

It replaces three methods of redis-py's connection classes, sync and async, and puts them back when it closes; so it
sees every client, pool, pipeline, script and thread, and a program that runs without it runs plain redis-py.
A timed pass is never tapped.
"""

import functools
import threading
import time
from collections import namedtuple

import redis.asyncio.connection
import redis.connection

# Times are seconds of time.perf_counter(); `connection` counts the connections seen from 0.
# A turn is a write followed by a wait for a reply. `handshake` marks what connecting itself costs.
Write = namedtuple("Write", "connection started ended chunks handshake")
Read = namedtuple("Read", "connection at size data handshake")
Turn = namedtuple("Turn", "connection sent replied handshake")


class Tap:
    """Open it with `with`; then `writes`, `reads`, `turns` and `opened` hold what was seen.

    With `keep_replies` each Read carries the bytes themselves, else None.
    """

    def __init__(self, keep_replies=False):
        self.keep_replies = keep_replies
        self.writes, self.reads, self.turns = [], [], []
        self.opened = 0  # connections that were set up while the tap was open
        self.numbers = {}  # id of a connection -> its number
        self.kept = []  # the connections themselves, so that no id is used twice
        self.awaiting = {}  # connection number -> when its last unanswered write began
        self.connecting = set()  # numbers of connections in their handshake
        self.sources = []  # (holder, attribute, original) of each wrapped socket or stream
        self.lock = threading.Lock()

    def __enter__(self):
        self.originals = []
        self._replace(redis.connection.AbstractConnection, sync_versions(self))
        self._replace(redis.asyncio.connection.AbstractConnection, async_versions(self))
        return self

    def __exit__(self, *_):
        for owner, name, original in reversed(self.originals):
            setattr(owner, name, original)
        for holder, attribute, source in reversed(self.sources):
            if getattr(holder, attribute, None) is source:
                setattr(holder, attribute, source.inner)

    def _replace(self, owner, make):
        for name, version in make.items():
            original = getattr(owner, name)
            self.originals.append((owner, name, original))
            setattr(owner, name, functools.wraps(original)(version(original)))

    def number(self, connection):
        with self.lock:
            if id(connection) not in self.numbers:
                self.kept.append(connection)
                self.numbers[id(connection)] = len(self.numbers)
            return self.numbers[id(connection)]

    def wrote(self, number, started, command):
        chunks = [command] if isinstance(command, (str, bytes)) else list(command)
        self.writes.append(Write(number, started, time.perf_counter(), chunks, number in self.connecting))
        self.awaiting[number] = started

    def replied(self, number):
        sent = self.awaiting.pop(number, None)
        if sent is not None:
            self.turns.append(Turn(number, sent, time.perf_counter(), number in self.connecting))

    def read(self, number, data, size):
        kept = bytes(data[:size]) if self.keep_replies else None
        self.reads.append(Read(number, time.perf_counter(), size, kept, number in self.connecting))

    def watch_source(self, connection, number, wrapper):
        """Puts a counting wrapper where the connection's parser takes its bytes from."""
        holder, attribute = source_of(connection)
        source = getattr(holder, attribute, None)
        if source is None or self in taps_of(source):
            return
        wrapped = wrapper(source, self, number)
        setattr(holder, attribute, wrapped)
        self.sources.append((holder, attribute, wrapped))


def source_of(connection):
    """Where a parser reads: (object, attribute). hiredis' parsers hold the socket, redis-py's own one buffers it."""
    parser = connection._parser
    if hasattr(parser, "_stream"):
        return parser, "_stream"
    if hasattr(parser, "_sock") and not hasattr(getattr(parser, "_buffer", None), "_sock"):
        return parser, "_sock"
    return parser._buffer, "_sock"


def taps_of(source):
    taps = []
    while isinstance(source, Source):
        taps.append(source.tap)
        source = source.inner
    return taps


def sync_versions(tap):
    def connect_check_health(original):
        def connect(self, *args, **kwargs):
            if self.is_connected:
                return original(self, *args, **kwargs)
            number = tap.number(self)
            tap.opened += 1
            tap.connecting.add(number)
            try:
                return original(self, *args, **kwargs)
            finally:
                tap.connecting.discard(number)
        return connect

    def send_packed_command(original):
        def send(self, command, *args, **kwargs):
            if not self.is_connected:
                self.connect_check_health(check_health=False)
            number, started = tap.number(self), time.perf_counter()
            command = command if isinstance(command, (str, bytes)) else list(command)  # a generator can be read once
            original(self, command, *args, **kwargs)
            tap.wrote(number, started, command)
        return send

    def read_response(original):
        def read(self, *args, **kwargs):
            number = tap.number(self)
            tap.watch_source(self, number, SocketSource)
            try:
                return original(self, *args, **kwargs)
            finally:
                tap.replied(number)
        return read

    return {"connect_check_health": connect_check_health, "send_packed_command": send_packed_command,
            "read_response": read_response}


def async_versions(tap):
    def connect_check_health(original):
        async def connect(self, *args, **kwargs):
            if self.is_connected:
                return await original(self, *args, **kwargs)
            number = tap.number(self)
            tap.opened += 1
            tap.connecting.add(number)
            try:
                return await original(self, *args, **kwargs)
            finally:
                tap.connecting.discard(number)
        return connect

    def send_packed_command(original):
        async def send(self, command, *args, **kwargs):
            if not self.is_connected:
                await self.connect_check_health(check_health=False)
            number, started = tap.number(self), time.perf_counter()
            command = command if isinstance(command, (str, bytes)) else list(command)  # a generator can be read once
            await original(self, command, *args, **kwargs)
            tap.wrote(number, started, command)
        return send

    def read_response(original):
        async def read(self, *args, **kwargs):
            number = tap.number(self)
            tap.watch_source(self, number, StreamSource)
            try:
                return await original(self, *args, **kwargs)
            finally:
                tap.replied(number)
        return read

    return {"connect_check_health": connect_check_health, "send_packed_command": send_packed_command,
            "read_response": read_response}


class Source:
    """Stands in for the socket or stream that a parser reads from, and tells the tap what came."""

    def __init__(self, inner, tap, number):
        self.inner, self.tap, self.number = inner, tap, number

    def __getattr__(self, name):
        return getattr(self.inner, name)


class SocketSource(Source):
    def recv_into(self, buffer, *args):
        size = self.inner.recv_into(buffer, *args)
        self.tap.read(self.number, buffer, size)
        return size

    def recv(self, *args):
        data = self.inner.recv(*args)
        self.tap.read(self.number, data, len(data))
        return data


class StreamSource(Source):
    async def read(self, *args):
        return self._seen(await self.inner.read(*args))

    async def readexactly(self, size):
        return self._seen(await self.inner.readexactly(size))

    async def readline(self):
        return self._seen(await self.inner.readline())

    def _seen(self, data):
        self.tap.read(self.number, data, len(data))
        return data
