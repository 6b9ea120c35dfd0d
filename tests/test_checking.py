"""The client that the exercises' checks share, and its clean-up."""

import asyncio

import pytest
import redis

from lab_utils.course import checking
from lab_utils.course.checking import Refused, exercise_client


def test_clean_deletes_the_keys_of_the_exercises_and_no_other(r):
    r.mset({f"exercise:{i}": i for i in range(2_500)} | {"exercises": 1, "an exercise:1": 1})
    checking.clean(r)
    assert sorted(r.keys()) == [b"an exercise:1", b"exercises"]


@pytest.mark.parametrize(
    "raised", [Refused, redis.RedisError, asyncio.CancelledError, KeyboardInterrupt]
)
def test_the_clean_up_comes_before_and_after_whatever_the_answer_raises(r, raised):
    r.mset({"exercise:left": 1, "mine": 1})
    with pytest.raises(raised), exercise_client() as client:
        assert r.keys() == [b"mine"]
        client.set("exercise:1", 1)
        raise raised
    assert r.keys() == [b"mine"]
