"""The page to try: its Redis in memory beside a real one, and its verdicts beside the lab's."""

import json
import os
import re
import subprocess
import sys

import pytest
from helpers import ROOT
from programs_to_try import PROGRAMS, outcomes
from tried import NEEDS, offered, write_answers, wrong_verdicts

import lab_utils as lab
from lab_utils.course import exercises
from lab_utils.testbed import chosen_server

# How many replies SCAN takes depends on how a server stores the keys. The results are the same.
OF_THE_STORE = "trips", "waits", "commands", "sent", "received", "findings"
KNOWN = {"scan": OF_THE_STORE, "hscan": OF_THE_STORE}


def run(program, *arguments, **options):
    command = [sys.executable, ROOT / "tests" / program, *arguments]
    return subprocess.check_output(command, text=True, **options)


@pytest.fixture(scope="module")
def in_memory():
    return json.loads(run("programs_to_try.py"))


@pytest.mark.parametrize("protocol", [2, 3])
def test_a_program_costs_in_memory_what_it_costs_on_redis(r, in_memory, protocol):
    real = outcomes({**chosen_server.server().options, "protocol": protocol})
    assert list(real) == list(PROGRAMS)
    for name, costs in real.items():
        imitated = in_memory[protocol - 2][name]
        for field in costs.keys() - set(KNOWN.get(name, ())):
            assert imitated[field] == costs[field], (name, field)
    lab.empty(r)


# All of them are walked by the page's own Python, in tests/drills/test_try.py.
@pytest.mark.parametrize("only", ["03.1", "04.2", "07.1"])
def test_each_answer_gets_the_labs_verdict(tmp_path, only):
    write_answers(tmp_path, only)
    run("walk_to_try.py", tmp_path, env={**os.environ, "LAB_STATE": str(tmp_path / "state")})
    assert wrong_verdicts(tmp_path, only) == []


def test_an_exercise_is_offered_or_said_to_need_the_lab():
    assert sorted([*offered(), *NEEDS]) == exercises.names()


def test_what_is_packed_is_pinned_as_in_the_lab():
    named = [(ROOT / name).read_text(encoding="utf-8") for name in REQUIREMENTS]
    pins = [dict(re.findall(r"(?m)^([\w-]+)==(\S+)", text)) for text in named]
    for package in ("redis", "fakeredis", "abstra-lua"):
        [version] = {each[package] for each in pins if package in each}
        assert version


REQUIREMENTS = "requirements.txt", "requirements/dev.txt", "requirements/book.txt"
