"""Check the arguments of helpers before anything runs; a LabError says what to pass instead.

A wrong argument must never give a result. The worst are functions that do no work: they return a
coroutine that nobody awaits, a generator that nobody reads, or a pipeline that nobody executes.
They would be counted as 0 round trips, and timed as fast.

In all functions here, `helper` is the text that names the calling helper in the message, such as
"lab.count".
"""

import contextlib
import functools
import inspect
import math
import numbers
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import redis
from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.cluster import ClusterPipeline, RedisCluster

from .errors import LabError
from .words import counted

Client = redis.Redis | RedisCluster  # of one server, or of a cluster
Option = Any  # the value of a keyword argument of redis.Redis, as in decode_responses=True
LONGEST_SHOWN = 60
PIPELINES = (redis.client.Pipeline, ClusterPipeline, AsyncPipeline, AsyncClusterPipeline)
MOST_LOOKED_AT = 100  # of the parts of a reply


def shown(value: Any) -> str:
    """Return the repr of a value for an error message: on one line, at most 60 characters."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object of the learner's own
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


# Functions, and whether they did their work


def is_a(test: Callable[[Any], bool], fn: Any) -> bool:
    """Return whether `test(fn)` is true, for a test such as inspect.iscoroutinefunction.

    If `fn` is a functools.partial, its function is tested instead. If `fn` is an object whose class
    has `__call__`, the result is also True if that method passes the test.
    """
    while isinstance(fn, functools.partial):
        fn = fn.func
    return test(fn) or test(inspect.getattr_static(type(fn), "__call__", None))


def is_async(fn: Any) -> bool:
    """Return whether `fn` is an `async def`, a partial of one, or has one as `__call__`.

    In all three cases a call returns a coroutine.
    """
    return is_a(inspect.iscoroutinefunction, fn)


def check_function(
    fn: Any,
    helper: str,
    call: str = "loop, r",
    such_as: str = "a function of a client, such as `def loop(r): ...`",
    may_be_async: bool = False,
    takes: int = 1,
) -> None:
    """Raise LabError unless `fn` is a function that can be called with `takes` arguments.

    For the message, `helper` is the helper's name, `call` the text of the arguments of a right call
    of the helper, and `such_as` describes a right `fn`. `may_be_async` allows an `async def`.
    """
    if not callable(fn) or isinstance(fn, type):
        raise LabError(
            f"{helper} needs {such_as}, and got {shown(fn)}. Pass the function itself, without "
            f"calling it: {helper}({call})."
        )
    if is_a(inspect.isgeneratorfunction, fn) or is_a(inspect.isasyncgenfunction, fn):
        raise LabError(
            f"{helper} got a generator function: calling it runs none of its lines. Let it return "
            "what it read, as in `return [r.get(key) for key in keys]`, instead of `yield`."
        )
    if not may_be_async and is_async(fn):
        raise LabError(
            f"{helper} takes a plain function, and this one is `async def`. Write it as `def`; "
            "lab.count and lab.compare take both."
        )
    with contextlib.suppress(ValueError):  # some functions written in C have no signature
        signature = inspect.signature(fn)
        try:
            signature.bind(*range(takes))
        except TypeError:
            raise LabError(
                f"{helper} needs {such_as}, and this one takes {signature}. Write it so that it "
                "takes what it is given, and has the rest from outside."
            ) from None


def check_ran(reply: Any, helper: str) -> Any:
    """Return `reply`, a function's result; raise LabError if the function has not done its work.

    The work was not done if `reply` is a pipeline with commands that were not sent, a coroutine or
    an iterator, or if it is a list, tuple or dict with one of these among its first 100 values.
    `helper` is the name of the calling helper, for the message.
    """
    parts = reply.values() if isinstance(reply, dict) else reply
    parts = list(parts)[:MOST_LOOKED_AT] if isinstance(reply, (list, tuple, dict)) else []
    for each in [reply, *parts]:
        if isinstance(each, PIPELINES) and len(each):
            raise LabError(
                f"{helper} ran a function that returned a pipeline that still holds "
                f"{counted(len(each), 'command')}, not sent. Did you forget execute()? Let it "
                "return pipe.execute()."
            )
        if inspect.iscoroutine(each):
            each.close()  # or Python warns that nobody awaited the coroutine
            raise LabError(
                f"{helper} ran a function that returned a coroutine, so its work was never done. "
                "Write the function as `async def` and `await` in it; a lambda cannot."
            )
        if isinstance(each, (Iterator, AsyncIterator)):
            raise LabError(
                f"{helper} ran a function that returned {shown(type(each).__name__)}, whose items "
                "nobody has read, so its work may not have been done. Let it return list(...) of "
                "it."
            )
    return reply


def check_sent(commands: Any, helper: str) -> None:
    """Raise LabError if an `async def` function sent no command, as happens without `await`.

    `commands` is the number of commands that it sent, or a container of them. `helper` is the
    helper's name in the message.
    """
    if not commands:
        raise LabError(
            f"{helper} ran an `async def` function that sent nothing to Redis. Did you forget "
            "await? Write `await r.get(key)`: without it the command is never sent."
        )


# Clients, and options for them


def check_client(client: Any, helper: str, cluster: bool = False) -> None:
    """Raise LabError unless `client` is a `redis.Redis` or, with `cluster`, a `RedisCluster`.

    A pipeline or an asyncio client is refused too. `helper` is the helper's name in the message.
    """
    kinds = (redis.Redis, RedisCluster) if cluster else redis.Redis
    if not isinstance(client, kinds) or isinstance(client, PIPELINES):
        raise LabError(
            f"{helper} needs a plain client of one server{', or of a cluster' if cluster else ''}, "
            f"such as lab.connect() returns, and got {shown(client)}. Pass that: the function "
            "makes its own pipeline, and an `async def` function gets an asyncio client where the "
            "helper takes one."
        )


@contextlib.contextmanager
def as_options(options: dict, helper: str) -> Iterator[None]:
    """In a `with` block, turn redis-py's errors about wrong `options` into a LabError.

    `options` are the keyword arguments passed to redis.Redis. If there are none, or if the server
    is lost, redis-py's error is raised as it is. `helper` is the helper's name in the message.
    """
    try:
        yield
    except (TypeError, ValueError, AttributeError, LookupError, redis.RedisError) as error:
        lost = isinstance(error, (redis.ConnectionError, redis.TimeoutError))
        if (lost and "protocol" not in str(error)) or not options:
            raise
        why = str(error) if isinstance(error, redis.RedisError) else shown(error)
        raise LabError(
            f"{helper} hands its options on to redis.Redis, and with {', '.join(options)} as given "
            f"it does not work ({why}). Write them as redis.Redis takes them, such as "
            "decode_responses=True."
        ) from None


# Numbers, dicts


def check_number(
    value: Any, name: str, least: float = -math.inf, most: float = math.inf, whole: bool = False
) -> Any:
    """Return `value`; raise LabError unless it is a number from `least` to `most`, not infinite.

    With `whole` it must be a whole number. `name` is what the error message calls the value, such
    as "rounds".
    """
    fits = isinstance(value, numbers.Integral if whole else numbers.Real)
    if not fits or isinstance(value, bool) or not least <= value <= most or abs(value) == math.inf:
        bounds = f" from {least:,} to {most:,}" if math.isfinite(most) else f", {least:,} or more"
        kind = "a whole number" if whole else "a number"
        kind += bounds if math.isfinite(least) else ""
        raise LabError(f"{name}={shown(value)} is not {kind}. Choose {kind}, without quotes.")
    return value


def check_positive(value: Any, name: str) -> Any:
    """Return `value`; raise LabError unless it is a number above 0.

    `name` is what the error message calls the value.
    """
    if not check_number(value, name, 0):
        raise LabError(f"{name}={shown(value)} must be above 0. Choose a positive number.")
    return value


def check_dict(value: Any, helper: str, example: str) -> dict:
    """Return `value`; raise LabError unless it is a dict, not empty, whose keys are all str.

    The message begins with `helper`, the helper's name, and shows the text `example` as a right
    dict.
    """
    named = isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    if not value or not named:
        raise LabError(
            f"{helper} needs a dict with a name for each entry, such as {example}, and got "
            f"{shown(value)}. Write at least one entry, its name in quotes."
        )
    return value
