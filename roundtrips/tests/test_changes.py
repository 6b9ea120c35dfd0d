"""What a process could notice: nothing, until a block opens; and nothing after the last one."""

import asyncio
import contextlib
import os
import socket
import sys
import threading
from unittest.mock import MagicMock

import pytest
import redis
import redis.asyncio

from roundtrips import RoundTripsError, redis_py, trace
from runs import printed

PROCESS = """
import atexit, json, signal, sys, threading, warnings

def process():
    return {
        "modules": set(sys.modules), "unraisablehook": sys.unraisablehook,
        "excepthook": sys.excepthook, "displayhook": sys.displayhook,
        "threads": threading.excepthook, "enumerated": threading.enumerate(),
        "trace": (sys.gettrace(), sys.getprofile(), threading._trace_hook, threading._profile_hook),
        "signals": {each: signal.getsignal(each) for each in signal.valid_signals()},
        "atexit": atexit._ncallbacks(), "finders": list(sys.meta_path), "path": list(sys.path),
        "path hooks": list(sys.path_hooks), "warnings": list(warnings.filters),
        "import": __builtins__.__import__, "interval": sys.getswitchinterval(),
        "limit": sys.getrecursionlimit(), "argv": list(sys.argv), "stdout": sys.stdout,
        "start": threading.Thread.__dict__["start"],
    }

def changed(before, after):
    keys = before.keys() - {"modules"}
    return {key: str(after[key]) for key in keys if before[key] != after[key]}

def new(before, after):
    return sorted({name.split(".")[0] for name in after["modules"] - before["modules"]})
"""


def test_importing_changes_nothing(server):
    program = """
before = process()
import roundtrips
after = process()
print(json.dumps([changed(before, after), new(before, after)]))
"""
    changed, new = printed(server, PROCESS + program)
    assert changed == {} and set(new) - sys.stdlib_module_names == {"roundtrips"}
    assert not {"asyncio", "concurrent", "redis", "socket", "ssl"} & set(new)


def test_a_block_changes_nothing_but_redis_py_and_afterwards_nothing_at_all(server):
    program = """
import asyncio, redis, redis.asyncio
from concurrent.futures import ThreadPoolExecutor
client = redis.Redis(**options)
pool = ThreadPoolExecutor(1)
pool.submit(client.get, "a").result()
before = process()
from roundtrips import trace
with trace() as t:
    client.get("a")
    client.pipeline().get("a").get("b").execute()
    pool.submit(client.get, "a").result()
    during = process()
t.report(), t.findings
after = process()
print(json.dumps([changed(before, during), changed(before, after)]))
"""
    during, after = printed(server, PROCESS + program)
    assert set(during) == {"start"} and after == {}


REPLACED = [(owner, name) for owner, name, _ in redis_py.replacements()]
OF_REDIS = [each for each in REPLACED if getattr(each[0], "__module__", "").startswith("redis")]
OWNERS = {owner for owner, _ in REPLACED} | {
    redis.Redis, redis.asyncio.Redis, redis.ConnectionPool, redis.Connection,
    redis.asyncio.Connection, socket.socket, asyncio.StreamReader,
}  # fmt: skip


def everything(connection):
    """Return what a trace may change: attributes of classes, and of a connection and its parser.

    Of the latter only the classes of the values.
    """
    classes = {owner: {**vars(owner)} for owner in OWNERS}
    parts = [*vars(connection).items(), *vars(connection._parser).items()]
    return classes, [(name, type(value)) for name, value in parts]


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("failure", [None, ZeroDivisionError, KeyboardInterrupt])
def test_redis_py_and_its_connections_are_as_they_were(server, protocol, failure):
    with redis.Redis(**server, protocol=protocol) as client:
        client.pipeline().get("a").get("b").execute()
        [connection] = client.connection_pool._available_connections
        before = everything(connection)
        with contextlib.suppress(ZeroDivisionError, KeyboardInterrupt), trace():
            client.get("a")
            client.pipeline().get("a").get("b").execute()
            during = everything(connection)
            if failure:
                raise failure
        assert everything(connection) == before != during
    assert not redis_py.open_recorders and not redis_py.replaced


# A redis-py that is another one


@pytest.mark.parametrize("owner, method, name, other", [
    *((owner, name, name, None) for owner, name in OF_REDIS),
    *((*used, lambda self: None) for used in redis_py.USED),
])  # fmt: skip
def test_one_that_lacks_what_is_replaced_or_used_is_refused_before_anything_is_changed(
    monkeypatch, owner, method, name, other
):
    redis_py.check.cache_clear()
    monkeypatch.setattr(owner, method, other)
    with pytest.raises(RoundTripsError, match=f"{owner.__name__}.{name}") as refused:
        trace().__enter__()
    assert redis.__version__ in str(refused.value) and redis_py.KNOWN in str(refused.value)
    assert not redis_py.replaced


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_beside_a_thread_that_holds_a_lock(server):
    program = """
import os, redis, signal, threading
from roundtrips import redis_py, trace
statuses = []
held, over = threading.Event(), threading.Event()
tracing = trace()
def hold(lock):
    with lock:
        held.set()
        over.wait()
with tracing as t:
    for lock in (lambda: redis_py.changing, lambda: tracing.recorder.sorting):
        held.clear(), over.clear()
        thread = threading.Thread(target=hold, args=(lock(),))
        thread.start()
        held.wait()
        child = os.fork()
        if not child:
            signal.alarm(10)
            with trace() as inner:
                redis.Redis(**options).get("a")
            os._exit(10 * inner.round_trips + (t.round_trips > 0))
        over.set()
        thread.join()
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(statuses)
"""
    assert printed(server, program, "-W", "ignore") == [11, 11]


def test_what_somebody_else_replaces_meanwhile_stays(monkeypatch):
    monkeypatch.setattr(threading.Thread, "start", threading.Thread.start)  # put back afterwards
    instrumented = MagicMock()
    with trace():
        threading.Thread.start = instrumented
    assert threading.Thread.start is instrumented
