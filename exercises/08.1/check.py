"""Check exercise 08.1: read keys at once with asyncio, over a bounded number of connections."""

import asyncio
import inspect

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    event_loop,
    exercise_client,
    in_flight,
    refuse_other_list,
)

KEYS = 200
GONE = 30  # the place of a key that does not exist
MOST_CONNECTIONS = 20
ROOM = 500  # connections that the client would open if it were asked to
SIDE_BY_SIDE = 2  # requests under way at the same moment, at least
CALLERS = 2  # at the same time
RTT_MS = 5  # so that calls meet: beside the server, one can be answered before the next is sent


def check(answer) -> str:
    if not event_loop.is_async(answer):
        raise Refused(
            "read_all must be a coroutine function: async def read_all(r, keys)",
            "r is an asyncio client: its methods are awaited, and only in `async def` can one.",
        )
    keys = [f"exercise:key:{i * 7 % KEYS}" for i in range(KEYS)]
    right = [key.replace("key", "value") for key in keys]
    right[GONE] = None
    with exercise_client(rtt_ms=RTT_MS, max_connections=ROOM) as client:
        client.mset({key: key.replace("key", "value") for key in keys})
        client.delete(keys[GONE])
        alone = checked_attempt(answer, client, keys, right, 1)
        check_turns(alone)
        checked_attempt(answer, client, [], [], 1)
        together = checked_attempt(answer, client, keys, right, CALLERS)
    opened = together.cost.connections
    if opened > MOST_CONNECTIONS:
        raise Refused(
            f"one call keeps to {counted(alone.cost.connections, 'connection')}, but {CALLERS} "
            f"calls at the same time opened {opened}; you were granted "
            f"{MOST_CONNECTIONS} in all",
            "A semaphore made in the call bounds that call. Whose connections are "
            "they? All callers of one client share them.",
            "Make the semaphore outside the function, or keep one for each client: "
            "limits.setdefault(r, asyncio.Semaphore(20)), with limits = "
            "weakref.WeakKeyDictionary().",
        )
    return (
        f"{counted(alone.cost.round_trips, 'round trip')}, up to {in_flight(alone)} at a "
        f"time, and {CALLERS} callers share {counted(opened, 'connection')}"
    )


def checked_attempt(answer, client, keys: list[str], right: list, callers: int) -> Attempt:
    """Call the learner's function `callers` times at once; return one Attempt: what all calls cost.

    `answer` is that function, an `async def` called with an asyncio client and `keys`; `client` is
    a redis.Redis with the same options. Raises Refused unless each call returned the list `right`.
    """
    attempt = Attempt(event_loop.run, results_of, answer, client, keys, callers)
    for got in attempt.reply:
        refuse_other_list(
            got,
            right,
            "read_all",
            "return await asyncio.gather(…): what it gives is the list of values, in the order of "
            "what it was given, whatever came first.",
        )
    return attempt


def check_turns(attempt: Attempt) -> None:
    trips, most = attempt.cost.round_trips, in_flight(attempt)
    opened = attempt.cost.connections
    if opened > MOST_CONNECTIONS:
        raise Refused(
            f"right values, but {counted(opened, 'connection')}; you were granted "
            f"{MOST_CONNECTIONS}"
        )
    if trips != KEYS:
        raise Refused(
            f"right values, but {counted(trips, 'round trip')}; wanted is one for each of {KEYS} "
            "keys, a GET of its own, as if they were calls that you can't put together",
            "A coroutine for one key, which awaits r.get(key); and gather over all of them.",
        )
    if most < SIDE_BY_SIDE:
        raise Refused(
            f"right values, but never more than {most} under way at a time: nothing "
            "waits side by side",
            "`await` in a loop waits for each reply before it asks for the next. Which "
            "function starts several at once?",
            "await asyncio.gather(*(one(key) for key in keys))",
        )


async def results_of(answer, client, keys: list[str], callers: int) -> list:
    """Call the learner's function `callers` times at once; return the list of their results.

    `answer` is that function, an `async def`. All calls get the same asyncio client, which is made
    with the options of `client`, a redis.Redis, and the list `keys`. Raises Refused if a result
    holds a coroutine that the function did not await.
    """
    async with event_loop.client_like(client) as own:
        results = await asyncio.gather(*(answer(own, list(keys)) for _ in range(callers)))
        parts = [part for got in results for part in (got if isinstance(got, list) else [got])]
        waiting = [part for part in parts if inspect.isawaitable(part)]
        await asyncio.gather(*waiting, return_exceptions=True)
    if waiting:
        raise Refused(
            "you returned before the values were there. Await them: return await asyncio.gather(…)",
            "A coroutine that nobody awaits does nothing; gather gives something "
            "that must be awaited as well.",
        )
    return results
