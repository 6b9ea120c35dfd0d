"""Code in a Python of its own: imports count, and the lab's server is reached."""

import pytest

import lab_utils as lab

SET = """import atexit, redis
print(redis.Redis(**address).set('key1', 'value1'), 5)
atexit.register(print, 7)"""


@pytest.mark.parametrize("rtt_ms", [0, 5])
def test_it_works_on_the_labs_server(r, rtt_ms):
    took = lab.run_fresh(SET, rtt_ms)
    assert r.get("key1") == b"value1"
    assert took >= 5 * rtt_ms / 1000  # four turns to connect, and the SET's


@pytest.mark.alone
def test_what_it_does_is_in_the_time(r):
    assert lab.run_fresh("pass") < 3 < lab.run_fresh("import time; time.sleep(3)")
