"""Check exercise 08.2: count in several threads, each with a pipeline of its own."""

import functools
import threading

from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from lab_utils.course.checking import (
    Attempt,
    Refused,
    connect,
    counted,
    exercise_client,
    in_flight,
    refuse_other_list,
    replaced,
)

PAGES = ["home", "cart", "help", "jobs", "news", "shop", "team", "wiki"]
PAGES += [f"page {number}" for number in range(32)]
RTT_MS = 25  # so that threads meet, on a busy machine too


def check(answer) -> str:
    before = {page: number for number, page in enumerate(PAGES)} | {"all": 100}
    right = {page: number + 1 for page, number in before.items()} | {"all": 100 + len(PAGES)}
    keys = {f"exercise:{page}": number for page, number in before.items()}
    with (
        exercise_client() as near,
        connect(RTT_MS, socket_timeout=2, retry=Retry(NoBackoff(), 0)) as client,
    ):
        near.mset(keys)
        with one_thread_each():
            attempt = Attempt(answer, client, list(PAGES))
        stored = map(int, near.mget(keys))
    for (page, number), found in zip(right.items(), stored, strict=True):
        if found != number:
            raise Refused(
                f"exercise:{page} is {found} and should be {number}",
                "Two INCRs a visit: one for the page, one for exercise:all.",
            )
    refuse_other_list(
        attempt.reply,
        [right[page] for page in PAGES],
        "the counters are right, but count_visits",
        "execute() returns a list with a reply for each INCR. Which of them is the page's?",
        "pipe.execute()[0]",
    )
    trips = attempt.cost.round_trips
    if trips > len(PAGES):
        raise Refused(
            f"right numbers, but {counted(trips, 'round trip')}; the budget is "
            f"{len(PAGES)}, one a page",
            "What belongs to one page can leave together: a pipeline for each page.",
        )
    if in_flight(attempt) < 2:
        raise Refused(
            "right numbers, but never two pages under way at a time: keep the threads",
            "pool.map(visit, pages) runs visit in the pool's threads.",
        )
    return (
        f"{len(PAGES)} pages in {counted(trips, 'round trip')}, side by side, and no pipeline "
        "in the hands of two threads"
    )


def one_thread_each():
    """In a `with` block, raise Refused in a thread that uses another thread's pipeline.

    Two threads may not queue commands on one pipeline, and two may not execute one. That one thread
    queues all commands and another executes them is allowed.
    """
    # (id of a pipeline, the method) -> (pipeline, the thread that called it)
    users, lock = {}, threading.Lock()

    def guarded(name):
        original = getattr(Pipeline, name)

        @functools.wraps(original)
        def call(self, *args, **kwargs):
            with lock:
                _, user = users.setdefault((id(self), name), (self, threading.get_ident()))
            if user != threading.get_ident():
                raise Refused(
                    "one pipeline is in the hands of several threads. Without a lock "
                    "they take each other's replies; with one they wait for each other. "
                    "Make and use each pipeline in one thread"
                )
            return original(self, *args, **kwargs)

        return call

    return replaced(Pipeline, **{name: guarded(name) for name in ("execute_command", "execute")})
