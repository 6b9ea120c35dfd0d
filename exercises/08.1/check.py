"""Chapter 08: side by side under a limit, a pipeline for each thread, a pool that makes its users queue."""

import asyncio
import functools
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor

import redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from ...arguments import shown
from ...testbed import event_loop
from ...testbed.chosen_server import connect
from ...tracing.cost import cost_of
from ...tracing.tap import Tap
from ...words import counted
from ..checking import Refused, exercise_client, replaced, text
from ..exercises import exercise

# 08.1
KEYS = 200
MOST_CONNECTIONS = 20
ROOM = 500  # connections that the client would open if it were asked to
SIDE_BY_SIDE = 2  # requests under way at the same moment, at least
CALLERS = 2  # at the same time
# 08.2
PAGES = ["home", "cart", "help", "jobs", "news", "shop", "team", "wiki"]
RTT_MS = 5  # so that threads meet
# 08.3
THREADS, GRANTED = 12, 4
HELD_S = 0.1  # how long each thread keeps its connection
MOST_PATIENCE_S = 1  # for a connection
PATIENCE = ("The pool's own `timeout` says for how many seconds a thread waits for a connection; as redis-py comes it is 20.",
            "timeout=1: long enough for three threads before you, and no longer than a second.")
AWAKE_S = 1.3  # a wait for a connection that lasts until then was too long


@exercise("08.1", f"write read_all(r, keys): every value with a GET of its own, over at most {MOST_CONNECTIONS} connections", (
    "What you start with gather starts at once, and each call under way holds a connection. What lets only some of them pass?",
    f"limit = asyncio.Semaphore({MOST_CONNECTIONS}), and in a coroutine for one key: async with limit: return await r.get(key)",
))
def read_all(answer):
    if not event_loop.is_async(answer):
        raise Refused("read_all must be a coroutine function: async def read_all(r, keys)",
                      "r is an asyncio client: its methods are awaited, and only in `async def` can one.")
    keys = [f"exercise:key:{i * 7 % KEYS}" for i in range(KEYS)]
    right = [key.replace("key", "value") for key in keys]
    with exercise_client(max_connections=ROOM) as client:
        client.mset(dict(zip(keys, right, strict=True)))
        with Tap() as tap:
            (got,) = event_loop.run(asked, answer, client, keys, 1)
        check_values(got, right)
        check_turns(tap)
        with Tap() as together:
            both = event_loop.run(asked, answer, client, keys, CALLERS)
        for got in both:
            check_values(got, right)
        if together.opened > MOST_CONNECTIONS:
            raise Refused(f"one call keeps to {counted(tap.opened, 'connection')}, but {CALLERS} calls at the same time opened "
                          f"{together.opened}; you were granted {MOST_CONNECTIONS} in all",
                          "A semaphore made in the call bounds that call. Whose connections are they? All callers of one "
                          "client share them.",
                          "Make the semaphore outside the function, or keep one for each client: "
                          "limits.setdefault(r, asyncio.Semaphore(20)), with limits = weakref.WeakKeyDictionary().")
    return (f"{counted(cost_of(tap).round_trips, 'round trip')}, up to {in_flight(tap)} at a time, and {CALLERS} callers share "
            f"{counted(together.opened, 'connection')}")


def check_values(got, right):
    said = [text(value) for value in got] if isinstance(got, (list, tuple)) else got
    if said != right:
        if isinstance(said, list) and sorted(map(str, said)) == sorted(right):
            raise Refused("the right values, but not in the order of keys",
                          "gather returns the results in the order of what it was given, whatever came first.")
        raise Refused(f"a list of {KEYS} values in the order of keys was expected, not {shown(said)}",
                      "return await asyncio.gather(…): what it gives is that list.")


def check_turns(tap):
    trips, most = cost_of(tap).round_trips, in_flight(tap)
    if tap.opened > MOST_CONNECTIONS:
        raise Refused(f"right values, but {counted(tap.opened, 'connection')}; you were granted {MOST_CONNECTIONS}")
    if trips < KEYS:
        raise Refused(f"right values in {counted(trips, 'round trip')}, which is better. "
                      "But this exercise wants a GET for each key, as if they were calls that you can't put together",
                      "A coroutine for one key, which awaits r.get(key); and gather over all of them.")
    if most < SIDE_BY_SIDE:
        raise Refused(f"right values, but never more than {most} under way at a time: nothing waits side by side",
                      "`await` in a loop waits for each reply before it asks for the next. Which function starts several at "
                      "once?",
                      "await asyncio.gather(*(one(key) for key in keys))")
    if trips > KEYS:
        raise Refused(f"right values, but {counted(trips, 'round trip')}; the budget is {KEYS}, one a key",
                      "Ask for each key once.")


async def asked(answer, client, keys, callers):
    """What each of several calls at the same time, with one client, returned."""
    before = asyncio.all_tasks()
    async with event_loop.client_like(client) as own:
        try:
            results = await asyncio.gather(*(answer(own, list(keys)) for _ in range(callers)))
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        for got in results:
            close_coroutines(got)
            if asyncio.isfuture(got):
                await asyncio.gather(got, return_exceptions=True)
            if left or inspect.isawaitable(got) or (isinstance(got, (list, tuple)) and any(map(inspect.isawaitable, got))):
                raise Refused("you returned before the values were there. Await them: return await asyncio.gather(…)",
                              "A coroutine that nobody awaits does nothing; gather gives something that must be awaited as well.")
        return results


def close_coroutines(got):
    for one in got if isinstance(got, (list, tuple)) else [got]:
        if inspect.iscoroutine(one):
            one.close()


def in_flight(tap):
    """The most requests that were under way at the same moment."""
    steps = sorted([(turn.sent, 1) for turn in tap.turns if not turn.handshake]
                   + [(turn.replied, -1) for turn in tap.turns if not turn.handshake])
    most = now = 0
    for _, step in steps:
        now += step
        most = max(most, now)
    return most


@exercise("08.2", "write count_visits(r, pages): count in threads, with a pipeline that no two threads share", (
    "The client may be shared, a pipeline may not: it has one list of commands for everybody who uses it.",
    "Move one line: pipe = r.pipeline(transaction=False) belongs into visit().",
))
def count_visits(answer):
    before = {page: number for number, page in enumerate(PAGES)}
    keys = [f"exercise:{page}" for page in (*PAGES, "all")]
    with exercise_client() as near, connect(RTT_MS, socket_timeout=2, retry=Retry(NoBackoff(), 0)) as client:
        near.mset({f"exercise:{page}": number for page, number in before.items()} | {"exercise:all": 100})
        with Tap() as tap, one_thread_each():
            got = answer(client, list(PAGES))
        stored = dict(zip((*PAGES, "all"), map(int, near.mget(keys)), strict=True))
    right = {page: number + 1 for page, number in before.items()}
    for page, number in {**right, "all": 100 + len(PAGES)}.items():
        if stored[page] != number:
            raise Refused(f"exercise:{page} is {stored[page]} and should be {number}",
                          "Two INCRs a visit: one for the page, one for exercise:all.")
    if not isinstance(got, (list, tuple)) or list(got) != list(right.values()):
        raise Refused(f"the counters are right, but you returned {shown(got)} instead of {list(right.values())}",
                      "execute() returns a list with a reply for each INCR. Which of them is the page's?", "pipe.execute()[0]")
    trips, most = cost_of(tap).round_trips, in_flight(tap)
    if trips > len(PAGES):
        raise Refused(f"right numbers, but {counted(trips, 'round trip')}; the budget is {len(PAGES)}, one a page",
                      "What belongs to one page can leave together: a pipeline for each page.")
    if most < 2:
        raise Refused("right numbers, but never two pages under way at a time: keep the threads",
                      "pool.map(visit, pages) runs visit in the pool's threads.")
    return f"{len(PAGES)} pages in {counted(trips, 'round trip')}, side by side, and no pipeline in the hands of two threads"


def one_thread_each():
    """Refuses a pipeline on which two threads queue, or that two threads execute, before anything goes wrong.

    One that is filled by one thread and then handed to another is in one thread's hands at a time, and right.
    """
    users, lock = {}, threading.Lock()  # (id of a pipeline, the method) -> (pipeline, the thread that called it)

    def guarded(name):
        original = getattr(Pipeline, name)

        @functools.wraps(original)
        def call(self, *args, **kwargs):
            with lock:
                _, user = users.setdefault((id(self), name), (self, threading.get_ident()))
            if user != threading.get_ident():
                raise Refused("one pipeline is in the hands of several threads. Without a lock they take each other's replies; "
                              "with one they wait for each other. Make and use each pipeline in one thread")
            return original(self, *args, **kwargs)
        return call

    return replaced(Pipeline, **{name: guarded(name) for name in ("execute_command", "execute")})


@exercise("08.3", f"write pool_for(kind, options): at most {GRANTED} connections, and a thread waits up to a second for one", (
    "redis-py has two pools. One raises when it is empty; the other lets its user wait.",
    f"redis.BlockingConnectionPool(max_connections={GRANTED}, timeout=1, connection_class=kind, **options)",
))
def pool_for(answer):
    model = connect()
    pool = model.connection_pool
    kind = type("Kind", (pool.connection_class,), {})  # a class that no pool has by default
    made = answer(kind, dict(pool.connection_kwargs))
    if not isinstance(made, redis.ConnectionPool):
        raise Refused(f"a connection pool was expected, not {shown(made)}", "return the pool, not a client.")
    if not issubclass(made.connection_class, kind):
        raise Refused(f"your pool makes connections of the class {made.connection_class.__name__}, not of `kind`; with TLS or "
                      "over a Unix socket it would not get through",
                      "A pool makes plain TCP connections unless it is told otherwise: connection_class=kind")
    if made.max_connections < GRANTED:
        raise Refused(f"your pool holds only {counted(made.max_connections, 'connection')}; Redis grants you {GRANTED}",
                      f"max_connections={GRANTED}")
    client = redis.Redis(connection_pool=made)
    try:
        with Tap() as tap:
            check_queue(client)
        if tap.opened > GRANTED:
            raise Refused(f"all {THREADS} threads were served, but over {counted(tap.opened, 'connection')}; "
                          f"Redis grants {GRANTED}", f"max_connections={GRANTED}")
        check_end_of_patience(made, client)
    finally:
        made.disconnect()
        model.close()
    return f"{THREADS} threads served over {counted(tap.opened, 'connection')}, and nobody waits for more than a second"


def check_queue(client):
    start = threading.Barrier(THREADS)

    def hold(_):
        start.wait()
        try:
            client.blpop("exercise:nothing", HELD_S)
        except redis.RedisError as error:
            return f"{type(error).__name__}: {str(error).rstrip('.')}"

    with ThreadPoolExecutor(THREADS) as threads:
        errors = [said for said in threads.map(hold, range(THREADS)) if said]
    if errors:
        raise Refused(f"{THREADS} threads each held a connection for {HELD_S:g} s, and some were not served: {errors[0]}",
                      *(PATIENCE if isinstance(client.connection_pool, redis.BlockingConnectionPool) else ()))


def check_end_of_patience(pool, client):
    """With all connections taken, a call must give up within a second, and before they are given back."""
    patience = getattr(pool, "timeout", MOST_PATIENCE_S)
    if patience is None or patience > MOST_PATIENCE_S:
        raise Refused(f"with all {GRANTED} connections taken, a thread waits for one for "
                      f"{'ever' if patience is None else f'{patience:g} s'}; {MOST_PATIENCE_S:g} s is the most", *PATIENCE)
    held = [pool.get_connection() for _ in range(GRANTED)]
    give_back = threading.Timer(AWAKE_S, lambda: [pool.release(held.pop()) for _ in range(GRANTED)])
    give_back.start()
    try:
        client.get("exercise:anything")
    except (redis.ConnectionError, redis.TimeoutError):
        pass
    else:
        raise Refused(f"with all {GRANTED} connections taken, a thread still waited for one after {AWAKE_S:g} s", *PATIENCE)
    finally:
        give_back.cancel()  # whoever gives up early need not wait for the rest
        give_back.join()
        for connection in held:
            pool.release(connection)
