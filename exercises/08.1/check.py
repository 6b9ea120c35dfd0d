"""Read side by side with asyncio, over a bounded number of connections."""

import asyncio
import inspect

from lab_utils.course.checking import (
    Refused,
    Recording,
    cost_of,
    counted,
    event_loop,
    exercise_client,
    in_flight,
    shown,
    text,
)

KEYS = 200
MOST_CONNECTIONS = 20
ROOM = 500  # connections that the client would open if it were asked to
SIDE_BY_SIDE = 2  # requests under way at the same moment, at least
CALLERS = 2  # at the same time
RTT_MS = 5  # so that calls meet: beside the server, one can be answered before the next is sent


def check(answer):
    if not event_loop.is_async(answer):
        raise Refused(
            "read_all must be a coroutine function: async def read_all(r, keys)",
            "r is an asyncio client: its methods are awaited, and only in `async def` can one.",
        )
    keys = [f"exercise:key:{i * 7 % KEYS}" for i in range(KEYS)]
    right = [key.replace("key", "value") for key in keys]
    with exercise_client(rtt_ms=RTT_MS, max_connections=ROOM) as client:
        client.mset(dict(zip(keys, right, strict=True)))
        seen = checked(answer, client, keys, right, 1)
        check_turns(seen)
        together = checked(answer, client, keys, right, CALLERS)
    if together.opened > MOST_CONNECTIONS:
        raise Refused(
            f"one call keeps to {counted(seen.opened, 'connection')}, but {CALLERS} "
            f"calls at the same time opened {together.opened}; you were granted "
            f"{MOST_CONNECTIONS} in all",
            "A semaphore made in the call bounds that call. Whose connections are "
            "they? All callers of one client share them.",
            "Make the semaphore outside the function, or keep one for each client: "
            "limits.setdefault(r, asyncio.Semaphore(20)), with limits = "
            "weakref.WeakKeyDictionary().",
        )
    return (
        f"{counted(cost_of(seen).round_trips, 'round trip')}, up to {in_flight(seen)} at a "
        f"time, and {CALLERS} callers share {counted(together.opened, 'connection')}"
    )


def checked(answer, client, keys, right, callers):
    """Return the Recording of several calls at the same time, of which each returned `right`."""
    with Recording() as seen:
        returned = event_loop.run(asked, answer, client, keys, callers)
    for got in returned:
        said = [text(value) for value in got] if isinstance(got, (list, tuple)) else got
        if said == right:
            continue
        if isinstance(said, list) and sorted(map(str, said)) == sorted(right):
            raise Refused(
                "the right values, but not in the order of keys",
                "gather returns the results in the order of what it was given, whatever "
                "came first.",
            )
        raise Refused(
            f"a list of {KEYS} values in the order of keys was expected, not {shown(said)}",
            "return await asyncio.gather(…): what it gives is that list.",
        )
    return seen


def check_turns(seen):
    trips, most = cost_of(seen).round_trips, in_flight(seen)
    if seen.opened > MOST_CONNECTIONS:
        raise Refused(
            f"right values, but {counted(seen.opened, 'connection')}; you were granted "
            f"{MOST_CONNECTIONS}"
        )
    if trips < KEYS:
        raise Refused(
            f"right values in {counted(trips, 'round trip')}, which is better. But this "
            "exercise wants a GET for each key, as if they were calls that you can't put "
            "together",
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
    if trips > KEYS:
        raise Refused(
            f"right values, but {counted(trips, 'round trip')}; the budget is {KEYS}, one a key",
            "Ask for each key once.",
        )


async def asked(answer, client, keys, callers):
    """Return what each of several calls at the same time, with one client, returned."""
    before = asyncio.all_tasks()
    async with event_loop.client_like(client) as own:
        try:
            results = await asyncio.gather(*(answer(own, list(keys)) for _ in range(callers)))
        finally:
            left = asyncio.all_tasks() - before
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
        parts = [
            part for got in results for part in (got if isinstance(got, (list, tuple)) else [got])
        ]
        waiting = [part for part in parts if inspect.isawaitable(part)]
        for part in waiting:
            if inspect.iscoroutine(part):
                part.close()  # or Python would warn of it
        await asyncio.gather(*filter(asyncio.isfuture, waiting), return_exceptions=True)
        if left or waiting:
            raise Refused(
                "you returned before the values were there. Await them: return await "
                "asyncio.gather(…)",
                "A coroutine that nobody awaits does nothing; gather gives something "
                "that must be awaited as well.",
            )
        return results
