"""Count in threads, with a pipeline for each."""

import functools
import threading

from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from lab_utils.course.checking import (
    Refused,
    Recording,
    connect,
    cost_of,
    counted,
    exercise_client,
    in_flight,
    replaced,
    shown,
)

PAGES = ["home", "cart", "help", "jobs", "news", "shop", "team", "wiki"]
RTT_MS = 5  # so that threads meet


def check(answer):
    before = {page: number for number, page in enumerate(PAGES)}
    keys = [f"exercise:{page}" for page in (*PAGES, "all")]
    with (
        exercise_client() as near,
        connect(RTT_MS, socket_timeout=2, retry=Retry(NoBackoff(), 0)) as client,
    ):
        near.mset(
            {f"exercise:{page}": number for page, number in before.items()} | {"exercise:all": 100}
        )
        with Recording() as seen, one_thread_each():
            got = answer(client, list(PAGES))
        stored = dict(zip((*PAGES, "all"), map(int, near.mget(keys)), strict=True))
    right = {page: number + 1 for page, number in before.items()}
    for page, number in {**right, "all": 100 + len(PAGES)}.items():
        if stored[page] != number:
            raise Refused(
                f"exercise:{page} is {stored[page]} and should be {number}",
                "Two INCRs a visit: one for the page, one for exercise:all.",
            )
    if not isinstance(got, (list, tuple)) or list(got) != list(right.values()):
        raise Refused(
            f"the counters are right, but you returned {shown(got)} instead of "
            f"{list(right.values())}",
            "execute() returns a list with a reply for each INCR. Which of them is the page's?",
            "pipe.execute()[0]",
        )
    trips, most = cost_of(seen).round_trips, in_flight(seen)
    if trips > len(PAGES):
        raise Refused(
            f"right numbers, but {counted(trips, 'round trip')}; the budget is "
            f"{len(PAGES)}, one a page",
            "What belongs to one page can leave together: a pipeline for each page.",
        )
    if most < 2:
        raise Refused(
            "right numbers, but never two pages under way at a time: keep the threads",
            "pool.map(visit, pages) runs visit in the pool's threads.",
        )
    return (
        f"{len(PAGES)} pages in {counted(trips, 'round trip')}, side by side, and no pipeline "
        "in the hands of two threads"
    )


def one_thread_each():
    """Refuse a pipeline on which two threads queue, or that two threads execute, before anything
    goes wrong.

    One that is filled by one thread and then handed to another is in one thread's hands at a time,
    and right.
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
