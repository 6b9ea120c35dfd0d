"""budget(): what it lets pass, what it fails, and what it refuses because it can't be counted."""

import asyncio
import ctypes.util
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import types
from concurrent.futures import ProcessPoolExecutor

import pytest
import redis

from roundtrips import OverBudget, RoundTripsError, RoundTripsMixin, Uncounted, budget
from test_scope import listening


def gets(client, number):
    for each in range(number):
        client.get(f"user:{each}")


def test_a_budget_is_kept_or_fails_and_the_trace_can_be_looked_at(r):
    with budget(max=2, waits=2) as t:
        gets(r, 2)
    assert t.round_trips == 2
    with pytest.raises(OverBudget) as caught, budget(max=2) as t:
        for key in ("a1", "b2", "c3"):
            r.get(key)
    first, where, *_ = str(caught.value).splitlines()
    assert first == "3 round trips, 2 allowed" and where.startswith("  GET {…} × 3 ")
    assert "test_budgets.py:" in where and issubclass(OverBudget, AssertionError)
    assert t.round_trips == 3 and type(caught.value) is OverBudget
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
    found = None
    try:
        with budget(**limits):
            gets(r, 3)
    except OverBudget as error:
        found = str(error).splitlines()[0]
    assert found == said


def test_setting_up_has_a_budget_of_its_own(server):
    def page():
        for _ in range(3):
            with redis.Redis(**server) as client:
                client.get("a")

    with budget(max=3) as t:
        page()
    assert t.setup_trips >= 3
    with pytest.raises(OverBudget) as caught, budget(max=3, setup=t.setup_trips - 1):
        page()
    text = str(caught.value)
    assert text.startswith(f"{t.setup_trips} set-up round trips, {t.setup_trips - 1} allowed\n")
    assert "AUTH" in text or "HELLO" in text  # the call sites are those of setting up


async def test_as_a_decorator_each_call_has_its_own_budget(r, async_r):
    @budget(max=2)
    def page(number):
        """Docs."""
        gets(r, number)
        return number

    assert [page(2), page(number=1)] == [2, 1]
    assert (page.__name__, page.__doc__) == ("page", "Docs.")
    with pytest.raises(OverBudget, match=r"3 round trips, 2 allowed"):
        page(3)

    @budget(max=2)
    async def view(number):
        for each in range(number):
            await async_r.get(f"user:{each}")
        return number

    assert await asyncio.gather(view(2), view(1), view(2)) == [2, 1, 2]
    with pytest.raises(OverBudget, match=r"3 round trips, 2 allowed"):
        await view(3)


def test_what_can_not_be_decorated_is_refused(r):
    def generator():
        yield r.get("a")

    async def async_generator():
        yield r.get("a")

    for each in (generator, async_generator):
        with pytest.raises(RoundTripsError, match=r"is a generator\. Write the budget around"):
            budget(max=1)(each)

    @types.coroutine
    def late():
        yield r.get("a")

    with pytest.raises(RoundTripsError, match=r"is no async def"):
        budget(max=1)(lambda: late())()
    with pytest.raises(RoundTripsError, match=r"gives a map\. Write the budget around"):
        budget(max=1)(lambda: map(r.get, "a"))()


@pytest.mark.parametrize(
    "wrong",
    [{"max": -1}, {"max": 1.5}, {"max": "3"}, {"waits": -1}, {"setup": True}, {"exactly": 3.0},
     {"max": 3, "exactly": 3}],
)  # fmt: skip
def test_a_wrong_budget_is_refused(wrong):
    with pytest.raises(RoundTripsError, match=r"Pass a whole number|Choose one"):
        budget(**wrong)


def test_advice_that_fails_does_not_hide_the_budget(r, monkeypatch):
    monkeypatch.setattr("roundtrips.advice.findings_of", None)
    with pytest.raises(OverBudget, match=r"(?s)4 round trips, 1 allowed.*failed to say"), budget(1):
        gets(r, 4)


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
    with budget(max=5, allow_uncounted=True), budget() as t:  # a budget of nothing judges nothing
        ask("a")
    assert t.unattributed == 1
    ask(None)


def nothing(*_):
    return 0


def fork():
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def with_pool(method):
    with multiprocessing.get_context(method).Pool(1) as pool:
        pool.map(nothing, [1])


@pytest.mark.parametrize("start, name", [
    (fork, "a fork"), (lambda: with_pool("fork"), "multiprocessing"),
    (lambda: with_pool("spawn"), "multiprocessing"),
    (lambda: subprocess.run([sys.executable, "-c", ""], check=True), "python"),
    (lambda: os.system("git --version; true"), "sh"),
    (lambda: subprocess.run("git --version; true", shell=True, check=True), "sh"),
    (lambda: os.waitpid(os.posix_spawn(shutil.which("true"), ["true"], {}), 0), "true"),
])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_another_process(start, name):
    with pytest.raises(Uncounted, match=rf"what other processes do .*{name}"), budget(max=5) as t:
        start()
    assert name in " ".join(t.record.others)
    assert type(t).from_dict(t.to_dict()).uncounted == t.uncounted
    with budget(max=5, allow_uncounted=True):
        start()


def test_what_python_starts_by_itself_speaks_to_no_redis():
    with budget(max=5):
        platform.architecture()  # runs `file`
        ctypes.util.find_library("z")  # runs ldconfig, and gcc or ld


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_process_of_before_that_is_handed_work():
    with multiprocessing.Pool(1) as pool, ProcessPoolExecutor(1) as executor:
        executor.submit(nothing).result()
        for hand_over in (
            lambda: pool.map(nothing, [1]), lambda: executor.submit(nothing).result(),
        ):  # fmt: skip
            with pytest.raises(Uncounted, match=r"multiprocessing"), budget(max=5):
                hand_over()


def test_a_pool_whose_module_was_imported_in_an_outer_block(monkeypatch):
    with ProcessPoolExecutor(1) as executor:
        executor.submit(nothing).result()
        monkeypatch.delitem(sys.modules, "concurrent.futures.process")
        with budget():
            monkeypatch.undo()
            with pytest.raises(Uncounted, match=r"multiprocessing"), budget(max=5):
                executor.submit(nothing).result()


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
