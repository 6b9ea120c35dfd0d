"""Replace methods of redis-py while a counting block is open; only this module does so.

While any Recorder is open, methods of redis-py's connection, client and pipeline classes, sync and
async, are replaced, once; when the last Recorder closes they are restored. So every client, pool,
pipeline, script and thread is counted, and a program outside a counting block runs plain redis-py.
Only this module knows redis-py's private names.

An error of this package must not reach the program: what the replaced methods do besides calling
the original is run by `own_errors.fenced`, or in a `try` of its own where that must be fast. An
error is stored with the open Recorders.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import get_ident
from time import perf_counter
from types import FunctionType, MethodType
from typing import Any

import redis
import redis.asyncio.client
import redis.asyncio.cluster
import redis.asyncio.connection
import redis.client
import redis.cluster
import redis.connection

from . import blocks, callsites, children, config, notes, own_errors, ownership, sockets
from .blocks import Block, listeners_here
from .errors import RoundTripsError
from .notes import State
from .own_errors import fenced
from .resp import in_bytes

KNOWN = "5.0 to 8.1"  # the versions of redis-py that were tried
SYNC: Any = redis.connection.AbstractConnection
ASYNC: Any = redis.asyncio.connection.AbstractConnection
PIPELINE: Any = redis.client.Pipeline
ASYNC_PIPELINE: Any = redis.asyncio.client.Pipeline
# What opens a connection, and what redis-py gives it before it writes on a closed one.
CONNECTS, BEFORE_WRITING = "connect_check_health", {"check_health": False}
if not hasattr(SYNC, CONNECTS):  # up to 6.1
    CONNECTS, BEFORE_WRITING = "connect", {}
# Private names that are used but not replaced: (class, method, a name in its code).
USED = (
    (SYNC, CONNECTS, "_sock"),
    (ASYNC, CONNECTS, "is_connected"),
    (ASYNC, "disconnect", "_reader"),
)
# What redis-py raises for an error that the server replied with.
ERROR_REPLIES = (redis.ResponseError, redis.AuthenticationError, redis.BusyLoadingError)
COPIES = tuple(
    f"{one}{part}.connection" for one in ("redis", "valkey") for part in ("", ".asyncio")
)
OTHERS = {"redis": "redis-py, which was loaded a second time", "valkey": "valkey-py"}
STATE = "_roundtrips"  # the attribute of a connection
KEPT_RAW = 4_000  # bytes: a single command of up to this size is read when somebody asks

changing = threading.RLock()  # held while redis-py is changed
open_recorders: tuple[Block, ...] = ()
some_are_inside = False  # whether one of them was opened in another's block
INHERITED = object()  # the original where a class has none of its own
replaced: list[tuple[Any, str, Any, Any]] = []  # (owner, name, original, replacement)
# Weak: a connection that the program drops must be closed at once, as without a block.
watched: weakref.WeakSet[Any] = weakref.WeakSet()  # connections on which a State stands
received_bytes = sockets.received.get  # by the id of a socket or stream


def state_of(connection: Any) -> State:
    """Return this package's State of a connection; attach a new one if it has none."""
    state: State | None = connection.__dict__.get(STATE)
    if state is None:
        with changing:
            watched.add(connection)  # first, so that put_back() finds it even after a Ctrl-C here
            state = connection.__dict__[STATE] = State()
    return state


# Opening and closing


def renew_locks() -> None:
    """Make new locks in a forked process.

    The old ones may be held by a thread that does not exist in the new process.
    """
    global changing
    changing = threading.RLock()
    for each in open_recorders:
        each.sorting = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)


def tell(recorders: Iterable[Block]) -> None:
    """Set the open Recorders: writes, replies and this package's errors are reported to them."""
    global open_recorders, some_are_inside
    open_recorders = tuple(recorders)
    some_are_inside = any(each.above for each in open_recorders)
    blocks.of_process = tuple(each for each in open_recorders if each.process)
    own_errors.lists = tuple(each.faults for each in open_recorders)


def open_recorder(new: Block) -> None:
    """Add a Recorder to the open ones; the first one replaces redis-py's methods.

    Raises RoundTripsError for an unknown version of redis-py.
    """
    with changing:
        if not open_recorders:
            replace_all()
        try:
            if not new.process:
                new.above = blocks.blocks_here()
            tell((*open_recorders, new))
            new.is_open = True
            if not new.process:
                blocks.blocks.set((*new.above, new))
        except BaseException:
            close_recorder(new)
            raise


def close_recorder(old: Block) -> None:
    """Remove a Recorder from the open ones; the last one restores redis-py.

    A second call does nothing.
    """
    with changing:
        old.is_open = False
        old.above = ()
        tell(each for each in open_recorders if each is not old)
        taken = blocks.blocks.get()
        if taken and old in taken:
            blocks.blocks.set(tuple(each for each in taken if each is not old))
        if not open_recorders:
            try:
                put_back()
            except Exception as fault:
                old.faults.append(fault)


def close_all() -> None:
    """Close all open Recorders and restore redis-py, as after an interrupt."""
    for each in open_recorders:
        each.close()
    with changing:
        put_back()


def replacements() -> Iterator[children.Replacement]:
    """Yield (class or module, attribute, function that makes a replacement from the original).

    Every supported version of redis-py has these attributes.
    """
    yield from children.replacements()
    yield SYNC, CONNECTS, make_connect
    yield SYNC, "pack_commands", make_pack
    yield SYNC, "send_packed_command", make_send
    yield SYNC, "read_response", make_read
    yield SYNC, "can_read", make_can_read
    yield ASYNC, CONNECTS, make_async_connect
    yield ASYNC, "pack_commands", make_pack
    yield ASYNC, "send_packed_command", make_async_send
    yield ASYNC, "read_response", make_async_read
    for name in ("_execute_pipeline", "_execute_transaction"):
        yield PIPELINE, name, make_execute
        yield ASYNC_PIPELINE, name, make_async_execute
    yield redis.asyncio.client.Redis, "execute_command", make_coroutine_function
    yield ASYNC_PIPELINE, "execute", make_coroutine_function
    yield redis.asyncio.cluster.RedisCluster, "execute_command", make_coroutine_function
    yield redis.asyncio.cluster.ClusterPipeline, "execute", make_coroutine_function
    yield redis.asyncio.cluster.ClusterNode, "execute_pipeline", make_coroutine_function
    # (gevent puts a subclass in the place of the class.)
    starts = next(each for each in threading.Thread.__mro__ if "start" in each.__dict__)
    yield starts, "start", blocks.make_thread_start
    yield ThreadPoolExecutor, "submit", blocks.make_submit
    yield Future, "add_done_callback", blocks.make_submit


def more_replacements() -> Iterator[children.Replacement]:
    """Yield (class or module, attribute, function that makes a replacement from the original).

    These attributes may be missing: finalisers that send commands, the send method of other copies
    of redis-py, and the executor of asgiref.
    """
    for owner in (PIPELINE, redis.cluster.ClusterPipeline):
        if "__del__" in owner.__dict__:
            yield owner, "__del__", blocks.make_finaliser
    for name, owner in copies():
        yield owner, "send_packed_command", make_noted(name)
    # Django's: it runs what an async view hands over in the thread that waits for the view.
    executors = sys.modules.get("asgiref.current_thread_executor")
    if executors is not None:
        yield executors.CurrentThreadExecutor, "submit", blocks.make_submit


def copies() -> list[tuple[str, Any]]:
    """Return [(name, connection class)] for each other copy of redis-py, and of its fork valkey-py.

    Such a copy may be vendored inside an application, or imported a second time. Redis-py itself is
    not in the list.
    """
    found = []
    # All names as one text, since there may be thousands of modules, and a block for each request.
    *ends, _ = "\n".join([*sys.modules, ""]).split(".connection\n")
    for end in ends:
        name = end[end.rfind("\n") + 1 :] + ".connection"
        if name.endswith(COPIES):
            owner = getattr(sys.modules.get(name), "AbstractConnection", None)
            if owner is not None and owner not in (SYNC, ASYNC):
                first = name.removesuffix(".connection").removesuffix(".asyncio")
                found.append((OTHERS.get(first, f"another copy of redis-py ({first})"), owner))
    return found


def copies_unwatched() -> list[str]:
    """Return a list of texts, one for each copy of redis-py loaded while a counting block was open.

    A copy is one vendored inside an application, a second import, or valkey-py. Its round trips
    were not counted, if it was used. The list also names redis-py itself if its modules had been
    loaded again before this package was imported.
    """
    # If they were loaded again before this module was imported, the clients use the old classes.
    reloaded = any(
        vars(clients)["ConnectionPool"] is not connections.ConnectionPool
        for clients, connections in (
            (redis.client, redis.connection),
            (redis.asyncio.client, redis.asyncio.connection),
        )
    )
    return [OTHERS["redis"]] * reloaded + [
        f"{name}, used or not: it was loaded while the block was open"
        for name, owner in copies()
        if owner not in [watched_class for watched_class, *_ in replaced]
    ]


def replace_own_methods(kind: Any, owner: Any) -> None:
    """Replace the methods by which a connection class writes and reads, if it has its own.

    `kind` is the class, and `owner` redis-py's base class of it. Such methods are those of
    fakeredis' classes, for instance, or a method that a monitoring tool has wrapped. If such a
    method calls redis-py's own method, the call is counted only there.
    """
    for name, make in OWN_METHODS[owner]:
        if not is_replaced(kind, name) and method_of(kind, name) is not owner.__dict__[name]:
            method = method_of(kind, name)
            replacement = functools.wraps(method)(make(bound_late(method)))
            replaced.append((kind, name, kind.__dict__.get(name, INHERITED), replacement))
            setattr(kind, name, replacement)


def method_of(kind: Any, name: str) -> Any:
    """Return the method `name` of a class as stored in the class or in a base class.

    It is not bound, since a wrapper may do its own binding.
    """
    return next(each.__dict__[name] for each in kind.__mro__ if name in each.__dict__)


def is_replaced(kind: Any, name: str) -> bool:
    """Return whether a class's method is one of our replacements, or wraps one.

    `kind` is the class, `name` the method's name.
    """
    method = method_of(kind, name)
    while method is not None and not any(each[3] is method for each in replaced):
        method = getattr(method, "__wrapped__", None)
    return method is not None


def bound_late(method: Any) -> Any:
    """Return a function that binds `method` to its first argument and calls it, as Python would."""

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(method, "__get__"):  # a mock
            return method(*args, **kwargs)
        return method.__get__(self, type(self))(*args, **kwargs)

    return call


def replace_all() -> None:
    """Replace the methods of redis-py, all or none.

    Raises RoundTripsError if this version of redis-py lacks one of them.
    """
    if replaced or watched:
        put_back()  # what a fault may have left
    check()
    table = config.settings_of_process()
    ownership.set_rules(table.own, table.helpers, table.folder)
    blocks.ignored_threads = table.ignore_threads
    try:
        for owner, name, make in (*replacements(), *more_replacements()):
            original = owner.__dict__.get(name, INHERITED)
            if inspect.isclass(owner) and type(original) is not FunctionType:  # wrapt's says it is
                # Not from the cache: wrapt's wrapper is equal to the function in it.
                method = method_of(owner, name)
                replacement = functools.wraps(method)(make(bound_late(method)))
            else:
                replacement = replacement_of(original, make)
            replaced.append((owner, name, original, replacement))
            setattr(owner, name, replacement)
        for owner in (SYNC, ASYNC):
            for kind in list(children.subclasses(owner)):
                replace_own_methods(kind, owner)
    except BaseException:
        put_back()
        raise


@functools.cache  # a block is opened for each request, and nearly always replaces the same
def replacement_of(original: Any, make: Any) -> Any:
    return functools.wraps(original)(make(original))


def put_back() -> None:
    while replaced:
        owner, name, original, version = replaced[-1]
        if owner.__dict__.get(name) is version:  # else somebody else has replaced it since
            if original is INHERITED:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        replaced.pop()
    sockets.put_back()
    if watched:
        for connection in list(watched):
            state = connection.__dict__.pop(STATE, None)
            if state is not None:
                stop_reading_plainly(connection, state)
        watched.clear()
    blocks.forget()
    callsites.forget()


@functools.cache
def check() -> None:
    """Raise RoundTripsError unless redis-py has every method that is replaced or used here.

    The result is cached: redis-py is looked at once.
    """
    missing = ["version 5"] if int(redis.__version__.split(".")[0]) < 5 else []
    missing += [
        f"{owner.__name__}.{name}"
        for owner, name, _ in replacements()
        if not callable(owner.__dict__.get(name))
    ]
    missing += [
        f"{owner.__name__}.{name}"
        for owner, method, name in USED
        if name not in names_in(owner.__dict__.get(method))
    ]
    if missing:
        raise RoundTripsError(
            f"roundtrips counts inside redis-py, which it knows from version {KNOWN}. Version "
            f"{redis.__version__} is installed and has no {missing[0]}. Install another redis-py, "
            "or a newer roundtrips."
        )


def names_in(method: Any) -> tuple[str, ...]:
    code = getattr(inspect.unwrap(method), "__code__", None) if method else None
    return code.co_names if code else ()


def cut_off() -> None:
    """Close the connections on which this thread has written without reading the reply.

    A Ctrl-C may come between the write and the read. redis-py then uses the connection again, and
    the next command would get the reply to the one before.
    """
    for connection in list(watched):
        if state_of(connection).thread == get_ident():
            connection.disconnect()


def describe(connection: Any) -> tuple[str, bool, bool, int, int]:
    """Return the fields of a connection's Place, in their order."""
    address = str(getattr(connection, "path", "?"))
    if hasattr(connection, "port"):
        address = f"{connection.host}:{connection.port}"
    frame = sys._getframe(1)
    cluster = False
    while frame is not None and not cluster:
        name = frame.f_globals.get("__name__")
        cluster = name in ("redis.cluster", "redis.asyncio.cluster")
        frame = frame.f_back  # type: ignore[assignment]
    return (
        address,
        cluster,
        isinstance(connection, ASYNC),
        getattr(connection, "db", 0) or 0,
        blocks.turns.number,
    )


# What the replacements do besides calling the original


def watch(state: State, stream: Any) -> None:
    """Begin to count the bytes that a connection receives from its socket or StreamReader.

    `stream` is that socket or StreamReader, and is stored in `state`, the connection's State. Does
    nothing if `stream` is None, or if no Recorder is open.
    """
    if stream is not None:
        with changing:
            if open_recorders:
                state.stream, state.key = stream, id(stream)
                sockets.count(stream)


def owner_of(connection: Any) -> Any:
    """Return redis-py's base class of a connection: AbstractConnection, sync or asyncio."""
    return ASYNC if isinstance(connection, ASYNC) else SYNC


def note_if_unseen(connection: Any, name: str) -> None:
    """Report a connection whose class got a method `name` of its own while a block was open.

    Round trips by such a method are not counted: the Recorders add the class to their `unseen`.
    """
    if not is_replaced(type(connection), name):
        note_unseen(connection, name)


def note_unseen(connection: Any, name: str) -> None:
    for each in listeners_here():
        each.unseen.add(f"{type(connection).__name__}, whose {name} is not redis-py's")


def begin_write(connection: Any, stream: Any) -> State | None:
    """Prepare a connection's State for a write that is about to begin, and return the State.

    `stream` is the connection's socket or StreamReader, whose received bytes are counted from here
    on. The State gets this thread's id and the bytes received so far. After an error of this
    package None is returned, and the write is not counted.
    """
    try:
        state: State = connection.__dict__.get(STATE) or state_of(connection)
        if stream is not state.stream:
            watch(state, stream)
            note_if_unseen(connection, "read_response")
        state.before = received_bytes(state.key, 0)  # type: ignore[arg-type]
        state.thread = get_ident()
        state.told = 0
        if sockets.listeners:  # now: in asyncio a reply may come before the write returns
            state.started, state.writers = perf_counter(), listeners_here()
            for each in state.writers:
                if each.payloads:
                    each.listen(connection, state)
        return state
    except Exception as fault:
        own_errors.note(fault)
        return None


def tell_written(connection: Any, state: State, chunks: Any) -> None:
    """Report a write to the Recorders, once the system has taken its bytes.

    `chunks` is what redis-py passed to the socket, a list or bytes. Does nothing if the write was
    reported already, by another replaced method that was called on the way.
    """
    try:
        if state.told == id(chunks):
            return
        state.told = id(chunks)
        state.writes += 1
        sent = perf_counter()
        written: Any
        if state.packed is not None and state.packed[1] is chunks:
            commands = state.packed[0]
            missing = len(commands)
            written = notes.read_packed(commands, sum(map(len, chunks)))
            state.packed = None
        else:
            written = (
                chunks[0] if len(chunks) == 1 and type(chunks[0]) is bytes else in_bytes(chunks)
            )
            if not written:
                return  # redis-py writes nothing at all for an empty pipeline
            # The first says so of nearly all, and is fast.
            alone = written.rfind(b"*") == 0 or b"\r\n*" not in written
            if not alone or len(written) > KEPT_RAW:
                written = notes.read(written)
            missing = 1 if alone else sum(written[1].values()) or 1
        if state.notes and state.notes[0].heard is not None:
            notes.end_all(state, heard=True)
        taken = blocks.blocks.get()
        if taken is None or not (len(taken) == 1 and taken[0].is_open):
            taken = blocks.blocks_here()
        if not taken and blocks.blocks.get() is blocks.NOBODYS:
            return
        is_ignored = blocks.ignored_threads and blocks.is_ignored()
        if is_ignored and not taken:
            return
        if not is_ignored and (some_are_inside or not taken):
            tell_unattributed(taken)
        if blocks.of_process:
            taken = (*taken, *blocks.of_process)
        if taken:
            worker = blocks.worker_here(state.thread)
            site = worker.site or callsites.finder.find()
            for each in taken:
                each.note_write(connection, state, sent, written, missing, worker, site)
                if each.payloads:
                    each.message(state, sent, chunks)
        if sockets.listeners:
            state.writers = taken
        if state.batch:
            read_plainly(connection, state)
    except Exception as fault:
        own_errors.note(fault)


def tell_unattributed(taken: tuple[Block, ...]) -> None:
    """Report a write to the open counting blocks that miss it, in their `unattributed`.

    `taken` are the Recorders that count the write. Blocks opened inside the innermost of these miss
    the write; if `taken` is empty, all open ones do. An example is a thread that was started before
    an inner block: only the outer block counts it, and without this report the inner one would pass
    its budget.
    """
    innermost = taken[-1] if taken else None
    around_growth = blocks.around_growth.get()
    missed = [
        each
        for each in open_recorders
        if not (each.process or each in taken)
        and (innermost is None or innermost in each.above)
        and each not in around_growth
    ]
    if missed:
        whose = blocks.name_here(), callsites.finder.find()
        for each in missed:
            each.unattributed[whose] += 1


def chunks_of(command: Any) -> list[Any]:
    """Return a packed command as a list of chunks; redis-py passes one str or bytes, or several."""
    return [command] if isinstance(command, (str, bytes)) else list(command)


def note_reply(
    connection: Any, state: State | None, before: int, response: Any, timeout: Any = None
) -> None:
    """Store in a connection's State and Notes that a reply, `response`, was read.

    `before` is the State's `reads` before this read. If `reads` differs by now, another replaced
    method that was called on the way has stored the reply, and nothing is done. If `timeout` is
    set, a response of None may mean that no reply came.
    """
    try:
        if state is not None:
            if state.reads != before:
                return
            state.reads += 1
        if state is None or not state.notes:
            note_if_unseen(connection, "send_packed_command")
        elif (
            response is not None
            or not timeout
            or sockets.received.get(state.key or 0, 0) > state.notes[0].received
        ):
            notes.answer(state)
    except Exception as fault:
        own_errors.note(fault)


def note_failed_read(connection: Any, failure: BaseException, before: int) -> None:
    """Store in a connection's State and Notes that a read raised the error `failure`.

    An error that the server sent is a reply. If the connection is lost, no reply will come; after
    other errors the reply may still come. `before` is the State's `reads` before this read. If
    `reads` differs by now, another replaced method has stored the error, and nothing is done.
    """
    state: State | None = connection.__dict__.get(STATE)
    if state is None or state.reads != before or not state.notes:
        return
    state.reads += 1
    if isinstance(failure, ERROR_REPLIES):
        notes.answer(state, failure)
    elif is_closed(connection) or isinstance(failure, redis.ConnectionError):
        notes.end_all(state, failure, lost=True)


def is_closed(connection: Any) -> bool:
    return (connection._reader if isinstance(connection, ASYNC) else connection._sock) is None


def read_plainly(connection: Any, state: State) -> None:
    """Let a connection read a pipeline's replies by redis-py's original method, which is faster.

    The original read_response is set on the connection itself. It reports no replies; `end_batch`
    removes it and stores that all replies were read. `state` is the connection's State. Nothing is
    done if one reply at most is to come, while the connection is being set up, or if its class has
    a read_response of its own.
    """
    is_long = state.notes and state.notes[0].missing > 1 and not state.connecting
    read = type(connection).read_response
    plain = getattr(read, "__wrapped__", None)  # None if somebody else has replaced it since
    is_own = read is not SYNC.read_response and read is not ASYNC.read_response
    if is_long and plain is not None and not is_own and "read_response" not in vars(connection):
        connection.read_response = state.plain_read = MethodType(plain, connection)


def stop_reading_plainly(connection: Any, state: State) -> None:
    if state.plain_read is not None and vars(connection).get("read_response") is state.plain_read:
        del connection.read_response
    state.plain_read = None


def begin_batch(connection: Any) -> Any:
    """Note in a connection's State that a pipeline is being executed; return the connection.

    For the connection of a client with a cache, the connection inside it is marked and returned.
    `end_batch` will store that all replies were read.
    """
    try:
        connection = getattr(connection, "_conn", connection)  # that of a client with a cache
        state_of(connection).batch = True
    except Exception as fault:
        own_errors.note(fault)
    return connection


def end_batch(connection: Any, failure: BaseException | None, responses: Any = None) -> None:
    """Store that a pipeline's execution has ended, so that all of its replies count as read.

    `failure` is the error that it raised, or None. `responses` is the list of its replies, errors
    among them, if the pipeline returns errors instead of raising them; else None. If an error has
    closed the connection, the pipeline is stored as lost.
    """
    try:
        state: State = connection.__dict__.get(STATE) or state_of(connection)
        stop_reading_plainly(connection, state)
        state.batch = False
        if not state.notes:
            return
        if failure is not None and is_closed(connection):
            notes.end_all(state, failure, lost=True)
            return
        error = failure if isinstance(failure, redis.ResponseError) else None
        if error is None and isinstance(responses, list):
            kinds = {kind for kind in set(map(type, responses)) if issubclass(kind, ERROR_REPLIES)}
            error = next((one for one in responses if type(one) in kinds), None) if kinds else None
        notes.end_all(state, error)
    except Exception as fault:
        own_errors.note(fault)


class Connecting:
    """Context manager that marks a connection as being set up, and counts it for the Recorders."""

    noted_by: tuple[Block, ...] = ()
    state: State | None = None

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        fenced(self.begin)

    def begin(self) -> None:
        with changing:  # the class may have been made since the block was opened
            if open_recorders:
                replace_own_methods(type(self.connection), owner_of(self.connection))
        state = state_of(self.connection)
        notes.end_all(state, heard=True)
        self.noted_by = listeners_here()
        for each in self.noted_by:
            each.opened += 1
        state.connecting += 1
        self.state = state

    def __exit__(self, *failure: Any) -> None:
        if self.state is not None:
            self.state.connecting -= 1
        if fenced(is_closed, self.connection) is not False:
            for each in self.noted_by:
                each.opened -= 1


# The replacements: each wraps the original method, and calls it


def make_connect(original: Any) -> Any:
    def connect(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._sock is not None:
            return None  # as redis-py does
        with Connecting(self):
            return original(self, *args, **kwargs)

    return connect


def make_async_connect(original: Any) -> Any:
    async def connect(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.is_connected:
            return None
        with Connecting(self):
            return await original(self, *args, **kwargs)

    return connect


def make_pack(original: Any) -> Any:
    def pack_commands(self: Any, commands: Any) -> Any:
        commands = commands if type(commands) is list else list(commands)  # may be a generator
        chunks = original(self, commands)
        state = fenced(state_of, self)
        if state is not None:
            state.packed = commands, chunks
        return chunks

    return pack_commands


def make_send(original: Any) -> Any:
    def send(self: Any, command: Any, check_health: bool = True) -> None:
        if self._sock is None:
            getattr(self, CONNECTS)(**BEFORE_WRITING)
        if type(command) not in (list, bytes):  # bytes alone redis-py refuses
            command = chunks_of(command)
        state = begin_write(self, self._sock)
        original(self, command, check_health)
        if state is not None:
            tell_written(self, state, command)

    return send


def make_async_send(original: Any) -> Any:
    async def send(self: Any, command: Any, check_health: bool = True) -> None:
        if self._reader is None:
            await getattr(self, CONNECTS)(**BEFORE_WRITING)
        if type(command) is not list:
            command = chunks_of(command)
        state = begin_write(self, self._reader)
        await original(self, command, check_health)
        if state is not None:
            tell_written(self, state, command)

    return send


def make_send_command(original: Any) -> Any:
    # Of a class of its own: it may write by itself, which nobody can look into.
    def send_command(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = writes_of(self)
        result = original(self, *args, **kwargs)
        if writes_of(self) == before:
            fenced(note_unseen, self, "send_command")
        return result

    return send_command


def make_async_send_command(original: Any) -> Any:
    async def send_command(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = writes_of(self)
        result = await original(self, *args, **kwargs)
        if writes_of(self) == before:
            fenced(note_unseen, self, "send_command")
        return result

    return send_command


def writes_of(connection: Any) -> int:
    """Return the number of writes on a connection that were reported."""
    state: State | None = connection.__dict__.get(STATE)
    return state.writes if state else 0


def make_read(original: Any, replies: bool = True) -> Any:
    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        state: State | None = self.__dict__.get(STATE)
        before = state.reads if state else 0
        try:
            response = original(self, *args, **kwargs) if args or kwargs else original(self)
        except BaseException as failure:
            fenced(note_failed_read, self, failure, before)
            raise
        if replies:
            note_reply(self, state, before, response)
        return response

    return read


@functools.cache  # so that replacement_of's cache does not grow
def make_noted(name: str) -> Any:
    """Return a function that wraps a send method: each call reports `name` as not counted.

    `name` says in words what sends, such as 'valkey-py'.
    """

    def make(original: Any) -> Any:
        def send(self: Any, *args: Any, **kwargs: Any) -> Any:
            for each in listeners_here():
                each.unseen.add(name)
            return original(self, *args, **kwargs)

        return send

    return make


# A listener calls can_read first, and learns here that its connection broke.
make_can_read = functools.partial(make_read, replies=False)


def make_async_read(original: Any) -> Any:
    async def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        state: State | None = self.__dict__.get(STATE)
        before = state.reads if state else 0
        try:
            call = original(self, *args, **kwargs) if args or kwargs else original(self)
            response = await call
        except BaseException as failure:
            fenced(note_failed_read, self, failure, before)
            raise
        note_reply(self, state, before, response, kwargs.get("timeout"))
        return response

    return read


def make_execute(original: Any) -> Any:
    def execute(self: Any, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        counted = begin_batch(connection)
        try:
            responses = original(self, connection, commands, raise_on_error)
        except BaseException as failure:
            end_batch(counted, failure)
            raise
        end_batch(counted, None, None if raise_on_error else responses)
        return responses

    return execute


def make_async_execute(original: Any) -> Any:
    async def execute(self: Any, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        counted = begin_batch(connection)
        try:
            responses = await original(self, connection, commands, raise_on_error)
        except BaseException as failure:
            end_batch(counted, failure)
            raise
        end_batch(counted, None, None if raise_on_error else responses)
        return responses

    return execute


def make_coroutine_function(original: Any) -> Any:
    def execute(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        try:
            callsites.made_at[id(made)] = weakref.ref(made), callsites.of_coroutines.find()
        except Exception as fault:
            own_errors.note(fault)
        return made

    if inspect.iscoroutinefunction(original):  # as mocks of a client ask
        if sys.version_info >= (3, 12):
            inspect.markcoroutinefunction(execute)
        else:
            execute._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
    return execute


OWN_METHODS = {
    SYNC: (
        ("send_command", make_send_command),
        ("send_packed_command", make_send),
        ("read_response", make_read),
    ),
    ASYNC: (
        ("send_command", make_async_send_command),
        ("send_packed_command", make_async_send),
        ("read_response", make_async_read),
    ),
}
