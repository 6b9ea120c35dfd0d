"""What a helper is handed, looked at before anything runs: a LabError says what to hand instead.

A wrong argument must never end as a figure. The worst are those that run nothing: a coroutine that
nobody awaits, a generator that nobody reads, a pipeline that nobody executes. They would be counted
as 0 and timed as fast.
"""

import contextlib
import functools
import inspect
import math
import numbers
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from typing import Any

import redis
from redis.asyncio.client import Pipeline as AsyncPipeline
from redis.asyncio.cluster import ClusterPipeline as AsyncClusterPipeline
from redis.cluster import ClusterPipeline, RedisCluster

from .errors import LabError
from .words import counted

LONGEST_SHOWN = 60
PIPELINES = (redis.client.Pipeline, ClusterPipeline, AsyncPipeline, AsyncClusterPipeline)
MOST_LOOKED_AT = 100  # of the parts of a reply


def shown(value: Any) -> str:
    """Return a value as an error message can hold it: short, and on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object of the learner's own
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


# Functions, and whether they did their work


def is_a(test, fn) -> bool:
    """Ask a test of `inspect` of a function, a partial of one, or an object that can be called."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    return test(fn) or test(inspect.getattr_static(type(fn), "__call__", None))


def is_async(fn: Any) -> bool:
    """Return whether a call gives a coroutine: `async def f(client)`, or a partial of one."""
    return is_a(inspect.iscoroutinefunction, fn)


def check_function(
    fn: Any,
    helper: str,
    call: str = "loop, r",
    such_as: str = "a function of a client, such as `def loop(r): ...`",
    may_be_async: bool = False,
    takes: int = 1,
) -> None:
    """Raise LabError unless `fn` is a function of so many arguments that `helper` can run."""
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
    with contextlib.suppress(ValueError):  # some functions written in C tell nobody what they take
        signature = inspect.signature(fn)
        try:
            signature.bind(*range(takes))
        except TypeError:
            raise LabError(
                f"{helper} needs {such_as}, and this one takes {signature}. Write it so that it "
                "takes what it is given, and has the rest from outside."
            ) from None


def check_ran(reply: Any, helper: str) -> Any:
    """Return the reply of a function; raise LabError if it shows that its work is not done yet."""
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
            each.close()  # or Python would warn of it
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
    """Raise LabError if an `async def` function sent no command, as it does without `await`."""
    if not commands:
        raise LabError(
            f"{helper} ran an `async def` function that sent nothing to Redis. Did you forget "
            "await? Write `await r.get(key)`: without it the command is never sent."
        )


# Clients, and options for them


def check_client(client: Any, helper: str, cluster: bool = False) -> None:
    """Raise LabError unless it is a `redis.Redis`, or, with `cluster`, a `RedisCluster`."""
    kinds = (redis.Redis, RedisCluster) if cluster else redis.Redis
    if not isinstance(client, kinds) or isinstance(client, PIPELINES):
        raise LabError(
            f"{helper} needs a plain client of one server{', or of a cluster' if cluster else ''}, "
            f"such as lab.connect() returns, and got {shown(client)}. Pass that: the function "
            "makes its own pipeline, and an `async def` function gets an asyncio client where the "
            "helper takes one."
        )


@contextlib.contextmanager
def as_options(options: dict, helper: str):
    """Raise LabError in place of what redis-py raises in the block over options it can't take."""
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


# Numbers, texts, dicts


def check_number(
    value: Any, name: str, least: float = -math.inf, most: float = math.inf, whole: bool = False
) -> Any:
    """Return a number; raise LabError unless it is one from `least` to `most`, and `whole`."""
    fits = isinstance(value, numbers.Integral if whole else numbers.Real)
    if not fits or isinstance(value, bool) or not least <= value <= most or abs(value) == math.inf:
        bounds = f" from {least:,} to {most:,}" if math.isfinite(most) else f", {least:,} or more"
        kind = "a whole number" if whole else "a number"
        kind += bounds if math.isfinite(least) else ""
        raise LabError(f"{name}={shown(value)} is not {kind}. Choose {kind}, without quotes.")
    return value


def check_positive(value: Any, name: str) -> Any:
    """Return a number; raise LabError unless it is above 0."""
    if not check_number(value, name, 0):
        raise LabError(f"{name}={shown(value)} must be above 0. Choose a positive number.")
    return value


def check_text(value: Any, name: str) -> str:
    """Return a text; raise LabError where it is none, or empty."""
    if not isinstance(value, str) or not value.strip():
        raise LabError(f"{name}={shown(value)} is not a text. Write it in quotes.")
    return value


def check_title(title: Any, helper: str) -> None:
    """Raise LabError unless `title` is a text, or None where the figure finds its own."""
    if title is not None:
        check_text(title, f"{helper}: title")


def check_dict(value: Any, helper: str, example: str) -> Mapping:
    """Return a dict that has texts as names, and is not empty; raise LabError otherwise."""
    named = isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    if not value or not named:
        raise LabError(
            f"{helper} needs a dict with a name for each entry, such as {example}, and got "
            f"{shown(value)}. Write at least one entry, its name in quotes."
        )
    return value


def check_names(names: Any, name: str) -> list[str]:
    """Return a collection of texts as a list; raise LabError where it is none."""
    if not isinstance(names, Collection) or not all(isinstance(each, str) for each in names):
        raise LabError(f'{name}={shown(names)} is not a list of names. Write them so: ["loop"].')
    return list(names)


def check_positive_one(values: Any, helper: str) -> None:
    """Raise LabError unless one of the numbers is above 0: a log scale can show no other."""
    if not any(value > 0 for value in values):
        raise LabError(
            f"{helper} has no number above 0, and log=True can show no other. Pass log=False."
        )


def heard(said: Any, measured: float, unit: str) -> Any:
    """Return the learner's guess as a number in `unit`, or None.

    A lab.guess also remembers `measured`.
    """
    if hasattr(said, "hears"):
        return said.hears(measured, unit)
    if said is None or said is ...:
        return None
    if isinstance(said, (int, float)) and not isinstance(said, bool) and 0 < said < math.inf:
        return said
    print(f"{shown(said)} is not a number above 0, so the figure leaves it out")
    return None
