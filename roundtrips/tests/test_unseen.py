"""What goes to Redis by another way than through redis-py's own connections is said."""

import sys
from types import SimpleNamespace

import pytest
import redis
import redis.asyncio

from roundtrips import Uncounted, budget, trace
from runs import printed


class Writes(redis.Connection):
    """Writes by itself."""

    def send_packed_command(self, command, check_health=True):
        if not self._sock:
            self.connect()
        for chunk in command:
            self._sock.sendall(chunk)


class Commands(Writes):
    def send_command(self, *args, **kwargs):
        Writes.send_packed_command(self, self._command_packer.pack(*args))


class Reads(redis.Connection):
    def read_response(self, *args, **kwargs):
        return self._parser.read_response()


class AsyncReads(redis.asyncio.Connection):
    async def read_response(self, *args, **kwargs):
        return await self._parser.read_response()


class Goes(redis.Connection):
    """Goes on to redis-py's own."""

    def send_packed_command(self, command, check_health=True):
        super().send_packed_command(command, check_health)

    def read_response(self, *args, **kwargs):
        return super().read_response(*args, **kwargs)


def client(kind, server, module=redis):
    return module.Redis(connection_pool=module.ConnectionPool(connection_class=kind, **server))


@pytest.mark.parametrize("kind", [Writes, Commands, Reads])
def test_a_connection_that_writes_or_reads_by_itself(server, kind):
    with client(kind, server) as own:
        own.ping()
        with trace() as t:
            own.set("a", 1)
            assert own.pipeline().get("a").incr("a").execute() == [b"1", 2]
        with pytest.raises(Uncounted, match=kind.__name__), budget(max=99):
            own.get("a")
    assert any(f"what goes through {kind.__name__}, whose" in said for said in t.uncounted)
    with trace() as t:  # the class is there, and nobody uses it
        redis.Redis(**server).get("a")
    assert t.uncounted == []


async def test_asyncios_connections_alike(server):
    async with client(AsyncReads, server, redis.asyncio) as own, trace() as t:
        await own.ping()
        await own.pipeline().get("a").get("b").execute()
    assert any("AsyncReads" in said for said in t.uncounted)


def test_one_that_goes_on_to_redis_pys_own_is_counted(server):
    with client(Goes, server) as own, trace() as t:
        own.set("a", 1)
        assert own.pipeline().get("a").incr("a").execute() == [b"1", 2]
    assert (t.round_trips, t.uncounted) == (2, [])


@pytest.mark.parametrize("first", ["roundtrips.redis_py", "redis.connection"])
def test_a_redis_py_that_was_loaded_twice(server, first):
    program = f"""
    import importlib, redis, {first}
    importlib.reload(redis.connection)
    from roundtrips import trace
    with trace() as t:
        redis.Redis(**options).get("a")
        pool = redis.connection.ConnectionPool(**options)
        redis.Redis(connection_pool=pool).get("b")
    print(json.dumps(t.uncounted))
    """
    assert any("loaded a second time" in said for said in printed(server, program))


@pytest.mark.parametrize("module, file, said", [
    ("glide", "/usr/lib/python3/site-packages/glide/__init__.py", ["valkey-glide"]),
    ("aioredis", "/usr/lib/python3/site-packages/aioredis/__init__.py", ["aioredis"]),
    ("glide", "/home/me/shop/glide.py", []),
])  # fmt: skip
def test_another_client_is_said_and_a_module_of_ones_own_is_not(r, monkeypatch, module, file, said):
    monkeypatch.setitem(sys.modules, module, SimpleNamespace(__file__=file))
    with trace() as t:
        r.get("a")
    words = "not counted: what goes through {}, used or not: it is imported; only redis-py is"
    assert t.uncounted == [words.format(name) for name in said]
