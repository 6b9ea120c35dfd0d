"""Code in a Python of its own: imports count, the lab's server is reached, a failure is told."""

import pytest
from helpers import refusal

import lab_utils as lab

SET = "import redis; redis.Redis(**address).set('key1', 'value1')"


@pytest.mark.parametrize("rtt_ms", [0, 5])
def test_it_works_on_the_labs_server(r, rtt_ms):
    took = lab.run_fresh(SET, rtt_ms)
    assert r.get("key1") == b"value1"
    assert took > 5 * rtt_ms / 1000 * 0.9  # four turns to connect, and the SET's


def test_what_it_does_is_in_the_time_and_nothing_of_this_process_is_there(r):
    assert lab.run_fresh("pass") < 3 < lab.run_fresh("import time; time.sleep(3)")
    assert "NameError" in refusal(lab.run_fresh, "lab")
    assert "0 to 500" in refusal(lab.run_fresh, SET, 501)
