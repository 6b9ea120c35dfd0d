"""What is changed in redis-py while a block is open: the one module that knows its private names.

While any recorder is open, methods of redis-py's connection, client and pipeline classes, sync and
async, are replaced, once; when the last one closes they are what they were. So every client, pool,
pipeline, script and thread is seen, and a program outside a block runs plain redis-py.

A fault of our own must not become the program's: whatever the replaced methods do besides calling
the original is fenced, and a fault is noted with the open recorders.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import inspect
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from time import perf_counter
from types import MethodType
from typing import TYPE_CHECKING, Any

import redis
import redis.asyncio.client
import redis.asyncio.cluster
import redis.asyncio.connection
import redis.client
import redis.connection

from . import callsites, faults, recorder, scope, sockets
from .errors import RoundTripsError
from .faults import fenced
from .resp import in_bytes

if TYPE_CHECKING:
    from .recorder import Recorder

KNOWN = "5.0 to 8.1"  # the versions of redis-py that were tried
SYNC: Any = redis.connection.AbstractConnection
ASYNC: Any = redis.asyncio.connection.AbstractConnection
PIPELINE: Any = redis.client.Pipeline
ASYNC_PIPELINE: Any = redis.asyncio.client.Pipeline
# What opens a connection, and what redis-py gives it before it writes on a closed one.
CONNECTS, BEFORE_WRITING = "connect_check_health", {"check_health": False}
if not hasattr(SYNC, CONNECTS):  # up to 6.1
    CONNECTS, BEFORE_WRITING = "connect", {}
# Private names that are used besides those that are replaced: (class, method, a name in its code).
USED = (
    (SYNC, CONNECTS, "_sock"),
    (ASYNC, CONNECTS, "is_connected"),
    (ASYNC, "disconnect", "_reader"),
)
# What redis-py raises for an error that the server replied with.
ANSWERS = (redis.ResponseError, redis.AuthenticationError, redis.BusyLoadingError)
STATE = "_roundtrips"  # the attribute of a connection

changing = threading.RLock()  # held while redis-py is changed or put back
open_recorders: tuple[Recorder, ...] = ()
of_process: tuple[Recorder, ...] = ()  # those that are told of everything
replaced: list[tuple[Any, str, Any, Any]] = []  # (owner, name, original, replacement)
made: list[tuple[Any, str, Any, Any]] = []  # (owner, name, original, replacement) of the last time
made_for: Any = None  # what that depended on
# Nothing of redis-py's is kept alive: a program that drops a connection closes it, traced or not.
watched: weakref.WeakSet[Any] = weakref.WeakSet()  # connections on which a State stands
received_bytes = sockets.received.get  # of a source, by its id


class State:
    """What is on its way on one connection. It stands on the connection itself."""

    __slots__ = (
        "batch", "before", "connecting", "key", "notes", "numbers", "packed", "put", "started",
        "stream", "thread", "writers",
    )  # fmt: skip

    def __init__(self) -> None:
        self.notes: tuple[list[Any], ...] = ()  # of each recorder that saw the last write
        self.started = 0.0  # when that write began
        self.stream: Any = None  # the socket or StreamReader whose bytes are counted
        self.key: int | None = None  # its id
        self.before = 0  # bytes it had received before the last write
        self.thread = 0  # the one that wrote last
        self.writers: tuple[Recorder, ...] = ()  # who was told of the last write
        self.connecting = 0  # more than 0 during the handshake
        self.numbers: dict[Recorder, int] = {}  # the connection's number at each
        self.packed: tuple[Any, Any] | None = None  # commands, and what redis-py packed them into
        self.batch = False  # whether a pipeline reads its replies, and will say when it is through
        self.put: dict[str, Any] = {}  # attributes of the connection that are ours


def state_of(connection: Any) -> State:
    found: State | None = connection.__dict__.get(STATE)
    if found is None:
        with changing:
            watched.add(connection)  # first: what a Ctrl-C cuts short is put back all the same
            found = connection.__dict__[STATE] = State()
    return found


def put_on(connection: Any, state: State, name: str, value: Any) -> None:
    """Give a connection a method of our own, unless somebody gave it one."""
    if connection.__dict__.setdefault(name, value) is value:
        state.put[name] = value


def take_off(connection: Any, state: State, name: str) -> None:
    value = state.put.pop(name, None)
    if value is not None and connection.__dict__.get(name) is value:
        del connection.__dict__[name]


# Opening and closing


def renew_locks() -> None:
    """Have new locks in a forked process: a thread that is not there may have held the others."""
    global changing
    changing = threading.RLock()
    for each in open_recorders:
        each.sorting = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=renew_locks)


def tell(recorders: Iterable[Recorder]) -> None:
    """Have these recorders told of what happens, and no other."""
    global open_recorders, of_process
    open_recorders = tuple(recorders)
    of_process = tuple(each for each in open_recorders if each.process)


def open_recorder(new: Recorder) -> None:
    """Have a recorder told of what happens here. Raises RoundTripsError for an unknown redis-py."""
    with changing:
        if not open_recorders:
            replace_all()
        try:
            if open_recorders:
                replace_late()
            tell((*open_recorders, new))
            new.is_open = True
            if not new.process:
                scope.blocks.set((*scope.blocks_here(), new))
        except BaseException:
            close_recorder(new)
            raise


def close_recorder(old: Recorder) -> None:
    """Leave it out, and leave redis-py as it was if it is the last. Twice does no harm."""
    with changing:
        old.is_open = False
        tell(each for each in open_recorders if each is not old)
        taken = scope.blocks.get()
        if taken and old in taken:
            scope.blocks.set(tuple(each for each in taken if each is not old))
        if not open_recorders:
            try:
                put_back()
            except Exception as fault:
                old.faults.append(fault)


def close_all() -> None:
    """Close whatever recorders are open, as after an interrupt: redis-py is as it was."""
    for each in open_recorders:
        each.close()
    with changing:
        put_back()


def replacements() -> Iterator[tuple[Any, str, Callable[[Any], Any]]]:
    """Yield (owner, name, what makes the replacement of the original)."""
    from . import children  # which notes forks from here on: not before a block opens

    yield from children.replacements()
    yield SYNC, CONNECTS, connects
    yield SYNC, "pack_commands", packs
    yield SYNC, "send_packed_command", sends
    yield SYNC, "read_response", reads
    yield redis.client.PubSub, "execute_command", listens
    yield ASYNC, CONNECTS, async_connects
    yield ASYNC, "pack_commands", packs
    yield ASYNC, "send_packed_command", async_sends
    yield ASYNC, "read_response", async_reads
    for name in ("_execute_pipeline", "_execute_transaction"):
        yield PIPELINE, name, executes_batch
        yield ASYNC_PIPELINE, name, async_executes_batch
    yield redis.asyncio.client.Redis, "execute_command", makes_coroutine
    yield ASYNC_PIPELINE, "execute", makes_coroutine
    yield redis.asyncio.cluster.RedisCluster, "execute_command", makes_coroutine
    yield redis.asyncio.cluster.ClusterPipeline, "execute", makes_coroutine
    yield redis.asyncio.cluster.ClusterNode, "execute_pipeline", makes_coroutine
    # (gevent puts a subclass in the place of the class.)
    starts = next(each for each in threading.Thread.__mro__ if "start" in each.__dict__)
    yield starts, "start", scope.thread_start
    yield ThreadPoolExecutor, "submit", scope.executor_submit
    if eventlet := sys.modules.get("eventlet.greenthread"):
        yield eventlet.GreenThread, "__init__", scope.greenthread_made


def replace_all() -> None:
    """Put the replacements in place, all or none."""
    global made, made_for
    if replaced or watched:
        put_back()  # what a fault may have left
    # What is replaced depends on which modules are there, and on what else replaces it.
    now = threading.Thread, len(sys.modules)
    if now != made_for or any(owner.__dict__.get(name) is not one for owner, name, one, _ in made):
        check()
        made = [
            (owner, name, original, functools.wraps(original)(version(original)))
            for owner, name, version in replacements()
            for original in [owner.__dict__[name]]
        ]
        made_for = now
    try:
        for owner, name, original, version in made:
            replaced.append((owner, name, original, version))
            setattr(owner, name, version)
    except BaseException:
        put_back()
        raise


def replace_late() -> None:
    """Replace what was not imported yet when the first block opened, such as pools of processes."""
    from . import children

    there = {(owner, name) for owner, name, _, _ in replaced}
    for owner, name, version in children.replacements():
        if (owner, name) not in there:
            original = owner.__dict__[name]
            ours = functools.wraps(original)(version(original))
            replaced.append((owner, name, original, ours))
            setattr(owner, name, ours)


def put_back() -> None:
    while replaced:
        owner, name, original, version = replaced[-1]
        if owner.__dict__.get(name) is version:  # else somebody else has replaced it since
            setattr(owner, name, original)
        replaced.pop()
    sockets.put_back()
    if watched:
        for connection in list(watched):
            state = connection.__dict__.pop(STATE, None)
            if state is not None:
                for name in list(state.put):
                    take_off(connection, state, name)
        watched.clear()
    scope.forget()
    callsites.forget()


def is_the_same() -> bool:
    """Return whether redis-py's connections are those of when this was imported."""
    return all(
        connections.AbstractConnection is known
        and vars(clients)["ConnectionPool"] is connections.ConnectionPool
        for connections, clients, known in (
            (redis.connection, redis.client, SYNC),
            (redis.asyncio.connection, redis.asyncio.client, ASYNC),
        )
    )


def check() -> None:
    """Raise RoundTripsError unless what is replaced or used is there, in the main interpreter."""
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
    if is_subinterpreter():
        raise RoundTripsError(
            "roundtrips counts in a process's main interpreter only, and this is another one. Open "
            "the block in the main one."
        )


def names_in(method: Any) -> tuple[str, ...]:
    code = getattr(inspect.unwrap(method), "__code__", None) if method else None
    return code.co_names if code else ()


@functools.cache
def is_subinterpreter() -> bool:
    """Return whether this is not the process's first interpreter, as far as Python tells."""
    for name in ("_interpreters", "_xxsubinterpreters"):  # the latter up to Python 3.12
        with contextlib.suppress(ImportError):
            module: Any = importlib.import_module(name)
            return bool(module.get_current() != module.get_main())
    return False


def cut_off() -> None:
    """Close the connections on which this thread wrote last and still waits.

    Where a Ctrl-C comes between writing and waiting, redis-py hands the connection on, and the next
    command would get the reply.
    """
    for connection in list(watched):
        if state_of(connection).thread == get_ident():
            connection.disconnect()


def described(connection: Any) -> tuple[str, float | None, bool, bool]:
    """Return (address, timeout, whether a cluster's, whether asyncio's) of a connection."""
    address = str(getattr(connection, "path", "?"))
    if hasattr(connection, "port"):
        address = f"{connection.host}:{connection.port}"
    frame, cluster = sys._getframe(1), False
    while frame is not None and not cluster:
        name = frame.f_globals.get("__name__")
        cluster = name in ("redis.cluster", "redis.asyncio.cluster")
        frame = frame.f_back  # type: ignore[assignment]
    timeout = getattr(connection, "socket_timeout", None)
    return address, timeout, cluster, isinstance(connection, ASYNC)


# What the replacements do besides


def watch(state: State, stream: Any) -> None:
    """See to it that what comes on this socket or StreamReader is counted."""
    if stream is not None:
        with changing:
            if open_recorders:
                state.stream, state.key = stream, id(stream)
                sockets.count(stream)


def owner_of(connection: Any) -> Any:
    """Return the class of redis-py's that this connection's is made from."""
    return ASYNC if isinstance(connection, ASYNC) else SYNC


def note_if_unseen(connection: Any, *names: str) -> None:
    """Note a connection whose class overrides a method without calling redis-py's."""
    kind, owner = type(connection), owner_of(connection)
    goes_on = {"super", "send_packed_command", *(each.__name__ for each in kind.__mro__)}
    for name in names:
        method = getattr(kind, name)
        if method is not getattr(owner, name) and goes_on.isdisjoint(names_in(method)):
            for each in seeing():
                each.unseen.add(f"{kind.__name__}, whose {name} is not redis-py's")


def begin_write(connection: Any, stream: Any) -> State | None:
    """Return what is known of a connection that is about to be written on; None: a fault."""
    try:
        state: State = connection.__dict__.get(STATE) or state_of(connection)
        if stream is not state.stream:
            watch(state, stream)
            note_if_unseen(connection, "read_response")
        state.before = received_bytes(state.key, 0)  # type: ignore[arg-type]
        state.thread = get_ident()
        if sockets.listeners:  # in asyncio a reply may come before the write is known to be over
            state.started, state.writers = perf_counter(), seeing()
            for each in state.writers:
                if each.payloads:
                    each.listen(connection, state)
        return state
    except Exception as fault:
        faults.note(fault)
        return None


def seeing() -> tuple[Recorder, ...]:
    """Return who is told of what happens here."""
    return (*scope.blocks_here(), *of_process)


def tell_written(connection: Any, state: State, chunks: Any) -> None:
    """Tell the recorders of a write that has been handed to the system."""
    try:
        sent = perf_counter()
        said: Any
        if state.packed is not None and state.packed[1] is chunks:
            commands = state.packed[0]
            missing = len(commands)
            said = recorder.packed(commands, sum(map(len, chunks)))
            state.packed = None
        else:
            said = chunks[0] if len(chunks) == 1 and type(chunks[0]) is bytes else in_bytes(chunks)
            if not said:
                return  # redis-py writes nothing at all for an empty pipeline
            # The first says so of nearly all, and is fast.
            alone = said.rfind(b"*") == 0 or b"\r\n*" not in said
            if not alone or len(said) > recorder.KEPT_RAW:
                said = recorder.said_in(said)
            missing = 1 if alone else sum(said.names.values()) or 1
        if state.notes and state.notes[0][recorder.HEARD] is not None:
            recorder.end_all(state, heard=True)
        taken = scope.blocks.get()
        if taken is None or not (len(taken) == 1 and taken[0].is_open):
            taken = scope.blocks_here()
        if not taken:
            for each in open_recorders:
                each.unattributed += not each.process
        if of_process:
            taken = (*taken, *of_process)
        if taken:
            worker = scope.worker_here(state.thread)
            site = worker.site or callsites.finder.find()
            for each in taken:
                each.wrote(connection, state, sent, said, missing, worker, site)
                if each.payloads:
                    each.message(state, sent, chunks)
        if sockets.listeners:
            state.writers = taken
        if state.batch:
            read_plainly(connection, state)
    except Exception as fault:
        faults.note(fault)


def chunks_of(command: Any) -> list[Any]:
    """Return the chunks of a packed command: redis-py may hand over one text, or several."""
    return [command] if isinstance(command, (str, bytes)) else list(command)


def replied(connection: Any, state: State | None, response: Any, timeout: Any = None) -> None:
    """Note a reply that was read. With a timeout None may mean that nothing came."""
    try:
        if state is None or not state.notes:
            note_if_unseen(connection, "send_command", "send_packed_command")
        elif (
            response is not None
            or not timeout
            or sockets.received.get(state.key or 0, 0) > state.notes[0][recorder.RECEIVED]
        ):
            recorder.answer(state, response)
    except Exception as fault:
        faults.note(fault)


def failed_to_read(connection: Any, failure: BaseException) -> None:
    """Note a read that raised.

    The server's error is an answer. Else there is none if the connection is lost, or none as yet.
    """
    state: State | None = connection.__dict__.get(STATE)
    if state is None or not state.notes:
        return
    if isinstance(failure, ANSWERS):
        recorder.answer(state, failure=failure)
    elif is_closed(connection) or isinstance(failure, redis.ConnectionError):
        recorder.end_all(state, failure, lost=True)


def is_closed(connection: Any) -> bool:
    return (connection._reader if isinstance(connection, ASYNC) else connection._sock) is None


def read_plainly(connection: Any, state: State) -> None:
    """Have a pipeline's replies read as without a block: nobody need see each of them.

    Not while it connects, nor where its class has a way of its own to read.
    """
    is_long = state.notes and state.notes[0][recorder.MISSING] > 1 and not state.connecting
    read = owner_of(connection).read_response
    plain = getattr(read, "__wrapped__", None)  # None if somebody else has replaced it since
    if is_long and plain is not None and type(connection).read_response is read:
        put_on(connection, state, "read_response", MethodType(plain, connection))


class Batch:
    """A pipeline's writing and reading on a connection: it sees all replies, or gives up."""

    responses: Any = None  # where an error among them was not raised

    def __init__(self, connection: Any) -> None:
        self.connection = getattr(connection, "_conn", connection)  # that of a client with a cache

    def __enter__(self) -> Batch:
        with contextlib.suppress(Exception):  # then its replies are seen one by one
            state_of(self.connection).batch = True
        return self

    def __exit__(self, kind: Any, failure: BaseException | None, _: Any) -> None:
        fenced(end_batch, self.connection, failure, self.responses)


def end_batch(connection: Any, failure: BaseException | None, responses: Any) -> None:
    state = state_of(connection)
    if state.put:
        take_off(connection, state, "read_response")
    state.batch = False
    if not state.notes:
        return
    if failure is not None and is_closed(connection):
        recorder.end_all(state, failure, lost=True)
        return
    error = failure if isinstance(failure, redis.ResponseError) else None
    if error is None and isinstance(responses, list):
        kinds = {kind for kind in set(map(type, responses)) if issubclass(kind, ANSWERS)}
        error = next((one for one in responses if type(one) in kinds), None) if kinds else None
    recorder.end_all(state, error)


class Connecting:
    """Marks a connection as being set up, and counts it for those who see this."""

    told: tuple[Recorder, ...] = ()
    state: State | None = None

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def __enter__(self) -> None:
        fenced(self.begin)

    def begin(self) -> None:
        state = state_of(self.connection)
        recorder.end_all(state, heard=True)
        self.told = seeing()
        for each in self.told:
            each.opened += 1
        state.connecting += 1
        self.state = state

    def __exit__(self, *failure: Any) -> None:
        if self.state is not None:
            self.state.connecting -= 1
        if fenced(is_closed, self.connection) is not False:
            for each in self.told:
                each.opened -= 1
                each.refused += 1


# The replacements: each is made of the original, and calls it


def connects(original: Any) -> Any:
    def connect(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._sock is not None:
            return None  # as redis-py does
        with Connecting(self):
            return original(self, *args, **kwargs)

    return connect


def async_connects(original: Any) -> Any:
    async def connect(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.is_connected:
            return None
        with Connecting(self):
            return await original(self, *args, **kwargs)

    return connect


def packs(original: Any) -> Any:
    def pack_commands(self: Any, commands: Any) -> Any:
        commands = commands if type(commands) is list else list(commands)  # may be a generator
        chunks = original(self, commands)
        state = fenced(state_of, self)
        if state is not None:
            state.packed = commands, chunks
        return chunks

    return pack_commands


def sends(original: Any) -> Any:
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


def async_sends(original: Any) -> Any:
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


def reads(original: Any) -> Any:
    def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        state: State | None = self.__dict__.get(STATE)
        try:
            response = original(self, *args, **kwargs) if args or kwargs else original(self)
        except BaseException as failure:
            fenced(failed_to_read, self, failure)
            raise
        replied(self, state, response)
        return response

    return read


def listens(original: Any) -> Any:
    """Watch a listener's `can_read`: there it learns of a break, before it reads."""

    def execute_command(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        finally:
            fenced(watch_listener, self.connection)

    return execute_command


def watch_listener(connection: Any) -> None:
    """Have its `can_read` note what is lost, in a way that keeps no connection alive."""
    if connection is None or "can_read" in state_of(connection).put:
        return
    original, known = type(connection).can_read, weakref.ref(connection)

    def can_read(*args: Any, **kwargs: Any) -> Any:
        self: Any = known()
        try:
            return original(self, *args, **kwargs)
        except BaseException as failure:
            fenced(failed_to_read, self, failure)
            raise

    put_on(connection, state_of(connection), "can_read", can_read)


def async_reads(original: Any) -> Any:
    async def read(self: Any, *args: Any, **kwargs: Any) -> Any:
        state: State | None = self.__dict__.get(STATE)
        try:
            call = original(self, *args, **kwargs) if args or kwargs else original(self)
            response = await call
        except BaseException as failure:
            fenced(failed_to_read, self, failure)
            raise
        replied(self, state, response, kwargs.get("timeout"))
        return response

    return read


def executes_batch(original: Any) -> Any:
    def execute(self: Any, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        with Batch(connection) as batch:
            responses = original(self, connection, commands, raise_on_error)
            batch.responses = None if raise_on_error else responses
            return responses

    return execute


def async_executes_batch(original: Any) -> Any:
    async def execute(self: Any, connection: Any, commands: Any, raise_on_error: bool) -> Any:
        with Batch(connection) as batch:
            responses = await original(self, connection, commands, raise_on_error)
            batch.responses = None if raise_on_error else responses
            return responses

    return execute


def makes_coroutine(original: Any) -> Any:
    def execute(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, *args, **kwargs)
        try:
            callsites.made(made)
        except Exception as fault:
            faults.note(fault)
        return made

    if inspect.iscoroutinefunction(original):  # as mocks of a client ask
        if sys.version_info >= (3, 12):
            inspect.markcoroutinefunction(execute)
        else:
            execute._is_coroutine = asyncio.coroutines._is_coroutine  # type: ignore[attr-defined]
    return execute
