"""A clock that only waiting moves, in place of the computer's; imported before `roundtrips`.

Every time that `roundtrips` notes is then computed, and the same in each run.
"""

import time

# Each look moves the clock by so many seconds: no two events have the same time.
TICK_S = 1e-7

started = time.time()
now = 0.0  # seconds since `started`


def wait_until(moment):
    global now
    now = max(now, moment)


def sleep(seconds):
    wait_until(now + seconds)


def look():
    sleep(TICK_S)
    return now


time.perf_counter = time.monotonic = look
time.time = lambda: started + now
time.sleep = sleep
