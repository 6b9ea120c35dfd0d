"""The tap: what redis-py writes and reads while it is open, seen at the connection.

While any tap is open, three methods of redis-py's connection classes, sync and async, are replaced, once; when the last
one closes they are what they were. So a tap sees every client, pool, pipeline, script and thread, and a program that
runs without it runs plain redis-py. A timed pass is never tapped.

Which tap sees what: what happens inside a `with Tap()` block belongs to it, and so does what is done by the threads and
asyncio tasks that are started there, and by those that they start in turn. Blocks within blocks see it both. So two threads
with a tap each don't see each other. A thread that was there before and stands in no tap's block could be working for
anybody: every open tap sees it.
"""

import contextvars
import functools
import inspect
import threading
import time
import weakref
from collections import namedtuple

import redis
import redis.asyncio.connection
import redis.connection
from redis._parsers.base import _AsyncRESPBase, _RESPBase
from redis._parsers.hiredis import _AsyncHiredisParser, _HiredisParser
from redis._parsers.socket import SocketBuffer

from ..errors import LabError
from ..interrupts import restorer

# Times are seconds of time.perf_counter(); `connection` counts the connections seen from 0.
# A turn is a write followed by a wait for a reply. `handshake` marks what connecting itself costs.
Write = namedtuple("Write", "connection started ended chunks handshake")
Read = namedtuple("Read", "connection at size data handshake")
Turn = namedtuple("Turn", "connection sent replied handshake")

SYNC, ASYNC = redis.connection.AbstractConnection, redis.asyncio.connection.AbstractConnection
REPLACED = ("connect_check_health", "send_packed_command", "read_response")
# redis-py's private names that are used besides: (class, method, a name that stands in the method).
USED = (
    (SYNC, "connect_check_health", "_sock"), (SYNC, "set_parser", "_parser"),
    (ASYNC, "connect_check_health", "is_connected"), (ASYNC, "set_parser", "_parser"),
    (_HiredisParser, "on_connect", "_sock"), (_RESPBase, "on_connect", "_buffer"), (SocketBuffer, "__init__", "_sock"),
    (_AsyncHiredisParser, "on_connect", "_stream"), (_AsyncRESPBase, "on_connect", "_stream"),
)
KNOWN = "6.4 to 8.1"  # the versions of redis-py that were tried

changing = threading.RLock()  # held while redis-py is changed or put back
open_taps = ()
replaced = []  # (owner, name, original) of what was replaced
sources = []  # (holder, attribute, wrapper) of each wrapped socket or stream
blocks = contextvars.ContextVar("blocks", default=())  # the taps in whose blocks this context stands
started_in = weakref.WeakKeyDictionary()  # thread -> the taps in whose blocks it was started


class Tap:
    """Open it with `with`; then `writes`, `reads`, `turns` and `opened` hold what was seen.

    With `keep_replies` each Read carries the bytes themselves, else None. Raises LabError, before anything is changed,
    where redis-py is not one of those it knows.
    """

    def __init__(self, keep_replies=False):
        self.keep_replies = keep_replies
        self.writes, self.reads, self.turns = [], [], []
        self.opened = 0  # connections that were set up while the tap was open
        self.numbers = {}  # id of a connection -> its number
        self.kept = []  # the connections themselves, so that no id is used twice
        self.awaiting = {}  # connection number -> when its last unanswered write began
        self.connecting = set()  # numbers of connections in their handshake
        self.lock = threading.Lock()

    def __enter__(self):
        global open_taps
        with changing:
            try:
                if not open_taps:
                    replace_all()
                open_taps += (self,)
                blocks.set((*blocks_here(), self))
            except BaseException:
                self.close()
                raise
        return self

    def __exit__(self, *_):
        try:
            self.close()
        except BaseException:  # a Ctrl-C in the midst of it
            self.close()
            raise

    def close(self):
        """Closes this tap, and leaves redis-py as it was if it is the last. Closing twice does no harm."""
        global open_taps
        with changing:
            open_taps = tuple(tap for tap in open_taps if tap is not self)
            blocks.set(tuple(tap for tap in blocks.get() if tap is not self))
            if not open_taps:
                put_back()

    def number(self, connection):
        with self.lock:
            if id(connection) not in self.numbers:
                self.kept.append(connection)
                self.numbers[id(connection)] = len(self.numbers)
            return self.numbers[id(connection)]

    def connects(self, connection):
        """Notes that a connection is being set up."""
        number = self.number(connection)
        with self.lock:
            self.opened += 1
            self.connecting.add(number)

    def connected(self, connection):
        self.connecting.discard(self.number(connection))

    def wrote(self, connection, started, chunks):
        number = self.number(connection)
        self.writes.append(Write(number, started, time.perf_counter(), chunks, number in self.connecting))
        self.awaiting[number] = started

    def read(self, connection, data, size):
        number = self.number(connection)
        kept = bytes(data[:size]) if self.keep_replies else None
        self.reads.append(Read(number, time.perf_counter(), size, kept, number in self.connecting))

    def replied(self, connection):
        number = self.number(connection)
        sent = self.awaiting.pop(number, None)
        if sent is not None:
            self.turns.append(Turn(number, sent, time.perf_counter(), number in self.connecting))


@restorer
def close_all():
    """Closes whatever taps are open, after an interrupt: redis-py is as it was."""
    for tap in open_taps:
        tap.close()
    with changing:
        put_back()


def blocks_here():
    """The open taps in whose blocks this code stands, the outermost first."""
    taps = blocks.get() or started_in.get(threading.current_thread(), ())
    return tuple(tap for tap in taps if tap in open_taps)


def seeing():
    """The taps that see what happens here and now."""
    return blocks_here() or open_taps


def replace_all():
    """Puts the tapped versions in place, all or none."""
    check_redis_py()
    try:
        for owner, versions in ((SYNC, SYNC_VERSIONS), (ASYNC, ASYNC_VERSIONS), (threading.Thread, {"start": thread_start})):
            for name, version in versions.items():
                original = getattr(owner, name)
                replaced.append((owner, name, original))
                setattr(owner, name, functools.wraps(original)(version(original)))
    except BaseException:
        put_back()
        raise


def put_back():
    while replaced:
        owner, name, original = replaced[-1]
        setattr(owner, name, original)
        replaced.pop()
    while sources:
        holder, attribute, wrapper = sources[-1]
        if getattr(holder, attribute, None) is wrapper:
            setattr(holder, attribute, wrapper.inner)
        sources.pop()
    started_in.clear()


def check_redis_py():
    """Raises LabError unless redis-py has every private name that the tap replaces or uses."""
    missing = [f"{owner.__name__}.{name}" for owner in (SYNC, ASYNC) for name in REPLACED
               if not callable(getattr(owner, name, None))]
    missing += [f"{owner.__name__}.{name}" for owner, method, name in USED if name not in names_in(getattr(owner, method, None))]
    if missing:
        raise LabError(f"The lab counts inside redis-py, which it knows from version {KNOWN}. Version {redis.__version__} is "
                       f"installed and has no {missing[0]}. Run `pip install -r requirements.txt`, and restart the kernel.")


def names_in(method):
    """The names that a method's code uses; () where there is no such method."""
    code = getattr(inspect.unwrap(method), "__code__", None) if method else None
    return code.co_names if code else ()


def thread_start(original):
    def start(self):
        started_in[self] = blocks_here()
        return original(self)
    return start


def watch_source(connection, wrapper):
    """Puts a counting wrapper where the connection's parser takes its bytes from, unless there is one."""
    holder, attribute = source_of(connection)
    source = getattr(holder, attribute, None)
    if source is None or isinstance(source, Source):
        return
    with changing:
        if open_taps:
            wrapped = wrapper(source, connection)
            setattr(holder, attribute, wrapped)
            sources.append((holder, attribute, wrapped))


def source_of(connection):
    """Where a parser reads: (object, attribute). hiredis' parsers hold the socket, redis-py's own one buffers it."""
    parser = connection._parser
    if hasattr(parser, "_stream"):
        return parser, "_stream"
    buffer = getattr(parser, "_buffer", None)
    if hasattr(parser, "_sock") and not hasattr(buffer, "_sock"):
        return parser, "_sock"
    return buffer, "_sock"


# The tapped versions of redis-py's methods: each is given the original, and calls it.


def connect_check_health(original):
    def connect(self, *args, **kwargs):
        if self._sock is not None:
            return original(self, *args, **kwargs)
        taps = seeing()
        for tap in taps:
            tap.connects(self)
        try:
            return original(self, *args, **kwargs)
        finally:
            for tap in taps:
                tap.connected(self)
    return connect


def send_packed_command(original):
    def send(self, command, *args, **kwargs):
        if self._sock is None:
            self.connect_check_health(check_health=False)
        started, command = time.perf_counter(), read_once(command)
        original(self, command, *args, **kwargs)
        for tap in seeing():
            tap.wrote(self, started, chunks_of(command))
    return send


def read_response(original):
    def read(self, *args, **kwargs):
        watch_source(self, SocketSource)
        try:
            return original(self, *args, **kwargs)
        finally:
            for tap in seeing():
                tap.replied(self)
    return read


def async_connect_check_health(original):
    async def connect(self, *args, **kwargs):
        if self.is_connected:
            return await original(self, *args, **kwargs)
        taps = seeing()
        for tap in taps:
            tap.connects(self)
        try:
            return await original(self, *args, **kwargs)
        finally:
            for tap in taps:
                tap.connected(self)
    return connect


def async_send_packed_command(original):
    async def send(self, command, *args, **kwargs):
        if not self.is_connected:
            await self.connect_check_health(check_health=False)
        started, command = time.perf_counter(), read_once(command)
        await original(self, command, *args, **kwargs)
        for tap in seeing():
            tap.wrote(self, started, chunks_of(command))
    return send


def async_read_response(original):
    async def read(self, *args, **kwargs):
        watch_source(self, StreamSource)
        try:
            return await original(self, *args, **kwargs)
        finally:
            for tap in seeing():
                tap.replied(self)
    return read


SYNC_VERSIONS = dict(zip(REPLACED, (connect_check_health, send_packed_command, read_response), strict=True))
ASYNC_VERSIONS = dict(zip(REPLACED, (async_connect_check_health, async_send_packed_command, async_read_response), strict=True))


def read_once(command):
    """A packed command that may be read twice: redis-py may hand over a generator."""
    return command if isinstance(command, (str, bytes)) else list(command)


def chunks_of(command):
    return [command] if isinstance(command, (str, bytes)) else command


class Source:
    """Stands in for the socket or stream that a parser reads from, and tells the taps what came."""

    def __init__(self, inner, connection):
        self.inner, self.connection = inner, connection

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def seen(self, data, size):
        for tap in seeing():
            tap.read(self.connection, data, size)


class SocketSource(Source):
    def recv_into(self, buffer, *args):
        size = self.inner.recv_into(buffer, *args)
        self.seen(buffer, size)
        return size

    def recv(self, *args):
        data = self.inner.recv(*args)
        self.seen(data, len(data))
        return data


class StreamSource(Source):
    async def read(self, *args):
        data = await self.inner.read(*args)
        self.seen(data, len(data))
        return data

    async def readexactly(self, size):
        data = await self.inner.readexactly(size)
        self.seen(data, len(data))
        return data

    async def readline(self):
        data = await self.inner.readline()
        self.seen(data, len(data))
        return data
