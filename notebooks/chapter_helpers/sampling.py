"""Sample a program's stack a thousand times a second, by a timer's signal.

A profiler that is called at every function call makes small functions look expensive. A timer costs
the same wherever its signal falls, so functions that are seen often do take long. Python handles a
signal only after a C function has returned: time in C counts for the Python function that called
it.
"""

import signal
import threading
import time

from lab_utils.arguments import check_client, check_function, check_ran
from lab_utils.errors import LabError
from lab_utils.interrupts import Whole
from lab_utils.scale import scale
from lab_utils.testbed import ownership
from lab_utils.testbed.chosen_server import server
from lab_utils.testbed.pinning import steady

EVERY_S = 0.001


def sampled(fn, client) -> tuple[list, float]:
    """Run `fn(client)` again and again, and sample its stack every millisecond.

    The runs go on for as many seconds as the environment variable LAB_SCALE asks for, and for one
    run at least. Returns (stacks, mean seconds of a run). Each stack is a list of function names,
    the innermost first, as `plot_icicle` takes it. Raises LabError outside of the main thread, and
    the errors of `fn`.
    """
    check_function(fn, "sampled")
    check_client(client, "sampled")
    ownership.check(client)
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
    """In a `with` block, append the main thread's stack to `stacks` every millisecond.

    A stack is a list of function names, the innermost first. Afterwards the former timer and signal
    handler are restored.
    """

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
