"""Samples of a running program: which function it is in, and the timer put back as it was."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers import refusal

from chapter_helpers.sampling import sampled


def busy(seconds):
    end = time.thread_time() + seconds  # another program's turn on the CPU is in none
    while time.thread_time() < end:
        pass


def long_one():
    busy(0.03)


def short_one():
    busy(0.01)


def work(r):
    long_one()
    short_one()


@pytest.mark.alone
def test_what_takes_three_times_as_long_is_seen_more_often(r):
    stacks, seconds = sampled(work, r)
    seen = {name: sum(name in stack for stack in stacks) for name in ("long_one", "short_one")}
    assert seen["long_one"] > seen["short_one"] > 0
    assert seconds >= 0.04
    # The innermost function comes first, and its caller behind it.
    stack = next(stack for stack in stacks if stack[0] == "busy")
    assert stack[1] in ("long_one", "short_one") and stack[2] == "work"


def test_the_timer_and_its_signal_are_put_back(r):
    def fails(r):
        raise ValueError("in here")

    before, (_, interval) = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)
    with pytest.raises(ValueError, match="in here"):
        sampled(fails, r)
    sampled(work, r)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL)[1] == interval


def test_another_thread_is_told_where_it_works(r):
    with ThreadPoolExecutor() as pool:
        assert "main thread" in pool.submit(refusal, sampled, work, r).result()
