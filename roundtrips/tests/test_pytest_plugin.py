"""The plugin for pytest, in runs of pytest beside this one; and budget(), which it stands on."""

import asyncio
import json
import os
import subprocess
import sys
import tomllib
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest
import redis.asyncio
from helpers import ROOT, refusal
from lab_utils.tracing import OverBudget, budget
from lab_utils.tracing.budgets import budget_of

import lab_utils as lab
from lab_utils.testbed.chosen_server import server

TESTS = """
import json, os, unittest
import pytest, redis, redis.asyncio

OPTIONS = json.loads(os.environ["CLIENT"])


@pytest.fixture
def r():
    with redis.Redis(**OPTIONS) as client:
        for user in range(7):
            client.get(f"fixture:{user}")  # not the test's
        yield client


@pytest.fixture
def anyio_backend():
    return "asyncio"


def page(client, number):
    for user in range(number):
        client.get(f"user:{user}")


def test_within(r, round_trips):
    with round_trips(max=3, waits=3) as t:
        page(r, 3)
    assert t.round_trips == 3
    page(r, 10)


def test_over(r, round_trips):
    with round_trips(max=3):
        page(r, 10)


def test_over_in_waits(r, round_trips):
    with round_trips(waits=3):
        page(r, 4)


def test_fails_itself(r, round_trips):
    with round_trips(max=3):
        page(r, 10)
        assert "mine" == "yours"


@pytest.mark.max_round_trips(3)
def test_marked_within(r):
    page(r, 3)


@pytest.mark.max_round_trips(3, waits=2)
def test_marked_over(r):
    page(r, 5)


@pytest.mark.max_round_trips(3)
@pytest.mark.parametrize("number", [2, 6])
def test_marked_by_number(r, number):
    page(r, number)


@pytest.mark.max_round_trips(3)
def test_marked_fails_itself(r):
    page(r, 10)
    assert "mine" == "yours"


async def async_page(number):
    async with redis.asyncio.Redis(**OPTIONS) as client:
        for user in range(number):
            await client.get(f"user:{user}")


@pytest.mark.anyio
@pytest.mark.max_round_trips(max=3)
async def test_async_marked_within():
    await async_page(3)


@pytest.mark.anyio
@pytest.mark.max_round_trips(max=3)
async def test_async_marked_over():
    await async_page(6)


@pytest.mark.anyio
async def test_async_over(round_trips):
    async with round_trips(max=3):
        await async_page(6)


class TestOfUnittest(unittest.TestCase):
    @pytest.mark.max_round_trips(3)
    def test_in_a_class_over(self):
        with redis.Redis(**OPTIONS) as client:
            page(client, 6)


@pytest.mark.max_round_trips(3, wait=2)
def test_marked_wrongly():
    raise AssertionError("it ran")
"""
OVER = {"test_over", "test_over_in_waits", "test_fails_itself", "test_marked_over", "test_marked_by_number[6]",
        "test_marked_fails_itself", "test_async_marked_over", "test_async_over", "test_in_a_class_over", "test_marked_wrongly"}


def run_of_pytest(folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CLIENT": json.dumps(server().options),
                   "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "lab_utils.tracing.pytest_plugin", "-p", "no:cacheprovider",
                           "-W", "error", *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """{name of a failed test: what pytest says about it}, and the last line, of a run of TESTS."""
    folder = tmp_path_factory.mktemp("tests")
    (folder / "test_page.py").write_text(TESTS)
    done = run_of_pytest(folder, "-p", "anyio.pytest_plugin", "-q", "--strict-markers", "-W", "ignore::pytest.PytestWarning")
    pieces = done.stdout.split("\n____")[1:]
    return {piece.strip("_").split()[0].split(".")[-1]: piece for piece in pieces}, done.stdout


def test_exactly_those_fail_that_make_too_many(told):
    failures, output = told
    assert set(failures) == OVER, output
    assert "10 failed, 4 passed" in output


@pytest.mark.parametrize("name, first, repeated", [
    ("test_over", "10 round trips, 3 allowed", "GET user:{…} × 10"),
    ("test_over_in_waits", "4 waits, 3 allowed", "GET user:{…} × 4"),
    ("test_marked_over", "5 round trips, 3 allowed; 5 waits, 2 allowed", "GET user:{…} × 5"),
    ("test_marked_by_number[6]", "6 round trips, 3 allowed", "GET user:{…} × 6"),
    ("test_async_marked_over", "6 round trips, 3 allowed", "GET user:{…} × 6"),
    ("test_async_over", "6 round trips, 3 allowed", "GET user:{…} × 6"),
    ("test_in_a_class_over", "6 round trips, 3 allowed", "GET user:{…} × 6"),
])
def test_a_failure_names_what_is_repeated_the_line_and_the_way_out(told, name, first, repeated):
    text = told[0][name]
    assert first in text and repeated in text
    assert "test_page.py:" in text and "page" in text
    assert ("values = r.mget(keys)" if name != "test_over_in_waits" else "can be one round trip: MGET") in text
    assert "During handling" not in text
    assert "def __exit__" not in text and "def check" not in text  # the lab's own lines are not shown


def test_a_tests_own_failure_stands(told):
    for name in ("test_fails_itself", "test_marked_fails_itself"):
        assert "'mine' == 'yours'" in told[0][name] and "allowed" not in told[0][name]


def test_a_wrong_marker_says_how_to_write_it(told):
    assert "max_round_trips(3, waits=2)" in told[0]["test_marked_wrongly"] and "it ran" not in told[0]["test_marked_wrongly"]


def test_it_is_harmless_where_it_is_not_used(tmp_path):
    (tmp_path / "test_it.py").write_text("import sys\n\n\ndef test_it():\n    assert 'redis' not in sys.modules\n")
    done = run_of_pytest(tmp_path, "-q", "--strict-markers")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_package_names_the_plugin_and_the_command():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"round_trips": "lab_utils.tracing.pytest_plugin"}
    module, function = project["scripts"]["roundtrips"].split(":")
    assert callable(getattr(import_module(module), function))
    assert [name for name in project["dependencies"] if not name.startswith("redis>")] == []


# budget() by itself


def test_a_budget_is_kept_or_fails_with_the_trace_to_look_at(r):
    with budget(max=2, waits=2) as t:
        r.get("a")
        r.get("b")
    assert t.round_trips == 2
    with pytest.raises(OverBudget, match=r"\A3 round trips, 2 allowed\n  GET \{…\} × 3 +tests/test_round_trips_plugin\.py:\d+"), \
            budget(max=2) as t:
        for key in ("a1", "b2", "c3"):
            r.get(key)
    assert t.round_trips == 3 and issubclass(OverBudget, AssertionError)
    with pytest.raises(ZeroDivisionError), budget(max=0):
        r.get("a")
        raise ZeroDivisionError
    with budget() as t:
        r.get("a")
    assert t.round_trips == 1


def test_a_budget_in_a_coroutine():
    async def main():
        async with redis.asyncio.Redis(**server().options) as client, budget(max=10, waits=1):
            await asyncio.gather(*(client.get(f"user:{number}") for number in range(11)))

    with pytest.raises(OverBudget, match="11 round trips, 10 allowed\n"):
        asyncio.run(main())


def test_a_budget_warns_of_what_it_can_not_see(r):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(r.get, "before").result()
        with pytest.warns(UserWarning, match="leaves out 1 write"), budget(max=0):
            pool.submit(r.get, "whose").result()
        with warnings.catch_warnings(), budget():
            warnings.simplefilter("error")
            pool.submit(r.get, "whose").result()


def test_a_budget_within_a_budget_counts_what_it_has_a_worker_do(r):
    with ThreadPoolExecutor(1) as pool, budget(max=100):
        pool.submit(r.get, "starts the worker").result()
        with pytest.raises(OverBudget, match="20 round trips, 1 allowed"), budget(max=1):
            for _ in range(20):
                pool.submit(r.get, "a").result()


def test_many_call_sites_are_cut_short(r):
    calls = [f"client.execute_command('ECHO', {number})" for number in range(12)]
    program = "def page(client):\n" + "".join(f"    {call}\n" for call in calls)
    names = {}
    exec(compile(program, "page.py", "exec"), names)
    with pytest.raises(OverBudget) as caught, budget(max=1):
        names["page"](r)
    assert "and 4 call sites more" in str(caught.value)


@pytest.mark.parametrize("wrong", [{"max": -1}, {"max": 1.5}, {"max": "3"}, {"waits": -1}, {"waits": True}])
def test_a_wrong_budget_is_refused(wrong):
    refusal(budget, **wrong)


@pytest.mark.parametrize("arguments, options", [((), {}), ((1, 2), {}), ((1,), {"max": 2}), ((), {"most": 2}), ((-1,), {})])
def test_a_wrong_marker_is_refused(arguments, options):
    refusal(budget_of, arguments, options)


def test_a_block_of_the_labs_own_counts_as_before():
    client = lab.connect()
    with budget(max=1) as t:
        client.ping()
    client.close()
    assert t.commands == {"PING": 1}
