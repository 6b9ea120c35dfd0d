"""budget(): what it lets pass, what it fails, and what it refuses because it can't be counted."""

import asyncio
import contextlib
import functools
import io
import multiprocessing
import os
import subprocess
import sys
import types
from concurrent.futures import Executor, ProcessPoolExecutor
from types import SimpleNamespace
from unittest.mock import AsyncMock, MagicMock

import flask
import pytest
import redis
from starlette.responses import Response, StreamingResponse

from frameworks import need
from roundtrips import OverBudget, RoundTripsError, RoundTripsMixin, Uncounted, budget
from test_blocks import listening


def gets(client, number):
    for each in range(number):
        client.get(f"user:{each}")


def test_a_failure_says_where_and_an_error_of_the_block_goes_first(r):
    with pytest.raises(OverBudget) as caught, budget(max=2):
        gets(r, 3)
    first, where, *_ = str(caught.value).splitlines()
    assert first == "3 round trips, 2 allowed" and where.startswith("  GET user:{…} × 3 ")
    assert "test_budgets.py:" in where and type(caught.value) is OverBudget
    with pytest.raises(ZeroDivisionError), budget(max=0):
        r.get("a")
        raise ZeroDivisionError


@pytest.mark.parametrize("limits, said", [
    ({"max": 3, "waits": 3, "exactly": None}, None), ({"exactly": 3}, None), ({}, None),
    ({"exactly": 4}, "3 round trips, 4 expected"), ({"exactly": 2}, "3 round trips, 2 expected"),
    ({"max": 2, "waits": 1}, "3 round trips, 2 allowed; 3 waits, 1 allowed"),
    ({"waits": 2}, "3 waits, 2 allowed"),
])  # fmt: skip
def test_each_limit(r, limits, said):
    failing = pytest.raises(OverBudget, match=f"^{said}") if said else contextlib.nullcontext()
    with failing, budget(**limits):
        gets(r, 3)


def test_setting_up_has_a_budget_of_its_own(server):
    says = r"^\d+ set-up round trips, 0 allowed\n(?s:.*)(AUTH|HELLO)"  # those of setting up
    client = redis.Redis(**server)
    with client, pytest.raises(OverBudget, match=says), budget(max=1, setup=0):
        client.get("a")


async def test_as_a_decorator_each_call_has_its_own_budget(r, async_r):
    @budget(max=2)
    def page(number):
        """Docs."""
        gets(r, number)
        return number

    @budget(max=2)
    async def view(number):
        await asyncio.gather(*(async_r.get("a") for _ in range(number)))
        return number

    assert [page(2), page(number=1), page.__name__, page.__doc__] == [2, 1, "page", "Docs."]
    assert await asyncio.gather(view(2), view(1), view(2)) == [2, 1, 2]
    with pytest.raises(OverBudget, match=r"3 round trips, 2 allowed"):
        page(3)
    with pytest.raises(OverBudget, match=r"3 round trips, 2 allowed"):
        await view(3)


async def agen():
    yield 1


def gen():
    yield 1


@pytest.mark.parametrize("late, says", [
    (gen, "is a generator"), (agen, "is a generator"), (lambda: types.coroutine(gen)(), "is no as"),
    (lambda: (key for key in "a"), "gives a generator"), (lambda: map(str, "a"), "gives a map"),
])  # fmt: skip
def test_what_can_not_be_decorated_is_refused(late, says):
    with pytest.raises(RoundTripsError, match=says):
        budget(max=1)(late)()


class CallsAsync:
    async def __call__(self):
        return 7


@pytest.mark.parametrize("value", [MagicMock(), AsyncMock(), io.BytesIO(b"pdf"), iter("a")])
def test_any_other_value_comes_back(value):
    assert budget(max=1)(lambda: value)() is value
    assert budget(max=1)(functools.partial(max, 3))(4) == 4
    assert asyncio.run(budget(max=1)(CallsAsync())()) == 7


@pytest.mark.parametrize("answer", [
    lambda: StreamingResponse(gen()), lambda: flask.Response(gen()),
    lambda: SimpleNamespace(is_rendered=False), lambda: SimpleNamespace(streaming_content=[]),
])  # fmt: skip
def test_a_view_that_answers_later_is_refused(answer):
    with pytest.raises(RoundTripsError, match="Count in a test, around"):
        budget(max=1)(answer)()
    assert budget(max=1)(lambda: flask.Response("a"))().data == b"a"
    assert budget(max=1)(lambda: Response("a"))().body == b"a"


@pytest.mark.parametrize(
    "wrong",
    [{"max": -1}, {"max": 1.5}, {"max": "3"}, {"waits": -1}, {"setup": True}, {"exactly": 3.0},
     {"max": 3, "exactly": 3}],
)  # fmt: skip
def test_a_wrong_budget_is_refused(wrong):
    with pytest.raises(RoundTripsError, match=r"Pass a whole number|Choose one"):
        budget(**wrong)


# It fails closed


def test_a_thread_of_before(r):
    ask = listening(r.get)
    none = pytest.raises(Uncounted, match=r"(?s)0 round trips counted, but.*1 write by th.*allow")
    with none, budget(max=5):
        ask("a")
    over = pytest.raises(OverBudget, match=r"2 round trips, 1 allowed\n(?s:.*)not counted: 1 write")
    with over, budget(max=1):
        ask("a")
        gets(r, 2)
    with budget(max=5, allow_uncounted=True), budget():  # a budget of nothing judges nothing
        ask("a")
    ask(None)


def fork():
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def spawn():
    process = multiprocessing.get_context("spawn").Process(target=int)
    process.start()
    process.join()


@pytest.mark.parametrize("start, name", [
    (fork, "a fork"), (spawn, "multiprocessing"),
    (lambda: subprocess.run([sys.executable, "-c", ""], check=True), "python"),
    (lambda: os.system("git --version; true"), "sh"),
    (lambda: subprocess.run("git --version; true", shell=True, check=True), "sh"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_another_process(start, name):
    with pytest.raises(Uncounted, match=rf"what other processes do .*{name}"), budget(max=5):
        start()
    with budget(max=5, allow_uncounted=True):
        start()


class ProcessPool(Executor):
    """A stand-in for a pool of processes that is not Python's own, such as loky's."""

    def submit(self, fn, /, *args, **kwargs):
        return fn(*args, **kwargs)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_process_of_before_that_is_handed_work():
    with multiprocessing.Pool(1) as pool, ProcessPoolExecutor(1) as executor:
        executor.submit(int).result()
        for hand_over in (
            lambda: pool.map(int, [1]), lambda: executor.submit(int).result(),
            lambda: ProcessPool().submit(int),
        ):  # fmt: skip
            with pytest.raises(Uncounted, match=r"multiprocessing"), budget(max=5):
                hand_over()


# The mixin


def test_assertions_for_unittest(r):
    test = RoundTripsMixin()
    with test.assertRoundTrips(2) as t:
        gets(r, 2)
    assert t.round_trips == 2
    assert test.assertRoundTrips(1, r.get, "a") is None
    with pytest.raises(AssertionError, match=r"1 round trip, 2 expected"):
        test.assertRoundTrips(2, r.get, "a")


def test_a_block_that_is_open_is_not_opened_again(r):
    limit = budget(max=3)
    with limit, pytest.raises(RoundTripsError, match="open already"), limit:
        pass
    with limit:  # and later on it may be
        r.get("a")


async def test_what_is_on_its_way_when_a_block_ends_makes_it_uncounted(async_r, r):
    await async_r.ping()
    with pytest.raises(Uncounted, match="1 write on the way when the block ended"):
        async with budget(max=5):
            task = asyncio.create_task(async_r.blpop("nothing", timeout=5))
            for _ in range(100):  # turns of the loop: by then it has written
                await asyncio.sleep(0)
    task.cancel()


async def spawned(*words):
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.DEVNULL)
    await process.wait()


def test_a_program_that_uvloop_starts_is_known_by_its_name():
    uvloop = need("uvloop")
    with budget(max=0):
        uvloop.run(spawned("git", "--version"))
    with pytest.raises(Uncounted, match=r"\(true\)"), budget(max=0):
        uvloop.run(spawned("true"))


def test_a_server_is_no_client():
    with budget(max=0):
        subprocess.run(["redis-server", "--version"], executable=sys.executable, check=True)
