"""The tap: what redis-py writes and reads while it is open, seen at the connection.

While any tap is open, three methods of redis-py's connection classes, sync and async, are replaced, once; when the last
one closes they are what they were. So a tap sees every client, pool, pipeline, script and thread, and a program that
runs without it runs plain redis-py. A timed pass is never tapped. A Listener is told what happens; a Tap is one that keeps it
all, a recorder (`recorder.py`) one that counts.

Which tap sees what: what happens inside a `with Tap()` block belongs to it, and so does what is done by the threads and
asyncio tasks that are started there, and by those that they start in turn. Blocks within blocks see it both. So two threads
with a tap each don't see each other. A pool's worker that was started inside belongs, while it runs what was submitted, to the
blocks of who submitted it. A thread that was there before and stands in no tap's block could be working for anybody: every
open tap sees it.
"""

import contextvars
import functools
import inspect
import threading
import weakref
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from time import perf_counter, thread_time

import redis
import redis.asyncio.client
import redis.asyncio.cluster
import redis.asyncio.connection
import redis.connection

from ..interrupts import restorer, uninterrupted
from . import lines, received, sites
from .insides import SocketBuffer, _AsyncHiredisParser, _AsyncRESPBase, _HiredisParser, _RESPBase, refusal
from .turns import (
    MISSING,
    Besides,
    Threads,
    answer,
    answered_in_loop,
    answered_in_thread,
    beside,
    lose,
    took,
    took_alone,
    took_in_thread,
)

# Times are seconds of time.perf_counter(); `connection` counts the connections seen from 0.
# A turn is a write followed by a wait for a reply. `handshake` marks what connecting itself costs.
Write = namedtuple("Write", "connection started ended chunks handshake")
Read = namedtuple("Read", "connection at size data handshake")
Turn = namedtuple("Turn", "connection sent replied handshake")

SYNC, ASYNC = redis.connection.AbstractConnection, redis.asyncio.connection.AbstractConnection
CONNECTS = "connect_check_health" if hasattr(SYNC, "connect_check_health") else "connect"  # the latter up to redis-py 6.1
REPLACED = (CONNECTS, "send_packed_command", "read_response")
# redis-py's private names that are used besides: (class, method, a name that stands in the method).
USED = (
    (SYNC, CONNECTS, "_sock"), (SYNC, "set_parser", "_parser"),
    (ASYNC, CONNECTS, "is_connected"), (ASYNC, "set_parser", "_parser"),
    (_HiredisParser, "on_connect", "_sock"), (_RESPBase, "on_connect", "_buffer"), (SocketBuffer, "__init__", "_sock"),
    (_AsyncHiredisParser, "on_connect", "_stream"), (_AsyncRESPBase, "on_connect", "_stream"),
)

changing = threading.RLock()  # held while redis-py is changed or put back
open_taps = ()
replaced = []  # (owner, name, original) of what was replaced
# Nothing of redis-py's is kept alive: a program that drops a connection closes it, traced or not.
sources = weakref.WeakKeyDictionary()  # wrapper of a socket or stream -> (weakly, who holds it; under which name)
watched = weakref.WeakSet()  # connections on which Waits stand
finder = sites.Finder()
taps_open = False  # whether anybody listens to what comes back
WAITS = "_lab_waits"
blocks = contextvars.ContextVar("blocks", default=())  # the taps in whose blocks this context stands
started_in = weakref.WeakKeyDictionary()  # thread -> the taps in whose blocks it was started
received_bytes = received.received.get  # of a source, by its id


class Listener:
    """Something that is told what happens inside its `with` block: the base of Tap and of a recorder.

    Raises LabError, before anything is changed, where redis-py is not one of those it knows.
    """

    is_open = False
    hears_replies = True  # False for one that leaves what comes back to Waits

    def __enter__(self):
        global open_taps, taps_open
        with changing:
            try:
                if not open_taps:
                    replace_all()
                open_taps += (self,)
                taps_open = any(tap.hears_replies for tap in open_taps)
                self.is_open = True
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
        """Closes this one, and leaves redis-py as it was if it is the last. Closing twice does no harm."""
        global open_taps, taps_open
        with changing:
            self.is_open = False
            open_taps = tuple(tap for tap in open_taps if tap is not self)
            taps_open = any(tap.hears_replies for tap in open_taps)
            blocks.set(tuple(tap for tap in blocks.get() if tap is not self))
            if not open_taps:
                put_back()

    def connects(self, connection):
        """A connection is being set up."""

    def connected(self, connection):
        """It has been set up, or that failed."""

    def wrote(self, connection, started, chunks, waits):
        """Bytes were handed to the system: `chunks`, a list of them."""

    def read(self, connection, data, size):
        """`size` bytes came, the first ones of `data`."""

    def replied(self, connection, failure=None):
        """A wait for a reply ended: with one, with an error that the server replied with, or without an answer."""


class Waits:
    """What is on its way on one connection: a recorder puts its note here, and the tapped read tells it of each reply.

    It stands on the connection itself while redis-py is tapped: nothing is found faster, and nothing is kept alive.
    """

    __slots__ = ("__weakref__", "before", "connecting", "key", "notes", "numbers", "started", "stream", "thread")

    def __init__(self):
        self.notes = ()  # of each recorder that saw the last write, until all its replies are here
        self.started = None  # of that write
        self.stream = self.key = None  # the socket or StreamReader whose bytes are counted, and its id
        self.before = 0  # bytes it had received before the last write
        self.thread = None  # the one that wrote last, where it waits for the reply itself
        self.connecting = 0  # more than 0 during the handshake
        self.numbers = {}  # recorder -> the connection's number there


def waits_of(connection):
    found = connection.__dict__.get(WAITS)
    if found is None:
        with changing:
            watched.add(connection)  # first: what a Ctrl-C cuts short is put back all the same
            found = connection.__dict__[WAITS] = Waits()
    return found


class Tap(Listener):
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
        self.lock = threading.Lock()

    def __exit__(self, kind=None, *error):
        try:
            if kind and not issubclass(kind, Exception):  # a Ctrl-C
                cut_off()
        finally:
            super().__exit__(kind, *error)

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

    def wrote(self, connection, started, chunks, waits):
        number = self.number(connection)
        self.writes.append(Write(number, started, perf_counter(), chunks, number in self.connecting))
        self.awaiting[number] = started

    def read(self, connection, data, size):
        number = self.number(connection)
        kept = bytes(data[:size]) if self.keep_replies else None
        self.reads.append(Read(number, perf_counter(), size, kept, number in self.connecting))

    def replied(self, connection, failure=None):
        number = self.number(connection)
        sent = self.awaiting.pop(number, None)
        if sent is not None:
            self.turns.append(Turn(number, sent, perf_counter(), number in self.connecting))


def cut_off():
    """Closes the connections on which this thread wrote last: the reply one may wait for would be handed to the next command.

    redis-py does so itself where it is interrupted in a wait, not between writing and waiting, nor in its handshake. What is
    asyncio's goes with its task.
    """
    with uninterrupted():
        for connection in list(watched):
            if waits_of(connection).thread == get_ident():
                connection.disconnect()


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
    return tuple([tap for tap in taps if tap.is_open])


def seeing():
    """The taps that see what happens here and now."""
    return blocks_here() or open_taps


def places_of_coroutines():
    """(class, method) of redis-py's coroutines that may become tasks: where they are made is noted."""
    client, cluster = redis.asyncio.client, redis.asyncio.cluster
    return [(client.Redis, "execute_command"), (client.Pipeline, "execute"), (cluster.RedisCluster, "execute_command"),
            (cluster.ClusterPipeline, "execute")]


def replace_all():
    """Puts the tapped versions in place, all or none."""
    check_redis_py()
    Besides.seconds = 0.0
    Threads.several = False
    try:
        for owner, versions in ((SYNC, SYNC_VERSIONS), (ASYNC, ASYNC_VERSIONS),
                                (threading.Thread, {"start": thread_start, "join": thread_join}),
                                (ThreadPoolExecutor, {"submit": submits}),
                                *[(owner, {name: noting_its_place}) for owner, name in places_of_coroutines()]):
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
    for wrapper, (holder, attribute) in list(sources.items()):
        if getattr(holder(), attribute, None) is wrapper:
            setattr(holder(), attribute, wrapper.inner)
        sources.pop(wrapper, None)
    received.put_back()
    for connection in list(watched):
        connection.__dict__.pop(WAITS, None)
    watched.clear()
    started_in.clear()
    lines.forget()
    sites.started_at.clear()
    finder.forget()


def check_redis_py():
    """Raises LabError unless redis-py has every private name that the tap replaces or uses."""
    missing = [f"{owner.__name__}.{name}" for owner in (SYNC, ASYNC) for name in REPLACED
               if not callable(getattr(owner, name, None))]
    missing += [f"{owner.__name__}.{name}" for owner, method, name in USED if name not in names_in(getattr(owner, method, None))]
    if missing:
        raise refusal(missing[0])


def names_in(method):
    """The names that a method's code uses; () where there is no such method."""
    code = getattr(inspect.unwrap(method), "__code__", None) if method else None
    return code.co_names if code else ()


def thread_start(original):
    def start(self):
        if taps := blocks_here():
            Threads.several = True
        started_in[self] = taps
        cpu = thread_time()
        lines.starts(self, cpu)
        sites.started_at[self] = finder.find()
        lines.took(thread_time() - cpu)
        return original(self)
    return start


def thread_join(original):
    def join(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if not self.is_alive():
            lines.joins(self)
    return join


def submits(original):
    def submit(self, fn, /, *args, **kwargs):
        cpu = thread_time()
        taps = blocks_here()
        Threads.several = Threads.several or bool(taps)
        handed = Handed(fn, finder.find(), taps)
        lines.took(thread_time() - cpu)
        return original(self, handed, *args, **kwargs)
    return submit


class Handed:
    """A function that a thread is to call, the Site of the line that said so, and the taps in whose blocks that stands."""

    def __init__(self, function, site, taps):
        self.function, self.site, self.taps = function, site, taps

    def __call__(self, *args, **kwargs):
        # A worker that was there before was started in no block: it stays anybody's.
        token = blocks.set(self.taps) if self.taps and started_in.get(threading.current_thread()) else None
        before, sites.handed_over.site = sites.handed_over.site, self.site
        try:
            return self.function(*args, **kwargs)
        finally:
            sites.handed_over.site = before
            if token:
                blocks.reset(token)


def watch(waits, connection, stream, wrapper):
    """Sees to it that what comes on this socket or stream is counted, and told to the taps if there is one."""
    if stream is not waits.stream and stream is not None:
        with changing:
            if open_taps:
                waits.stream, waits.key = stream, id(stream)
                received.count(stream)
    if taps_open:
        watch_source(connection, wrapper)


def watch_source(connection, wrapper):
    """Puts a wrapper where the connection's parser takes its bytes from, unless there is one."""
    holder, attribute = source_of(connection)
    source = getattr(holder, attribute, None)
    if source is None or isinstance(source, Source):
        return
    with changing:
        if open_taps:
            wrapped = wrapper(source, connection)
            sources[wrapped] = weakref.ref(holder), attribute  # first, as above
            setattr(holder, attribute, wrapped)


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


def connects(original):
    def connect(self, *args, **kwargs):
        if self._sock is not None:
            return None  # as redis-py does
        with Connecting(self):
            return original(self, *args, **kwargs)
    return connect


def async_connects(original):
    async def connect(self, *args, **kwargs):
        if self.is_connected:
            return None
        with Connecting(self):
            return await original(self, *args, **kwargs)
    return connect


def noting_its_place(original):
    def execute(self, *args, **kwargs):
        started = perf_counter()
        site = finder.find()
        beside(perf_counter() - started)
        return placed(original(self, *args, **kwargs), site)
    return execute


async def placed(coroutine, site):
    """Awaits a coroutine of redis-py's that was made at `site`."""
    before = sites.called_from.set(site)
    try:
        return await coroutine
    finally:
        sites.called_from.reset(before)


class Connecting:
    """Marks a connection as being set up."""

    def __init__(self, connection):
        self.connection, self.waits, self.taps = connection, waits_of(connection), seeing()

    def __enter__(self):
        self.waits.connecting += 1
        for tap in self.taps:
            tap.connects(self.connection)

    def __exit__(self, *_):
        self.waits.connecting -= 1
        for tap in self.taps:
            tap.connected(self.connection)


def send_packed_command(original):
    def send(self, command, check_health=True):
        if self._sock is None:
            connect_now(self)
        waits = getattr(self, WAITS, None) or waits_of(self)
        if taps_open or self._sock is not waits.stream:
            watch(waits, self, self._sock, SocketSource)
        waits.before, waits.thread = received_bytes(waits.key, 0), get_ident()
        started = perf_counter()
        if type(command) not in (list, bytes):  # redis-py may hand over a generator, and it is read twice; bytes alone it refuses
            command = chunks_of(command)
        original(self, command, check_health)
        cpu = thread_time() if Threads.several else None  # alone, a thread's time is its own
        taps = blocks.get()
        for tap in taps if len(taps) == 1 and taps[0].is_open else seeing():  # as it is nearly always
            tap.wrote(self, started, command, waits)
        if cpu is not None:
            took_in_thread(waits, cpu)
        elif (notes := waits.notes) and notes[-1][MISSING] > 1:
            took_alone(notes)
    return send


def async_send_packed_command(original):
    async def send(self, command, check_health=True):
        if not self.is_connected:
            await connect_now(self)
        entered = perf_counter()
        waits = getattr(self, WAITS, None) or waits_of(self)
        if taps_open or self._reader is not waits.stream:
            watch(waits, self, self._reader, StreamSource)
        waits.before = received_bytes(waits.key, 0)
        started = perf_counter()
        if type(command) is not list:
            command = chunks_of(command)
        beside(started - entered)
        await original(self, command, check_health)
        cpu = thread_time()
        for tap in seeing():
            tap.wrote(self, started, command, waits)
        took(waits, cpu)
    return send


def read_response(original):
    def read(self, *args, **kwargs):
        waits = getattr(self, WAITS, None) or waits_of(self)
        if taps_open or self._sock is not waits.stream:
            watch(waits, self, self._sock, SocketSource)
        try:
            response = original(self, *args, **kwargs) if args or kwargs else original(self)
        except BaseException as failure:
            cpu, notes = thread_time() if Threads.several else None, waits.notes
            ended(self, waits, failure, self._sock is None)
            if cpu is not None:
                answered_in_thread(notes, cpu)
            raise
        if notes := waits.notes:
            if Threads.several:
                cpu = thread_time()
                answer(waits, response)
                answered_in_thread(notes, cpu)
            else:
                answer(waits, response)
        if taps_open:
            tell_replied(self, None)
        return response
    return read


def async_read_response(original):
    async def read(self, *args, **kwargs):
        waits = getattr(self, WAITS, None) or waits_of(self)
        if taps_open or self._reader is not waits.stream:
            watch(waits, self, self._reader, StreamSource)
        try:
            response = await original(self, *args, **kwargs)
        except BaseException as failure:
            cpu, started, notes = thread_time(), perf_counter(), waits.notes
            ended(self, waits, failure, not self.is_connected)
            answered_in_loop(notes, cpu, perf_counter() - started)
            raise
        if notes := waits.notes:
            cpu, started = thread_time(), perf_counter()
            answer(waits, response)
            answered_in_loop(notes, cpu, perf_counter() - started)
        if taps_open:
            tell_replied(self, None)
        return response
    return read


def ended(connection, waits, failure, closed):
    """A read that raised: the server's error is an answer; else there is none if the connection is lost, or none as yet."""
    if isinstance(failure, redis.ResponseError):
        answer(waits, failure=failure)
    elif closed:
        lose(waits, failure)
    if taps_open:
        tell_replied(connection, failure)


def tell_replied(connection, failure):
    for tap in seeing():
        tap.replied(connection, failure)


SYNC_VERSIONS = dict(zip(REPLACED, (connects, send_packed_command, read_response), strict=True))
ASYNC_VERSIONS = dict(zip(REPLACED, (async_connects, async_send_packed_command, async_read_response), strict=True))


def connect_now(connection):
    """What redis-py does before it writes on a connection that is not open; a coroutine where that is asynchronous."""
    return connection.connect_check_health(check_health=False) if CONNECTS == "connect_check_health" else connection.connect()


def chunks_of(command):
    """The chunks of a packed command, which redis-py may hand over as one text, one value of bytes, or several."""
    return [command] if isinstance(command, (str, bytes)) else list(command)


class Source:
    """Stands in for the socket or stream that a parser reads from, and tells the taps what came."""

    def __init__(self, inner, connection):
        self.inner, self.connection = inner, weakref.ref(connection)

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def seen(self, data, size):
        connection = self.connection()
        for tap in seeing():
            tap.read(connection, data, size)


class SocketSource(Source):
    def recv_into(self, buffer, *args):
        size = self.inner.recv_into(buffer, *args)
        self.seen(buffer, size)
        return size

    def recv(self, *args):
        data = self.inner.recv(*args)
        self.seen(data, 0 if received.PEEK in args else len(data))
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
