"""Where a program is, a thousand times a second: samples of its stack, taken from outside.

A profiler that is called by every function charges small functions for being watched. A timer's
signal costs the same wherever it falls, so what is seen often takes long. A signal waits until C
returns: time in C counts for the Python function that called it.
"""

import signal
import threading
import time

from lab_utils.arguments import check_client, check_function, check_ran
from lab_utils.errors import LabError
from lab_utils.interrupts import Whole
from lab_utils.scale import scale
from lab_utils.testbed import guard
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.pinning import steady

EVERY_S = 0.001


def sampled(fn, client):
    """Run `fn(client)` as often as LAB_SCALE allows, and look every millisecond where it is.

    Returns (stacks, seconds): each stack is a list of the functions' names, the innermost first,
    for `plot_icicle`; and how many seconds one run took meanwhile. Raises LabError outside the main
    thread, and whatever `fn` raises.
    """
    check_function(fn, "sampled")
    check_client(client, "sampled")
    guard.check(client)
    if threading.current_thread() is not threading.main_thread():
        raise LabError(
            "sampled needs a timer's signals, which only Python's main thread gets. Run "
            "it in a cell of its own."
        )
    with steady(server().pid), Sampling() as sampling:
        check_ran(fn(client), "sampled")
        started, runs, took = time.perf_counter(), 0, 0.0
        sampling.stacks.clear()
        while took < scale().seconds or not runs:
            fn(client)
            runs, took = runs + 1, time.perf_counter() - started
    return sampling.stacks, took / runs


class Sampling(Whole):
    """Run the timer inside the block, so that `stacks` grows; then put it and its signal back."""

    def __init__(self):
        self.stacks = []

    def enter(self):
        self.handler = signal.signal(signal.SIGALRM, self.look)
        self.timer = signal.setitimer(signal.ITIMER_REAL, EVERY_S, EVERY_S)

    def leave(self):
        if hasattr(self, "timer"):
            signal.setitimer(signal.ITIMER_REAL, *self.timer)
        if hasattr(self, "handler"):
            signal.signal(signal.SIGALRM, self.handler)

    def look(self, _, frame):
        stack = []
        while frame:
            stack.append(frame.f_code.co_qualname.split(".<locals>")[0])
            frame = frame.f_back
        self.stacks.append(stack)
