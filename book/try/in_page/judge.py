"""The lab's own checks on the Redis in memory: what of lab_utils is something else here, and why.

Imported before anything else of lab_utils. A server of the lab's is a port of `memory`, registered
as its own servers are: so what decides on whose database one may write is unchanged.
"""

import contextlib
import itertools
import sys
import threading
import types

import redis  # noqa: F401  before the empty hiredis: it reads replies without it

from . import event_loop, memory

# What a browser's Python lacks: a C extension that no check needs, and locks among kernels.
sys.modules.update(
    hiredis=types.ModuleType("hiredis"),
    fcntl=types.SimpleNamespace(flock=lambda *_: None, LOCK_EX=2),
)
threading.get_native_id = threading.get_ident

from lab_utils.counting import server_counters  # noqa: E402
from lab_utils.testbed import chosen_server, ownership, private_server, server  # noqa: E402
from lab_utils.testbed import event_loop as lab_loop  # noqa: E402

LOOP = event_loop.Loop()  # the lab has one for all functions, since clients belong to a loop
PORTS = itertools.chain([6379], itertools.count(7001))  # the first is what redis.Redis() means
KEPT = types.SimpleNamespace(alive=lambda: True, stop=lambda: None)


def start(binary, *settings, **_):
    """Return a Server in memory, at a port of its own, in place of a private server of the lab.

    `binary` and `settings`, lines of redis.conf, have no effect.
    """
    address = ownership.LOOPBACK, next(PORTS)
    started = server.Server(address, dict(zip(("host", "port"), address, strict=True)), kept=KEPT)
    ownership.add(started)
    return started


def client_of(chosen, rtt_ms, options, *, _client_of=chosen_server.client_of, **_):
    """Return a client of the Server `chosen` without a link, whatever its distance `rtt_ms`.

    The page computes with a distance that readers set below the box; counts do not depend on it.
    `options` are redis-py's.
    """
    return _client_of(chosen, 0, options)


def run(function, *arguments):
    """Call the coroutine function with `arguments` and run it in LOOP; return its result.

    The lab itself runs such functions in a thread, which is not needed here.
    """
    return event_loop.run(function(*arguments), loop=LOOP)


private_server.find_binary = chosen_server.find_binary = lambda: "memory"
private_server.start = chosen_server.start = start
chosen_server.client_of = client_of
server_counters.server_meter = lambda client: contextlib.nullcontext()  # no INFO: no server's µs
lab_loop.run = run


def forget():
    """Empty every Redis in memory."""
    memory.servers.clear()
