"""The plugin for pytest, in runs of pytest beside this one."""

import json
import os
import re

import pytest

from runs import ran

CLIENT = """
import json, os
import pytest, redis, redis.asyncio

OPTIONS = json.loads(os.environ["CLIENT"])


def page(number):
    with redis.Redis(**OPTIONS) as client:
        for user in range(number):
            client.get(f"user:{user}")


async def async_page(number):
    async with redis.asyncio.Redis(**OPTIONS) as client:
        for user in range(number):
            await client.get(f"user:{user}")
"""
# Each test that has "over" in its name makes 6 round trips where 3 are allowed, the others 3.
KINDS = f"""{CLIENT}
import asyncio, doctest, unittest
from hypothesis import Phase, given, settings, strategies as st

pytestmark = pytest.mark.round_trips(3)
both = pytest.mark.parametrize("number", [3, pytest.param(6, id="over")])


@pytest.fixture
def before():
    page(7)  # not the test's


@pytest.fixture
def anyio_backend():
    return "asyncio"


def test_plain(before):
    page(3)

def test_plain_over(before):
    page(6)

@both
def test_parametrized(number):
    page(number)

class TestClass:
    @both
    def test_method(self, number):
        page(number)

@both
@pytest.mark.anyio
async def test_anyio(number):
    await async_page(number)

@both
@pytest.mark.asyncio
async def test_asyncio(number):
    await asyncio.gather(async_page(3), asyncio.to_thread(page, number - 3))

class TestOfUnittest(unittest.TestCase):
    def setUp(self):
        page(7)  # not the test's
    def test_case(self):
        page(3)
    def test_case_over(self):
        page(6)
    @unittest.skip("not now")
    def test_case_skipped(self):
        page(6)

class TestIsolated(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        await async_page(7)
    def test_isolated_sync_over(self):
        page(6)
    async def test_isolated(self):
        await async_page(3)
    async def test_isolated_over(self):
        await async_page(6)

@pytest.mark.round_trips(waits=2)
def test_waits_over():
    page(3)

@pytest.mark.round_trips(exactly=4)
def test_exactly_over():
    page(3)

@pytest.mark.round_trips(9, setup=0)
def test_setup_over():
    page(3)

@both
@pytest.mark.round_trips(99)
def test_within(round_trips, number):
    with round_trips(max=3) as t:
        page(number)
    assert t.round_trips == 3

@both
@pytest.mark.round_trips(99)
@pytest.mark.anyio
async def test_within_async(round_trips, number):
    async with round_trips(max=3):
        await async_page(number)

@both
@pytest.mark.round_trips(0)  # for the test itself, not for what growth() tries
def test_growth(round_trips, number):
    rows = []
    round_trips.growth(lambda: page(3 if number == 3 else rows[-1]), rows.append).check_constant()

@both
@pytest.mark.asyncio
@pytest.mark.round_trips(15)
@settings(max_examples=5, database=None, phases=[Phase.generate])
@given(x=st.integers())
async def test_hypothesis(number, x):
    await async_page(number)

@pytest.mark.xfail(strict=True)
def test_xfail():
    page(6)

def test_own_failure_over():
    page(6)
    assert "mine" == "yours"

@pytest.mark.round_trips(3, wait=2)
def test_wrong_word_over():
    raise AssertionError("it ran")

@pytest.mark.round_trips()
def test_wrong_empty_over():
    raise AssertionError("it ran")

@pytest.mark.round_trips(-1)
def test_wrong_number_over():
    raise AssertionError("it ran")
"""


def run_of_pytest(folder, server, *arguments, test=None, code=None, plugins=()):
    """Run pytest in `folder`; return ({names of tests that failed}, all it printed, exit status).

    `test` is the text of a test file to write first. `code` stands in place of ("-m", "pytest"),
    and `plugins` are modules to load besides those of roundtrips and xdist.
    """
    if test is not None:
        (folder / "test_it.py").write_text(test)
    all_plugins = "roundtrips.pytest_plugin", "xdist.plugin", *plugins
    loaded = [word for name in all_plugins for word in ("-p", name)]
    done = ran(
        folder, server, "-c", os.devnull, f"--rootdir={folder}", *loaded, "-p", "no:cacheprovider",
        "-W", "error", "--strict-markers", "-rf", *arguments, by=code or ("-m", "pytest"),
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )  # fmt: skip
    output = done.stdout + done.stderr
    return set(re.findall(r"^FAILED \S+?::(\S+)", output, re.M)), output, done.returncode


@pytest.fixture(scope="module")
def kinds(tmp_path_factory, server):
    plugins = ["anyio.pytest_plugin", "pytest_asyncio.plugin"]
    folder = tmp_path_factory.mktemp("kinds")
    return run_of_pytest(
        folder, server, "-W", "ignore::pytest.PytestWarning", test=KINDS, plugins=plugins
    )


def test_exactly_those_fail_that_make_too_many(kinds):
    failed, output, _ = kinds
    names = set(re.findall(r"def (test_\w*over)\b", KINDS))
    names |= {f"{name}[over]" for name in re.findall(r"(?s)@both.*?def (\w+)", KINDS)}
    assert {name.split("::")[-1] for name in failed} == names, output
    assert "1 skipped" in output and "1 xfailed" in output


@pytest.mark.parametrize("name, said", [
    ("test_plain_over", "6 round trips, 3 allowed"),
    ("test_parametrized[over]", "6 round trips, 3 allowed"),
    ("TestClass.test_method[over]", "6 round trips, 3 allowed"),
    ("test_asyncio[over]", "6 round trips, 3 allowed"),
    ("TestIsolated.test_isolated_over", "6 round trips, 3 allowed"),
    ("test_within_async[over]", "6 round trips, 3 allowed"),
    ("test_waits_over", "3 waits, 2 allowed"), ("test_exactly_over", "3 round trips, 4 expected"),
    ("test_wrong_word_over", "unexpected keyword argument 'wait'"),
    ("test_wrong_empty_over", "says no number of round trips. Write @pytest.mark"),
    ("test_wrong_number_over", "max is -1. Pass a whole number"),
    ("test_own_failure_over", "'mine' == 'yours'"),
])  # fmt: skip
def test_a_failure_says_what_where_and_the_way_out(kinds, name, said):
    pieces = re.split(r"^_{3,} (\S+) _{3,}$", kinds[1], flags=re.M)
    text = dict(zip(pieces[1::2], pieces[2::2], strict=False))[name].split("\n====")[0]
    assert said in text and "it ran" not in text
    assert not re.search("During handling|def __exit__|def judging", text)
    assert ("Write @pytest.mark" in text) == name.startswith(
        ("test_wrong_word", "test_wrong_empty")
    )
    assert ("allowed" in text) == ("allowed" in said)
    assert bool(re.search(r"GET user:{…}.*test_it.py:\d+ in \w*page", text)) == said[0].isdigit()


STRANGE = """
import pytest

class Strange(pytest.Function):
    def runtest(self):
        pass  # what it runs is its own affair

def pytest_pycollect_makeitem(collector, name, obj):
    if name == "strange":
        return Strange.from_parent(collector, name=name, callobj=obj)

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.round_trips(3))
"""


def test_what_runs_otherwise_is_counted_or_fails(tmp_path, server):
    (tmp_path / "conftest.py").write_text(STRANGE)
    code = CLIENT + 'def over():\n    """\n    >>> page(6)\n    """\n\ndef strange():\n    pass\n'
    failed, output, _ = run_of_pytest(tmp_path, server, "--doctest-modules", test=code)
    assert failed == {"test_it.over", "strange"}, output
    assert "6 round trips, 3 allowed" in output and "nothing was counted" in output


def test_it_is_harmless_where_it_is_not_used(tmp_path, server):
    loaded = "{'redis', 'roundtrips.traces'} & set(sys.modules)"
    unused = f"import sys\n\ndef test_it():\n    assert not {loaded}\n"
    assert run_of_pytest(tmp_path, server, test=unused)[2] == 0
    for taken in ("lab_utils", "report", "budgets", "config"):
        (tmp_path / f"{taken}.py").write_text("mine = True\n")
    mine = "import lab_utils, report, budgets, config\n\ndef test_it():\n    assert config.mine\n"
    code = ["-c", "import roundtrips, sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"]
    for how in (None, code):  # imported before: under `roundtrips -m pytest`
        done = run_of_pytest(tmp_path, server, "-o", "pythonpath=.", test=mine, code=how)
        assert done[2] == 0 and "Warning" not in done[1], done[1]


# What is set for all tests

SUITE = f"""{CLIENT}
def test_three(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # the settings stay those of the run
    page(3)

def test_six():
    page(6)

@pytest.mark.round_trips(None)
def test_lifted():
    page(6)

@pytest.mark.round_trips(6)
def test_raised():
    page(6)

def test_child():
    import subprocess
    subprocess.run(["true"])
"""


@pytest.mark.parametrize("arguments, table, over", [
    ([], "", set()), (["--round-trips-max=5"], "", {"test_six", "test_child"}),
    (["-o", "round_trips_max=5"], "", {"test_six", "test_child"}),
    (["--round-trips-max=5"], "allow_uncounted = true", {"test_six"}),
    (["--round-trips-max=9", "-o", "round_trips_max=0"], "", {"test_child"}),
    (["--round-trips-max=9"], 'programs = ["true"]', set()),
    (["--round-trips-waits=5"], "", {"test_six", "test_raised", "test_child"}),
    (["-o", "round_trips_setup=0"], "", {"test_three", "test_six", "test_raised", "test_child"}),
])  # fmt: skip
def test_options_and_settings(tmp_path, server, arguments, table, over):
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{table}\n")
    failed, output, status = run_of_pytest(tmp_path, server, *arguments, test=SUITE)
    assert failed == over and status == bool(over), output


OUTCOMES = f"""{CLIENT}
def test_a_budget(round_trips):
    with round_trips(max=4):
        page(6)

def test_growth(round_trips):
    rows = []
    round_trips.growth(lambda: page(rows[-1]), rows.append).check_constant()

def test_both():
    page(6)
    assert "mine" == "yours"

@pytest.mark.xfail
def test_expected():
    page(6)

def test_its_own():
    assert "mine" == "yours"
"""


def test_what_it_writes_of_other_failures(tmp_path, server):
    """Of a budget in the test, too, and not where the failure is expected."""
    wanted = "--round-trips-max=5", "--round-trips-annotations", "--round-trips-json-file=out.json"
    _, output, _ = run_of_pytest(tmp_path, server, *wanted, test=OUTCOMES)
    tests = json.loads((tmp_path / "out.json").read_text())["tests"]
    over = {each["test"].split("::")[1]: each["over"].split(",")[0] for each in tests}
    assert over == {
        "test_a_budget": "6 round trips", "test_growth": "grows with n: n round trips",
        "test_both": "6 round trips", "test_expected": "", "test_its_own": "",
    }  # fmt: skip
    assert output.count("::error file=") == 3 and "mine" in output


def test_tests_of_one_name_are_told_apart(tmp_path, server):
    """In folders outside the root folder, and where they are inherited."""
    contract = f"{CLIENT}class Contract:\n    def test_it(self):\n        page(self.number)\n"
    inherits = "from contract import Contract\n\nclass TestIt(Contract):\n    number = "
    for file, text in {
        "ci/contract.py": contract,
        "ci/test_c.py": f"{inherits}3\n", "ci/test_d.py": f"{inherits}4\n",
        "a/test_it.py": f"{CLIENT}def test_it():\n    page(1)\n",
        "b/test_it.py": f"{CLIENT}def test_it():\n    page(2)\n",
    }.items():  # fmt: skip
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    run_of_pytest(
        tmp_path / "ci", server, ".", "../a", "../b", "--import-mode=importlib",
        "-o", "pythonpath=.", "--round-trips-json-file=out.json",
    )  # fmt: skip
    tests = json.loads((tmp_path / "ci" / "out.json").read_text())["tests"]
    assert {each["test"]: each["round_trips"] for each in tests} == {
        "../a/test_it.py::test_it": 1, "../b/test_it.py::test_it": 2,
        "test_c.py::TestIt::test_it": 3, "test_d.py::TestIt::test_it": 4,
    }  # fmt: skip


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_what_it_writes_for_ci(tmp_path, server, monkeypatch, workers):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path.parent))
    wanted = "--round-trips-summary --round-trips-annotations --round-trips-json-file=out.json"
    failed, output, _ = run_of_pytest(
        tmp_path, server, "--round-trips-max=5", *wanted.split(), *workers, test=SUITE
    )
    assert failed == {"test_six", "test_child"}
    line = 1 + SUITE.splitlines().index("def test_six():")
    # The file is as GitHub calls it, where a repository has many services.
    where = f"::error file={tmp_path.name}/test_it.py,line={line},title=round trips::"
    assert f"{where}6 round trips, 5 allowed%0A" in output
    tests = json.loads((tmp_path / "out.json").read_text())["tests"]
    made = {each["test"].split("::")[1]: each for each in tests}
    assert {name: each["round_trips"] for name, each in made.items()} == {
        "test_three": 3, "test_six": 6, "test_lifted": 6, "test_raised": 6, "test_child": 0,
    }  # fmt: skip
    assert {name for name, each in made.items() if each["over"]} == failed
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("### pytest: 21 round trips to Redis in 5 tests\n")
    assert "**failed:** `test_it.py::test_six`" in summary and server["password"] not in summary


@pytest.mark.parametrize("arguments", [(), ("-n2",)])
def test_a_line_and_a_ratchet_for_each_test(tmp_path, server, arguments):
    suite = f"{CLIENT}\n@pytest.mark.round_trips(9)\n"  # lifts no ratchet
    suite += "def test_a():\n    page(3)\n\ndef test_b():\n    page(2)\n\ndef test_c():\n    pass\n"
    suite += "\ndef test_child():\n    page(1)\n    import os; os.system('true')\n"

    def run(*more, test):
        how = "--round-trips-ratchet=trips.json", "--round-trips-report", *arguments, *more
        return run_of_pytest(tmp_path, server, *how, test=test)

    failed, output, _ = run("--round-trips-accept", test=suite)
    stored = json.loads((tmp_path / "trips.json").read_text())
    assert failed == {"test_child"} and "round_trips(None, allow_uncounted=True)" in output
    assert sorted(row["round_trips"] for row in stored["call_sites"]) == [0, 2, 3]
    assert re.findall(r"^ +(\d) round trips +(\d) waits  test_it.py::(.*)$", output, re.M) == [
        ("3", "3", "test_a"), ("2", "2", "test_b"), ("1", "1", "test_child  not all counted"),
        ("0", "0", "test_c"),
    ]  # fmt: skip

    settings = tmp_path / "pyproject.toml"
    settings.write_text('[tool.roundtrips]\nprograms = ["sh"]\n')
    assert run("--round-trips-accept", test=suite)[2] == run(test=suite)[2] == 0
    changed = suite.replace("page(3)", "page(5)").replace("page(2)", "page(1)")
    changed += "\ndef test_new():\n    page(1)\n"
    failed, output, _ = run(test=changed)
    assert failed == {"test_a", "test_new"} and "5 round trips, 3 allowed" in output
    assert "1 round trip, 0 allowed" in output and "--round-trips-accept" in output
    if arguments:  # from here on workers make no difference
        return
    settings.write_text('[tool.roundtrips]\nprograms = ["sh"]\nratchet_tolerance = "70%"\n')
    assert run(test=changed)[0] == {"test_new"}
    failing = changed.replace("page(1)", "page(1)\n    assert 0", 1)
    assert run("--round-trips-accept", test=failing)[0] == {"test_b"}  # which stays as it was
    assert run(test=changed.replace("page(1)", "page(2)", 1))[2] == 0


@pytest.mark.parametrize("arguments, said", [
    (["-o", "round_trips_max=few"], "few"), (["--round-trips-max=-1"], "Pass a whole number"),
    (["--round-trips-accept"], "goes with --round-trips-ratchet"),
    (["--round-trips-ratchet=none.json"], "There is no ratchet"),
    (["--round-trips-ratchet=none.json"], "--round-trips-ratchet=none.json --round-trips-accept"),
    (["--round-trips-summary"], "GITHUB_STEP_SUMMARY"),
    (["--round-trips-ratchet=test_it.py", "--round-trips-accept"], "is no ratchet"),
])  # fmt: skip
def test_what_can_not_be_is_a_usage_error(tmp_path, server, arguments, said):
    _, output, status = run_of_pytest(tmp_path, server, *arguments, test="def test_it(): pass\n")
    assert status == pytest.ExitCode.USAGE_ERROR and said in output, output
    assert (tmp_path / "test_it.py").read_text() == "def test_it(): pass\n"
