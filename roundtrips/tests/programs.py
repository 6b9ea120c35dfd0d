"""Programs as data, which hypothesis makes up, and what runs them between a trace and a proxy.

A program is a dict: {"mode": "sync" or "async", "client": options, "warm": connections, "steps":
[[kind, …], …]}, and can be kept as JSON. `play` runs one and returns what was seen: of the
outermost block by the trace and by the proxy, and of each block by the trace and by a tally that
the steps keep themselves (what they must send, by redis-py's and Redis' documentation).

A step is a coroutine for both kinds of client: of a plain one nothing in it ever waits, so it is
run by hand, without a loop.
"""

import asyncio
import contextlib
import inspect
import itertools
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import redis
import redis.asyncio
import redis.asyncio.retry
import redis.retry
from hypothesis import strategies as st
from redis.backoff import NoBackoff

from roundtrips import trace

numbers = itertools.count()  # for names that nothing else has

try:
    from redis._parsers import _AsyncRESP2Parser, _RESP2Parser
except ImportError:  # pragma: no cover
    _RESP2Parser = _AsyncRESP2Parser = None
VERSION = tuple(map(int, redis.__version__.split(".")[:2]))
HAS_CACHE = VERSION >= (6, 0)
HAS_GROUPS = sys.version_info >= (3, 11)


# What is sent: name -> (what calls it, the command that Redis gets)

LARGE = "x" * 150_000
COMMANDS = {
    "get": (lambda c: c.get("user:1"), "GET"),
    "set": (lambda c: c.set("user:1", "a", ex=100), "SET"),
    "incr": (lambda c: c.incr("count"), "INCRBY"),
    "mget": (lambda c: c.mget(["user:1", "user:2"]), "MGET"),
    "hset": (lambda c: c.hset("hash", mapping={"a": 1, "b": b"\r\n*3"}), "HSET"),
    "hgetall": (lambda c: c.hgetall("hash"), "HGETALL"),
    "lpush": (lambda c: c.lpush("list", "*1\r\n$4\r\nPING\r\n", 2.5), "LPUSH"),
    "lrange": (lambda c: c.lrange("list", 0, 3), "LRANGE"),
    "zadd": (lambda c: c.zadd("zset", {"a": 1}, nx=True), "ZADD"),
    "xadd": (lambda c: c.xadd("stream", {"a": 1}, maxlen=5), "XADD"),
    "wrongtype": (lambda c: c.incr("hash"), "INCRBY"),
    "arguments": (lambda c: c.execute_command("GET"), "GET"),
    "eval": (lambda c: c.eval("return {1, {2, KEYS[1]}}", 1, "user:1"), "EVAL"),
    "scripts": (lambda c: c.script_exists("a" * 40), "SCRIPT EXISTS"),
    "config": (lambda c: c.config_get("maxmemory"), "CONFIG GET"),
    "words": (lambda c: c.execute_command("OBJECT ENCODING", "hash"), "OBJECT ENCODING"),
    "lower": (lambda c: c.execute_command("echo", b"\xff\r\n"), "ECHO"),
}
ALONE = {  # not in a pipeline
    "publish": (lambda c: c.publish("news", "x"), "PUBLISH"),
    "ping": (lambda c: c.ping(), "PING"),
    "scan": (lambda c: c.scan(count=100_000), "SCAN"),
    "blpop": (lambda c: c.blpop("nothing", timeout=0.01), "BLPOP"),
    "xread": (lambda c: c.xread({"stream": "$"}, block=10), "XREAD"),
}
BIG = {
    "large": (lambda c: c.set("large", LARGE), "SET"),
    "longer": (lambda c: c.get("large"), "GET"),
}
ALL = COMMANDS | ALONE | BIG


async def got(value):
    return await value if inspect.isawaitable(value) else value


def by_hand(coroutine):
    """Run a coroutine that never waits, without an event loop; return its result.

    Raises AssertionError if the coroutine waits after all.
    """
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits")


class Block:
    """A counting block of a program, with the round trips that must be seen in it.

    `tracing` is the trace(); `scope` is its argument. `tally` lists the round trips to be seen,
    each as a list of its commands' names.
    """

    def __init__(self, scope="block"):
        self.tracing, self.tally = trace(scope), []


class Run:
    """One run of a program made up by hypothesis, through a proxy.

    `program` is a dict as the module's docstring describes it. `modelled` is whether the tally of
    its blocks must be right, `exact` whether the proxy hears each write as one, `unread_bytes`
    whether bytes may come that nobody waits for. `play` runs the program and returns this Run.
    """

    def __init__(self, program, proxy):
        self.program, self.proxy = program, proxy
        self.asynchronous = program["mode"] == "async"
        kinds = set(kinds_of(program["steps"]))
        told = program["client"]
        unknown = {"cut", "kill", "timeout", "refused", "cancel"}
        self.modelled = not (kinds & unknown or told.get("health") or told.get("cache"))
        self.exact = not kinds & {"big", "pipelines of many"}
        self.unread_bytes = bool(kinds & {"pubsub", "timeout", "cancel"} or told.get("cache"))
        self.unread = 0  # UNSUBSCRIBEs whose replies nobody reads
        self.failures = []  # of redis-py, as the program sees them
        self.blocks = []

    # Clients

    def client(self, **changes):
        told = {**self.program["client"], **changes}
        asynchronous = told.get("asynchronous", self.asynchronous)
        module = redis.asyncio if asynchronous else redis
        options = {
            **self.proxy.options, "retry": module.retry.Retry(NoBackoff(), told.get("retries", 0)),
            "protocol": told.get("protocol", 2), "socket_timeout": told.get("timeout", 20),
            "decode_responses": told.get("decode", False),
        }  # fmt: skip
        if told.get("health"):
            options["health_check_interval"] = 1e-9
        if told.get("plain"):
            options["parser_class"] = _AsyncRESP2Parser if asynchronous else _RESP2Parser
        if told.get("cache") and HAS_CACHE:
            options |= {"cache_config": redis.cache.CacheConfig(), "protocol": 3}
            return redis.Redis(**options)
        kind = module.BlockingConnectionPool if told.get("most") else module.ConnectionPool
        most = {"max_connections": told["most"], "timeout": 20} if told.get("most") else {}
        single = {"single_connection_client": True} if told.get("single") else {}
        return module.Redis(connection_pool=kind(**options, **most), **single)

    @staticmethod
    async def close(client):
        await got(client.aclose() if hasattr(client, "aclose") else client.close())
        await got(client.connection_pool.disconnect())

    # Steps

    def must(self, blocks, *turns):
        """Add the round trips `turns` to the tally of each of `blocks`.

        Each is a list of its commands' names.
        """
        for block in blocks:
            block.tally.extend(turns)

    async def trying(self, calls):
        """Await `calls()` and return its result; if redis-py raises an error, return None.

        The name of the error's class is appended to `failures`.
        """
        try:
            return await got(calls())
        except (redis.RedisError, asyncio.TimeoutError, ValueError, RuntimeError) as error:
            self.failures.append(type(error).__name__)

    async def steps(self, client, steps, blocks):
        for kind, *told in steps:
            method = getattr(self, "do_" + kind.split()[0])
            await method(client, blocks, *told)

    async def do_loop(self, client, blocks, times, names):
        for _ in range(times):
            for name in names:
                call, sent = ALL[name]
                self.must(blocks, [sent])
                await self.trying(lambda call=call: call(client))

    do_big = do_loop

    async def do_pipeline(self, client, blocks, transaction, names, times=1):
        pipe = client.pipeline(transaction=transaction)
        sent = []
        for name in names * times:
            call, command = COMMANDS[name]
            call(pipe)
            sent.append(command)
        if sent:
            self.must(blocks, ["MULTI", *sent, "EXEC"] if transaction else sent)
        await self.trying(lambda: pipe.execute(raise_on_error=times % 2 == 0))
        await got(pipe.reset())

    do_pipelines = do_pipeline

    async def do_watch(self, client, blocks, how):
        key = f"watched:{next(numbers)}"
        pipe = client.pipeline()

        async def watched():
            self.must(blocks, ["WATCH"], ["GET"])
            await got(pipe.watch(key))
            await got(pipe.get(key))
            if how == "leave":
                self.must(blocks, ["UNWATCH"])
                return
            if how == "conflict":
                self.must(blocks, ["SET"])
                await got(client.set(key, 1))
            pipe.multi()
            pipe.set(key, 2)
            self.must(blocks, ["MULTI", "SET", "EXEC"])
            await got(pipe.execute())

        await self.trying(watched)
        await self.trying(pipe.reset)

    async def do_script(self, client, blocks, times, how):
        text = f"return redis.call('INCR', KEYS[1]) -- {next(numbers)}"
        script = client.register_script(text)
        if how == "pipeline":
            self.must(blocks, ["SCRIPT EXISTS"], ["SCRIPT LOAD"], ["EVALSHA"] * times)
            pipe = client.pipeline(transaction=False)
            for _ in range(times):
                await got(script(keys=["count"], client=pipe))
            await self.trying(pipe.execute)
            await got(pipe.reset())
            return
        self.must(blocks, ["EVALSHA"], ["SCRIPT LOAD"], *[["EVALSHA"]] * times)
        for _ in range(times):
            await self.trying(lambda: script(keys=["count"]))

    async def do_lock(self, client, blocks):
        self.must(blocks, ["SET"], ["EVALSHA"])
        lock = client.lock(f"lock:{next(numbers)}", timeout=50)
        if await self.trying(lock.acquire):
            await self.trying(lock.release)

    async def do_pubsub(self, client, blocks, times, end):
        news = f"news:{next(numbers):06}"

        async def message():
            failed = len(self.failures)
            await self.trying(lambda: listener.get_message(timeout=5))
            if len(self.failures) > failed:  # it has subscribed again by itself: wait for the reply
                await self.trying(lambda: listener.get_message(timeout=5))

        options = client.connection_pool.connection_kwargs
        is_resp3 = options["protocol"] == 3
        if (
            self.program["client"].get("cache")  # redis-py's client with a cache can't listen
            # Nor can that one: it prints what it should return.
            or (VERSION < (5, 1) and is_async(client) and is_resp3)
            # Where hiredis is installed, that one waits for a reply after the confirmation.
            or (VERSION < (6, 0) and is_resp3 and "parser_class" in options)
        ):
            return
        listener = client.pubsub()
        self.must(blocks, ["SUBSCRIBE"])
        await self.trying(lambda: listener.subscribe(news))
        await message()
        for _ in range(times):
            self.must(blocks, ["PUBLISH"])
            await self.trying(lambda: client.publish(news, "x"))
            await message()
        if end != "close" and self.modelled:  # else it may not wait, as it never subscribed
            await self.trying(lambda: listener.unsubscribe(news))
            if end == "read":
                self.must(blocks, ["UNSUBSCRIBE"])
                await message()
            else:
                self.unread += 1
        await got(listener.aclose() if hasattr(listener, "aclose") else listener.close())

    async def do_close(self, client, blocks):
        await self.close(client)

    async def do_client(self, client, blocks, told, steps):
        changes = {**told, "asynchronous": is_async(client), "cache": False}
        inner = await self.trying(lambda: self.client(**changes))  # a single one connects here
        if inner is not None:
            await self.steps(inner, steps, blocks)
            await self.close(inner)

    # Whatever goes wrong

    async def do_cut(self, client, blocks, when, nth, steps):
        self.proxy.cut(when, nth)
        await self.steps(client, steps, blocks)
        self.proxy.cut("")

    async def do_kill(self, client, blocks):
        self.proxy.cut("now")

    async def do_refused(self, client, blocks, times, steps):
        self.proxy.refusing = times
        await self.do_client(client, blocks, {}, steps)
        self.proxy.refusing = 0

    async def do_timeout(self, client, blocks, retries, pipeline):
        """Wait for replies that come later than the client's timeout."""
        told = {"timeout": 0.03, "retries": retries, "asynchronous": is_async(client)}
        inner = self.client(**told, cache=False, health=False)
        await self.trying(inner.ping)
        if pipeline:
            pipe = inner.pipeline(transaction=False).get("a").blpop("nothing", 1).get("b")
            await self.trying(pipe.execute)
        else:
            await self.trying(lambda: inner.blpop("nothing", timeout=1))
        await self.trying(lambda: inner.get("a"))
        await self.close(inner)

    async def do_cancel(self, client, blocks):
        """Cancel a task while it waits for its reply."""
        if is_async(client):
            await self.trying(lambda: asyncio.wait_for(client.blpop("nothing", timeout=5), 0.03))

    # Blocks

    async def do_block(self, client, blocks, how, steps):
        block = Block()
        self.blocks.append(block)
        with contextlib.suppress(ZeroDivisionError), block.tracing:
            await self.steps(client, steps, (*blocks, block))
            if how == "raise":
                raise ZeroDivisionError

    async def do_overlap(self, client, blocks, one, both, other):
        first, second = Block(), Block()
        self.blocks += [first, second]
        first.tracing.__enter__()
        await self.steps(client, one, (*blocks, first))
        second.tracing.__enter__()
        await self.steps(client, both, (*blocks, first, second))
        first.tracing.__exit__(None, None, None)
        await self.steps(client, other, (*blocks, second))
        second.tracing.__exit__(None, None, None)

    # Several at once

    def branch(self, client, steps, blocks):
        """Return a function without arguments that does `steps` with `client`, a redis.Redis.

        The function may be called in any thread. `blocks` are the Blocks that must count these
        steps.
        """
        return lambda: by_hand(self.steps(client, steps, blocks))

    async def do_threads(self, client, blocks, branches):
        threads = [threading.Thread(target=self.branch(client, each, blocks)) for each in branches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    async def do_executor(self, client, blocks, how, branches):
        calls = [self.branch(client, each, blocks) for each in branches]
        kind = {"pool": ThreadPool, "inside": ThreadPoolExecutor}.get(how)
        with kind(2) if kind else contextlib.nullcontext(self.warm_pool) as pool:
            list(pool.map(lambda call: call(), calls))

    async def do_gather(self, client, blocks, how, branches):
        made = [self.steps(client, each, blocks) for each in branches]
        if how == "group" and HAS_GROUPS:
            async with asyncio.TaskGroup() as group:
                for each in made:
                    group.create_task(each)
        elif how == "tasks":
            for task in [asyncio.create_task(each) for each in made]:
                await task
        else:
            await asyncio.gather(*made)

    async def do_commands(self, client, blocks, names):
        """Give redis-py's coroutines themselves to asyncio.gather(), which makes tasks of them."""
        self.must(blocks, *([ALL[name][1]] for name in names))
        calls = [ALL[name][0](client) for name in names]
        results = await asyncio.gather(*calls, return_exceptions=True)
        self.failures += [type(each).__name__ for each in results if isinstance(each, Exception)]

    async def do_inthread(self, client, blocks, how, steps):
        call = self.branch(self.plain, steps, blocks)
        if how == "to_thread":
            await asyncio.to_thread(call)
        else:
            pool = {"default": None, "before": self.warm_pool}[how]
            await asyncio.get_running_loop().run_in_executor(pool, call)

    async def do_callback(self, client, blocks, how, steps):
        """Do `steps` in a task that a callback of the event loop starts; wait for that task.

        The callback comes from loop.call_soon() if `how` is "soon", else from a task that is done.
        """
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def start(*_):
            task = loop.create_task(self.steps(client, steps, blocks))
            task.add_done_callback(lambda _: done.set())
            kept.append(task)

        kept = []
        if how == "soon":
            loop.call_soon(start)
        else:
            loop.create_task(asyncio.sleep(0)).add_done_callback(start)
        await done.wait()
        await kept[0]

    # All of it

    async def main(self):
        self.warm_pool = ThreadPoolExecutor(2)
        list(self.warm_pool.map(lambda _: threading.Barrier, range(2)))
        client = self.client()
        self.plain = self.client(asynchronous=False, cache=False) if self.asynchronous else client
        try:
            for each in {client, self.plain}:
                await got(each.hset("hash", "a", 1))
                lock = each.lock("lock", timeout=50)
                await got(lock.acquire())
                await got(lock.release())
            if self.asynchronous:
                calls = [client.ping() for _ in range(self.program["warm"])]
                await asyncio.gather(*calls)
                await asyncio.to_thread(int)  # so that the loop's own executor has a worker
            block = Block(self.program.get("scope", "block"))
            self.blocks.append(block)
            before = self.proxy.settle()
            with block.tracing:
                await self.steps(client, self.program["steps"], (block,))
            self.seen = self.proxy.settle() - before
        finally:
            for each in {client, self.plain}:
                await self.close(each)
            self.warm_pool.shutdown()

    def play(self):
        if self.asynchronous:
            asyncio.run(self.main())
        else:
            by_hand(self.main())
        return self


def is_async(client):
    return isinstance(client, redis.asyncio.Redis)


def kinds_of(steps):
    """Yield the kind of each step, such as "loop", also of steps inside other steps.

    Of a list of commands' names among a step's arguments, its first name is yielded too.
    """
    for each in steps:
        if isinstance(each, (list, tuple)):
            if each and isinstance(each[0], str):
                yield each[0]
            yield from kinds_of(each)


# How they are made up

names = st.lists(st.sampled_from(sorted(COMMANDS)), max_size=5)
alone = st.lists(st.sampled_from(sorted(COMMANDS | ALONE)), min_size=1, max_size=4)
times = st.integers(1, 3)


def step(*parts):
    return st.tuples(*(each if hasattr(each, "map") else st.just(each) for each in parts)).map(list)


CALM = [  # in any thread or task, whatever goes on beside
    step("loop", st.integers(1, 6), alone),
    step("pipeline", st.booleans(), names, times),
    step("watch", st.sampled_from(["plain", "conflict", "leave"])),
    step("script", times, st.sampled_from(["call", "pipeline"])),
    step("lock"),
    step("pubsub", st.integers(0, 3), st.sampled_from(["close", "read", "unread"])),
    step("big", st.just(1), st.just(["large", "longer"])),
    step("pipelines of many", st.booleans(), names, st.integers(20, 80)),
]
ROUGH = [  # one after the other only
    step("close"), step("kill"), step("timeout", st.integers(0, 1), st.booleans()), step("cancel"),
]  # fmt: skip
calm = st.lists(st.one_of(CALM), max_size=3)
clients = st.fixed_dictionaries({}, optional={
    "protocol": st.sampled_from([2, 3]), "decode": st.booleans(), "plain": st.booleans(),
    "retries": st.integers(0, 2),
})  # fmt: skip


def around(inner):
    """Return a hypothesis strategy for steps that contain other steps, drawn from `inner`."""
    return st.one_of(
        step("block", st.sampled_from(["pass", "raise"]), inner),
        step("overlap", inner, inner, inner),
        step("client", clients, inner),
    )


branch = st.lists(st.one_of(*CALM, around(calm)), max_size=3)
branches = st.lists(branch, min_size=1, max_size=4)
BESIDE = {
    "sync": [
        step("threads", branches),
        step("executor", st.sampled_from(["inside", "before", "pool"]), branches),
    ],
    "async": [
        step("gather", st.sampled_from(["gather", "group", "tasks"]), branches),
        step("commands", alone),
        step("inthread", st.sampled_from(["to_thread", "default", "before"]), branch),
        step("callback", st.sampled_from(["soon", "done"]), branch),
    ],
}
# redis-py's own trouble before 6.0: it asks for a sign of life in the midst of setting up.
HEALTHY = [{"health": True}, {"cache": True, "plain": False}] if HAS_CACHE else []
cuts = step("cut", st.sampled_from(["asked", "unasked", "answered"]), st.integers(1, 4), calm)
refusals = step("refused", times, calm)


@st.composite
def programs(draw):
    mode = draw(st.sampled_from(["sync", "async"]))
    client = draw(clients)
    rough = draw(st.booleans())
    if rough:  # one thread and one task
        healthy = HEALTHY if mode == "sync" else []
        client |= draw(st.sampled_from([{}, {"single": True}, *healthy]))
        inside = st.lists(st.one_of(*ROUGH, *CALM, cuts, refusals), max_size=4)
        steps = st.lists(st.one_of(*ROUGH, *CALM, cuts, refusals, around(inside)), max_size=6)
    else:
        client |= draw(st.fixed_dictionaries({}, optional={"most": st.just(6)}))
        inside = st.lists(st.one_of(*CALM, *BESIDE[mode]), max_size=3)
        steps = st.lists(st.one_of(*CALM, *BESIDE[mode], around(inside)), max_size=5)
    return {
        "mode": mode, "client": client, "warm": draw(st.integers(1, 4)),
        "scope": draw(st.sampled_from(["block", "block", "process"])),
        "batch": draw(st.sampled_from([1_000, 2])), "steps": draw(steps),
    }  # fmt: skip
