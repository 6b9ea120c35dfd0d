"""Exercises: open, refused with hints that escalate, solved; printed, never raised; remembered."""

import re

import pytest
import redis

import lab_utils as lab
from chapter_helpers.progress import progress
from lab_utils.course import exercises
from lab_utils.course.exercises import unsolved

TRIAL = """
from lab_utils.course.checking import Refused

def check(answer):
    got = answer(None)
    if got == 1:
        return "1, as asked"
    raise Refused(f"{got} is not 1", *(["which numbers are above 0?", "1 is"] if got < 0 else []))
"""


@pytest.fixture
def trial(remembered, monkeypatch, tmp_path):
    """Make an exercise 99.1, in a folder of its own, that asks for a function which returns 1.

    Returns the Path of the folder in which the lab stores what was solved.
    """
    folder = tmp_path / "exercises" / "99.1"
    folder.mkdir(parents=True)
    (folder / "task.md").write_text(
        "write a function that returns 1.\n\n- count\n- to one\n", encoding="utf-8"
    )
    (folder / "check.py").write_text(TRIAL, encoding="utf-8")
    monkeypatch.setattr(exercises, "FOLDER", folder.parent)
    return remembered


def test_open_solved_and_refused(trial, capsys):
    def unfinished(r): ...

    lab.check("99.1", unfinished)
    for value in (2, 3, 4, 1):
        lab.check("99.1", lambda r, value=value: value)
    assert capsys.readouterr().out.splitlines() == [
        "99.1 open: write a function that returns 1.",
        "99.1 not yet: 2 is not 1",
        "Hint: count",
        "99.1 not yet: 3 is not 1",
        "Hint: to one",
        "99.1 not yet: 4 is not 1",
        "Hint: to one",
        "99.1 solved: 1, as asked",
        "This chapter is solved. 1 of 1 solved in all.",
    ]


def test_hints_follow_the_mistake_and_not_the_number_of_tries(trial, capsys):
    for value in (-1, 2, -1, -1, 2):
        lab.check("99.1", lambda r, value=value: value)
    hints = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Hint")]
    assert hints == [
        "Hint: which numbers are above 0?",
        "Hint: count",
        "Hint: 1 is",
        "Hint: 1 is",
        "Hint: to one",
    ]


@pytest.mark.parametrize(
    "error, hint",
    [
        (redis.WatchError("changed"), "count"),
        (TypeError("BasicKeyCommands.get() takes 2 …"), "redis-py has it as r.get(name). count"),
        (TypeError("sequence item 0: expected a bytes-like object"), "count"),
        (TypeError("unsupported operand type(s) for +: 'NoneType' and 'int'"), "Print what"),
        (NameError("name 'not_imported' is not defined"), "Print what"),
        (redis.DataError("Invalid input of type: 'NoneType'"), "Redis takes bytes"),
        (redis.ResponseError("command arguments must be strings or integers"), "Lua counts from 1"),
        (redis.ResponseError("attempt to compare nil with number"), "Lua counts from 1"),
        (redis.ResponseError("wrong number of arguments for 'mget'"), "That command came without"),
    ],
    ids=str,
)
def test_an_error_that_is_raised_gets_the_hint_that_fits(trial, capsys, error, hint):
    def raises(r):
        raise error

    lab.check("99.1", raises)
    assert f"\nHint: {hint}" in capsys.readouterr().out


def test_what_the_check_met_is_not_blamed_on_the_code_and_a_name_that_is_none_is_told(
    remembered, capsys
):
    lab.check("01.1", int)
    met = "01.1 not yet: the check used your answer, and met ValueError: int() base must be"
    assert met in capsys.readouterr().out
    for name in ("1.2", None, 5, []):
        lab.check(name, None)
        assert f"There is no exercise {name!r}. There are: 00.1, 01.1" in capsys.readouterr().out


def test_a_lab_error_says_what_to_do_and_needs_no_hint(trial, capsys):
    def answer(r):
        raise lab.LabError("The function is `async def`. Write it as `def`.")

    lab.check("99.1", answer)
    assert capsys.readouterr().out == (
        "99.1 not yet: The function is `async def`. Write it as `def`.\n"
    )


def test_what_the_answer_raises_is_a_finding(trial, capsys):
    lab.check("99.1", lambda r: lab.connect().pipeline().get("key").value)
    assert re.search(
        "(?s)99.1 not yet: your code raised AttributeError.*\nHint: A call on a pipeline",
        capsys.readouterr().out,
    )
    space = {}
    cell = compile("def answer(r):\n    x = 1\n    return x / 0\n", "<ipython-input-1>", "exec")
    exec(cell, space)
    lab.check("99.1", space["answer"])
    assert "raised ZeroDivisionError in line 3: division by zero" in capsys.readouterr().out


def test_what_is_done_stands_in_a_table_of_all_chapters(remembered, capsys):
    lab.check("01.1", lambda rtt_ms, connections: connections * 1000 / rtt_ms)
    lab.guess("01.cart", 20, "ms")
    left = f"Open in this chapter: 01.2, 01.3. 1 of {len(exercises.names())} solved in all."
    assert left in capsys.readouterr().out
    cells = re.findall(r"<td[^>]*>(.*?)</td>", progress().data.split("<tr>")[3])
    assert cells == [
        '<a href="01_round_trips.ipynb">01 · Round trips</a>',
        "half day",
        "01.1",
        "01.2, 01.3",
        "1",
    ]


UNSOLVED = [
    "answer = None",
    "answer = ...",
    "def answer(r): ...",
    "def answer(r):\n    pass",
    'def answer(r):\n    """What to do."""',
    'def answer(r):\n    """What to do."""\n    ...',
    "async def answer(r): ...",
    "def one(r): ...\nanswer = (len, one)",
]
SOLVED = [
    "answer = 0",
    "answer = []",
    "def answer(r):\n    return 1",
    'def answer(r):\n    return "1"',
    "def answer(r):\n    r.ping()",
    'def answer(r):\n    """What to do."""\n    return 1',
    "async def answer(r):\n    await r.ping()",
    "answer = lambda r: 1",
    "answer = print",
    "class answer: pass",
    "answer = (len, max)",
]


def test_what_is_an_answer():
    for source in UNSOLVED + SOLVED:
        space = {}
        exec(source, space)
        assert unsolved(space["answer"]) is (source in UNSOLVED), source


def test_what_it_says_fits_the_page(trial, capsys):
    def answer(r):
        raise exercises.Refused("one word and another, " * 12, "look at 'exercise:key' " * 8)

    lab.check("99.1", answer)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 4 and max(map(len, lines)) <= 100
    assert [line[:6] for line in lines if not line.startswith("      ")] == ["99.1 n", "Hint: "]
