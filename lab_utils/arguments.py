"""What a helper is handed, looked at before anything runs: a LabError says what is wrong with it and what to hand instead.

A wrong argument must never end as a figure. The worst are those that run nothing at all: a coroutine nobody awaits, a
generator nobody reads, a pipeline nobody executes. They would be counted as 0 and timed as fast.
"""

import asyncio
import contextlib
import functools
import inspect
import itertools
import math
import numbers
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from fractions import Fraction

import redis
from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.cluster import ClusterPipeline, RedisCluster

from .errors import LabError
from .words import counted

LONGEST_SHOWN = 60
HUGEST = 1e15  # beyond it there is nothing here to count or to measure
TINIEST = 1e-9
ASYNC_CLIENTS = (redis.asyncio.Redis, redis.asyncio.RedisCluster, AsyncPipeline)
PIPELINES = (redis.client.Pipeline, ClusterPipeline, AsyncPipeline, AsyncClusterPipeline)
PLAIN, CONTAINERS = (str, bytes, int, float, type(None)), (list, tuple, set, frozenset, dict)
MOST_LOOKED_AT, DEEPEST = 100, 3  # values at each level of a reply, and levels below it


def shown(value):
    """A value as an error message can hold it: short, on one line, whatever its repr does."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN - 3]}..."


def is_async(fn):
    """True for `async def f(client)`, a functools.partial of one, and an object whose `__call__` is `async def`."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return any(map(inspect.iscoroutinefunction, (fn, call_of(fn))))


def is_generator(fn):
    while isinstance(fn, functools.partial):
        fn = fn.func
    return any(test(each) for test in (inspect.isgeneratorfunction, inspect.isasyncgenfunction) for each in (fn, call_of(fn)))


def call_of(fn):
    """What a call of an object that is no function runs; None for one that cannot be called."""
    return inspect.getattr_static(type(fn), "__call__", None)


def check_function(fn, helper, call="loop, r", such_as="a function of a client, such as `def loop(r): ...`", may_be_async=False,
                   takes=1):
    """Raises LabError unless `fn` is a function of `takes` arguments that `helper` can run. `call` shows how to pass it."""
    if not callable(fn) or isinstance(fn, type):
        raise LabError(f"{helper} needs {such_as}, and got {shown(fn)}. "
                       f"Pass the function itself, without calling it: {helper}({call}).")
    if is_generator(fn):
        raise LabError(f"{helper} got a generator function: calling it runs none of its lines. Let it return what it read, "
                       "as in `return [r.get(key) for key in keys]`, instead of `yield`.")
    if not may_be_async and is_async(fn):
        raise LabError(f"{helper} takes a plain function, and this one is `async def`. Write it as `def`; lab.count and "
                       "lab.compare take both.")
    with contextlib.suppress(ValueError):  # some functions written in C tell nobody what they take
        signature = inspect.signature(fn)
        try:
            signature.bind(*range(takes))
        except TypeError:
            raise LabError(f"{helper} needs {such_as}, and this one takes {signature}. Write it so that it takes what it is "
                           "given, and has the rest from outside.") from None


def check_ran(reply, helper):
    """Raises LabError if what a function returned shows that its work has not been done yet."""
    for each in parts_of(reply):
        if isinstance(each, PIPELINES) and len(each):
            raise LabError(f"{helper} ran a function that returned a pipeline that still holds {counted(len(each), 'command')}, "
                           "not sent. Did you forget execute()? Let it return pipe.execute().")
        if is_awaited_by_nobody(each):
            discard(reply)
            raise LabError(f"{helper} ran a function that returned a coroutine, so its work was never done. Write the function "
                           "as `async def` and `await` in it; a lambda cannot.")
        if isinstance(each, (Iterator, AsyncIterator)):
            discard(reply)
            raise LabError(f"{helper} ran a function that returned {shown(type(each).__name__)}, whose items nobody has read, so "
                           "its work may not have been done. Let it return list(...) of it.")
    return reply


def parts_of(reply):
    """What stands in a reply, level by level, but for plain values: the first of each level, since a reply may be long."""
    level = [reply]
    for _ in range(1 + DEEPEST):
        yield from (each for each in level if not isinstance(each, (*PLAIN, *CONTAINERS)))
        inside = itertools.chain.from_iterable(items_of(each) for each in level if isinstance(each, CONTAINERS))
        level = list(itertools.islice(inside, MOST_LOOKED_AT))


def items_of(container):
    return container.values() if isinstance(container, dict) else container


def is_awaited_by_nobody(value):
    """A client of asyncio's can be awaited too, and need not; a task that is done has done its work."""
    if isinstance(value, (*ASYNC_CLIENTS, *PIPELINES)):
        return False
    return not value.done() if isinstance(value, asyncio.Future) else inspect.isawaitable(value)


def check_sent(commands, helper):
    """Raises LabError if an `async def` function sent no command: without `await` nothing is sent, and nobody says so."""
    if not commands:
        raise LabError(f"{helper} ran an `async def` function that sent nothing to Redis. Did you forget await? "
                       "Write `await r.get(key)`: without it the command is never sent.")


def discard(value):
    """Closes the coroutines in a value, however deep in lists and dicts: nobody will await them, and Python would warn of it."""
    if inspect.iscoroutine(value) or inspect.isgenerator(value):
        value.close()
    elif isinstance(value, asyncio.Future):
        value.cancel()
    elif isinstance(value, (list, tuple, set, frozenset, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            discard(each)


def discarding(function):
    """A helper that closes the coroutines it was handed in place of functions, when it refuses them."""
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except LabError:
            discard([*args, *kwargs.values()])
            raise
    return wrapper


def check_client(client, helper, cluster=False):
    """Raises LabError unless `client` is a plain `redis.Redis`, or a `redis.RedisCluster` where `cluster` says so."""
    if isinstance(client, PIPELINES):
        raise LabError(f"{helper} got a pipeline in place of a client. Pass the client, and let the function make its pipeline: "
                       "`pipe = r.pipeline()`.")
    if isinstance(client, ASYNC_CLIENTS):
        raise LabError(f"{helper} got an asyncio client. Pass the plain one that lab.connect() returns; an `async def` function "
                       "gets an asyncio client with the same address where the helper takes one.")
    if isinstance(client, RedisCluster) and not cluster:
        raise LabError(f"{helper} takes the client of one server, and got one of a whole cluster. Pass lab.connect(), or "
                       "lab.cluster().node(0) for one of its nodes.")
    if not isinstance(client, (redis.Redis, RedisCluster)):
        raise LabError(f"{helper} needs a client such as lab.connect() returns, and got {shown(client)}. "
                       "Pass a redis.Redis.")


def check_number(value, name, least=-math.inf, most=math.inf, whole=False):
    """`value` as an int or a float; raises LabError unless it is a number from `least` to `most`, and whole if asked."""
    fits = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    if not fits or not -HUGEST <= value <= HUGEST or not least <= value <= most or isinstance(value, Fraction):
        kind = "a whole number" if whole else "a number"
        bounds = f" from {least:,} to {most:,}" if math.isfinite(most) else f", {least:,} or more" if math.isfinite(least) else ""
        raise LabError(f"{name}={shown(value)} is not {kind}{bounds}. Choose {kind}{bounds}, without quotes.")
    return int(value) if isinstance(value, numbers.Integral) else float(value)


def check_flag(value, name):
    """Raises LabError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise LabError(f"{name}={shown(value)} is neither True nor False. Write {name}=True, or leave it out.")


def check_positive(value, name):
    """`value` as an int or a float; raises LabError unless it is a number above 0."""
    if check_number(value, name, 0) < TINIEST:
        raise LabError(f"{name}={shown(value)} must be above 0. Choose a positive number.")
    return check_number(value, name)


@contextlib.contextmanager
def as_options(options, helper):
    """Raises LabError in place of what redis-py raises inside the block for options that it does not take."""
    try:
        yield
    except (TypeError, ValueError, AttributeError, LookupError, redis.RedisError) as error:
        lost = isinstance(error, (redis.ConnectionError, redis.TimeoutError)) and "protocol" not in str(error)
        if lost or not options:
            raise
        why = str(error) if isinstance(error, redis.RedisError) else shown(error)
        raise LabError(f"{helper} hands its options on to redis.Redis, and with {', '.join(options)} as given it does not work "
                       f"({why}). Write them as redis.Redis takes them, such as decode_responses=True.") from None


def check_text(value, name):
    """Raises LabError unless `value` is a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise LabError(f"{name}={shown(value)} is not a text. Write it in quotes.")
    return value


def check_dict(value, helper, example):
    """Raises LabError unless `value` is a dict with texts as names and something in it; `example` shows one."""
    if not isinstance(value, Mapping) or not value or not all(isinstance(name, str) for name in value):
        raise LabError(f"{helper} needs a dict with a name for each entry, such as {example}, and got {shown(value)}. "
                       "Write at least one entry, its name in quotes.")
    return value


def check_numbers(values, helper, example, least=-math.inf):
    """Raises LabError unless `values` is a dict of numbers by name."""
    for name, value in check_dict(values, helper, example).items():
        check_number(value, f"{helper}: {name}", least)
    return values


def check_names(names, name):
    """`names` as a list; raises LabError unless it is a collection of texts."""
    if not isinstance(names, Collection) or not all(isinstance(each, str) for each in names):
        raise LabError(f"{name}={shown(names)} is not a list of names. Write them in brackets: [\"loop\"].")
    return list(names)


def check_title(title, helper):
    """Raises LabError unless `title` is a text, or None where the figure finds its own."""
    if title is not None:
        check_text(title, f"{helper}: title")


def check_positive_one(values, helper):
    """Raises LabError unless one of the numbers is above 0: a log scale can show no other."""
    if not any(value > 0 for value in values):
        raise LabError(f"{helper} has no number above 0, and log=True can show no other. Pass log=False.")


def is_positive(value):
    """True for a number above 0: what a figure can draw on its scale."""
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, Fraction)) and 0 < value <= HUGEST


def heard(said, measured, unit):
    """What the learner said, as a figure in `unit` can show it, or None. A lab.guess hears what was measured, in `unit`."""
    if hasattr(said, "hears"):
        return said.hears(measured, unit)
    if said is None or said is ... or is_positive(said):
        return None if said is ... else said
    print(f"{shown(said)} is not a number above 0, so the figure leaves it out")
    return None
