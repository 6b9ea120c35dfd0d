"""What is said of a busy machine, and to whom."""

import pytest

from lab_utils import calm
from lab_utils.calm import Calm

QUIET, BUSY, BUSIER = Calm(25, 25), Calm(3, 40, 0.23), Calm(0, 40, 0.5)


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch):
    monkeypatch.setattr(calm, "_noted", dict.fromkeys(calm._noted))


def test_a_calm_machine_and_a_busy_one():
    assert not QUIET.busy and QUIET.sentence() == "the machine was calm"
    assert BUSY.busy
    assert BUSY.sentence() == "the machine was busy: other programs took ~23% of the time, ~3 of ~40 rounds were quiet"


def test_a_claim_is_told_the_worst_since_the_last_claim():
    for noted in (QUIET, BUSIER, BUSY):
        calm.note(noted)
    assert calm.since_claim() == BUSIER
    calm.note(QUIET)
    assert calm.since_claim() == QUIET


def test_claims_in_a_row_are_told_the_same():
    calm.note(BUSY)
    assert calm.since_claim() == calm.since_claim() == BUSY


def test_nothing_measured_is_no_reason_to_call_the_machine_busy():
    assert not calm.since_claim().busy and not calm.so_far().busy


def test_a_chapter_remembers_its_worst_beyond_claims():
    calm.note(BUSIER)
    calm.since_claim()
    calm.note(QUIET)
    assert calm.so_far() == BUSIER
