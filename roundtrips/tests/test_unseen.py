"""What goes to Redis by another way than through redis-py's own connections is said."""

import functools
import re
import shutil
import sys
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest
import redis
import redis.asyncio

from roundtrips import Uncounted, budget, trace
from runs import printed


class Own:
    """Methods of connections that write and read by themselves, as fakeredis' do.

    They are no class of redis-py's. Of an asyncio connection, only the second can be used.
    """

    def send_packed_command(self, command, check_health=True):
        if not self._sock:
            self.connect()
        self._sock.sendall(b"".join(command))

    def read_response(self, *args, **kwargs):
        return self._parser.read_response()


class Mixed(Own, redis.Connection):
    """A Connection that goes through none of redis-py's methods."""


class AsyncReads(redis.asyncio.Connection):
    """A Connection that writes by redis-py, and reads by itself."""

    read_response = Own.read_response


class Nested(redis.Connection):
    """A Connection that calls redis-py's methods in its own, as retrying code does."""

    def send_packed_command(self, *args, **kwargs):
        super().send_packed_command(*args, **kwargs)

    def read_response(self, *args, **kwargs):
        return super().read_response(*args, **kwargs)


class Commands(redis.Connection):
    """A Connection whose `send_command` writes by itself, which can't be counted: all but SET."""

    def send_command(self, *args, **kwargs):
        if args[0] == "SET":
            super().send_command(*args, **kwargs)
        else:
            Own.send_packed_command(self, self._command_packer.pack(*args))


def client(kind, server, module=redis):
    return module.Redis(connection_pool=module.ConnectionPool(connection_class=kind, **server))


@pytest.mark.parametrize("kind", [Mixed, Nested])
def test_a_connection_with_methods_of_its_own_is_counted(server, kind):
    before = {**vars(kind)}
    with client(kind, server) as own:
        own.ping()
        with trace() as t, budget(exactly=2):
            own.set("a", 1)
            assert own.pipeline().get("a").incr("a").execute() == [b"1", 2]
    assert (t.round_trips, t.setup_trips, t.uncounted) == (2, 0, [])
    assert t.commands == {"SET": 1, "MULTI": 1, "GET": 1, "INCRBY": 1, "EXEC": 1}
    assert {**vars(kind)} == before


async def test_asyncios_connections_alike(server):
    async with client(AsyncReads, server, redis.asyncio) as own:
        await own.ping()
        with trace() as t:
            await own.pipeline().get("a").get("b").execute()
    assert (t.round_trips, t.uncounted) == (1, [])


def test_a_class_that_is_made_while_the_block_is_open_is_counted(server):
    with budget(exactly=1) as t:
        client(type("Late", (Own, redis.Connection), {}), server).get("a")
    assert t.setup_trips > 0 and t.uncounted == []


def test_what_can_not_be_counted_is_said_by_the_call(server):
    own = client(Commands, server)
    own.ping()
    with trace() as t:
        own.set("a", 1)
    assert (t.round_trips, t.uncounted) == (1, [])
    with pytest.raises(Uncounted, match="Commands, whose send_command is not"), budget(max=99):
        own.get("a")


class Wrapper(functools.partialmethod):
    """A stand-in for wrapt's wrapper of methods, with which tracing tools replace redis-py's.

    It is equal to what it wraps, says that it is a function, and can only be called as a method:
    that of the object `last`.
    """

    __class__ = FunctionType

    def __eq__(self, other):
        return self.func == other

    def __hash__(self):
        return hash(self.func)

    def __get__(self, instance, owner):
        self.last = instance
        return super().__get__(instance, owner)


@pytest.mark.parametrize("owner, name", [
    (redis.Connection, "send_packed_command"), (redis.Connection, "read_response"),
    (redis.client.Pipeline, "_execute_pipeline"),
])  # fmt: skip
def test_what_wraps_a_method_is_seen_through_and_stays(r, server, monkeypatch, owner, name):
    """Monitoring tools wrap methods between two blocks, and keep redis-py's own method."""
    with trace():
        r.get("a")
    plain = getattr(owner, name)
    wrapper = functools.update_wrapper(Wrapper(plain), plain)
    monkeypatch.setattr(owner, name, wrapper, raising=False)
    with redis.Redis(**server) as own, trace() as t:
        own.pipeline(transaction=False).get("a").get("b").execute()
    assert (t.round_trips, t.uncounted) == (1, [])
    assert vars(owner)[name] is wrapper and isinstance(wrapper.last, owner)


@pytest.mark.parametrize("loads", ["before", "inside"])
def test_a_redis_py_that_is_vendored_or_valkeys(server, tmp_path, loads):
    """A copy of redis-py in an application is named, whether loaded before the block or in it."""
    copied = shutil.copytree(Path(redis.__file__).parent, tmp_path / "shop" / "redis")
    for file in copied.rglob("*.py"):
        text = file.read_text()
        file.write_text(re.sub(r"(from|import) redis\b", r"\1 shop.redis", text))
    program = f"""
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    loads = {loads!r}
    from roundtrips import trace
    if loads == "before":
        import shop.redis
        with trace() as unused: pass
        assert unused.uncounted == []
    with trace() as t:
        from shop import redis
        redis.Redis(**options).get("a")
    print(json.dumps(t.uncounted))
    """
    [said] = printed(server, program)
    assert "another copy of redis-py (shop.redis)" in said


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
