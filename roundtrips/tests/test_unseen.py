"""What goes to Redis by another way than through redis-py's own connections is said."""

import functools
import re
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis
import redis.asyncio

from roundtrips import Uncounted, budget, trace
from runs import printed


def writes(self, command, check_health=True):
    """Stand in for a Connection's send_packed_command: write to its socket, not by redis-py."""
    if not self._sock:
        self.connect()
    for chunk in command:
        self._sock.sendall(chunk)


def reads(self, *args, **kwargs):
    """Stand in for a Connection's read_response: ask its parser for the reply, not redis-py.

    Of an asyncio connection, return a coroutine.
    """
    return self._parser.read_response()


Writes = type("Writes", (redis.Connection,), {"send_packed_command": writes})
Reads = type("Reads", (redis.Connection,), {"read_response": reads})
AsyncReads = type("AsyncReads", (redis.asyncio.Connection,), {"read_response": reads})
# As fakeredis' connections: what reads is no class of redis-py's.
Mixed = type("Mixed", (type("Mixin", (), {"read_response": reads}), redis.Connection), {})


class Nested(redis.Connection):
    """A Connection that calls redis-py's methods in an inner function, as retrying code does."""

    def send_packed_command(self, command, check_health=True):
        (lambda: super(Nested, self).send_packed_command(command, check_health))()

    def read_response(self, *args, **kwargs):
        return (lambda: super(Nested, self).read_response(*args, **kwargs))()


class Both(Writes):
    """A Connection that goes through redis-py's methods for some commands only.

    `send_command` writes all but SET to the socket itself; `send_packed_command` writes a command
    itself unless it comes in several chunks, as a long one does.
    """

    def send_packed_command(self, command, check_health=True):
        own = redis.Connection if len(command) > 1 else Writes
        own.send_packed_command(self, command)

    def send_command(self, *args, **kwargs):
        if args[0] == "SET":
            super().send_command(*args, **kwargs)
        else:
            self._sock.sendall(b"".join(self._command_packer.pack(*args)))


def client(kind, server, module=redis):
    return module.Redis(connection_pool=module.ConnectionPool(connection_class=kind, **server))


@pytest.mark.parametrize("kind", [Writes, Reads, Mixed, Nested])
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


class Commands(redis.Connection):
    """A Connection whose `send_command` writes to the socket: its writes can't be counted."""

    def send_command(self, *args, **kwargs):
        if not self._sock:
            self.connect()
        self._sock.sendall(b"".join(self._command_packer.pack(*args)))


@pytest.mark.parametrize(
    "method, base", [("send_packed_command", Writes), ("read_response", Reads)]
)
def test_a_class_that_is_made_while_the_block_is_open_is_counted(server, method, base):
    plain = vars(base)[method]
    with budget(exactly=1) as t:
        own = client(type("Late", (redis.Connection,), {method: plain}), server)
        own.get("a")
    assert t.setup_trips > 0 and t.uncounted == []


def test_what_can_not_be_counted_is_said(server):
    with pytest.raises(Uncounted, match="Commands, whose send_command is not"), budget(max=99):
        client(Commands, server).get("a")


def test_a_method_that_goes_on_only_sometimes_is_judged_by_the_call(server):
    with client(Both, server) as own:
        own.ping()
        with trace() as t:
            own.set("a", 1)
        assert (t.round_trips, t.uncounted) == (1, [])
        with pytest.raises(Uncounted, match="Both, whose send_command"), budget(max=99):
            own.get("a")


@pytest.mark.parametrize("name", ["send_packed_command", "read_response"])
def test_what_wraps_a_method_of_one_class_is_seen_through(r, server, monkeypatch, name):
    """Monitoring tools wrap methods before the block, and keep redis-py's own method."""
    plain = getattr(redis.Connection, name)

    @functools.wraps(plain)
    def wrapped(self, *args, **kwargs):
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(redis.Connection, name, wrapped, raising=False)
    with redis.Redis(**server) as own, trace() as t:
        assert [own.get("a"), own.get("b")] == [None, None]
    assert (t.round_trips, t.uncounted) == (2, []) and vars(redis.Connection)[name] is wrapped


class Wrapper:
    """A stand-in for wrapt's wrapper of methods, with which tracing tools replace redis-py's.

    It is equal to what it wraps, and is called as a method. Each call appends the object whose
    method it is to the list `seen`.
    """

    def __init__(self, wrapped, seen, instance=None):
        self.__wrapped__, self.seen, self.instance = wrapped, seen, instance

    def __eq__(self, other):
        return self.__wrapped__ == other

    def __hash__(self):
        return hash(self.__wrapped__)

    @property
    def __class__(self):
        return type(self.__wrapped__)

    def __get__(self, instance, owner):
        return Wrapper(self.__wrapped__.__get__(instance, owner), self.seen, instance)

    def __call__(self, *args, **kwargs):
        self.seen.append(self.instance)
        return self.__wrapped__(*args, **kwargs)


def test_what_is_wrapped_between_two_blocks_stays_wrapped(r, monkeypatch):
    with trace():
        r.get("a")
    seen, name = [], "_execute_pipeline"
    wrapper = Wrapper(vars(redis.client.Pipeline)[name], seen)
    monkeypatch.setattr(redis.client.Pipeline, name, wrapper)
    pipe = r.pipeline(transaction=False)
    with trace() as t:
        pipe.get("a").get("b").execute()
    assert (t.round_trips, t.uncounted, seen) == (1, [], [pipe])
    assert vars(redis.client.Pipeline)[name] is wrapper


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
