"""What the exercises' checks share: the client and its clean-up, budgets, what was sent."""

import asyncio
import signal

import pytest
import redis

import lab_utils as lab
from lab_utils import Cost
from lab_utils.counting.recording import Recording
from lab_utils.course import checking
from lab_utils.course.checking import Refused, exercise_client, refuse_over, replaced
from lab_utils.testbed import guard


def cost(round_trips, connections=0, handshake_trips=0):
    return Cost(round_trips, 1, 0, 0, connections=connections, handshake_trips=handshake_trips)


def test_clean_deletes_the_keys_of_the_exercises_and_no_other(r):
    r.mset({f"exercise:{i}": i for i in range(2_500)} | {"exercises": 1, "an exercise:1": 1})
    checking.clean(r)
    assert sorted(r.keys()) == [b"an exercise:1", b"exercises"]


def test_clean_leaves_somebody_elses_server_alone(r, monkeypatch):
    r.set("exercise:1", "theirs")
    with monkeypatch.context() as unknown, pytest.raises(lab.LabError):
        unknown.setattr(guard, "_private", {})
        checking.clean(r)
    assert r.get("exercise:1") == b"theirs"


def test_the_client_of_an_exercise_is_connected_has_its_options_and_is_closed_at_the_end():
    with exercise_client(client_name="exercise", decode_responses=True) as client:
        with Recording() as seen:
            assert client.client_info()["name"] == "exercise" and client.echo("text") == "text"
        assert seen.opened == 0
        connection = checking.borrowed(client)
        assert connection.is_connected and checking.borrowed(client) is connection
    assert not connection.is_connected


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


def test_the_clean_up_does_not_need_the_client_that_the_answer_had(r):
    """It has taken the only connection, and left a reply that nobody read in it."""
    with exercise_client(max_connections=1) as client:
        client.set("exercise:1", 1)
        client.connection_pool.get_connection().send_command("PING")
        with pytest.raises(redis.ConnectionError):
            client.ping()
    assert r.keys() == []


def test_a_budget_that_is_kept():
    refuse_over(cost(1), 1)
    refuse_over(cost(1), 10)
    refuse_over(cost(0, connections=1, handshake_trips=2), 2)


@pytest.mark.parametrize(
    "spent, budget, said",
    [
        (cost(9_500), 10, "right values, but 9,500 round trips; the budget is 10"),
        (
            cost(1, 1, 2),
            1,
            "right values, but 3 round trips (2 of them to open 1 connection); the budget is 1",
        ),
        (
            cost(1, 3, 6),
            2,
            "right values, but 7 round trips (6 of them to open 3 connections); the budget is 2",
        ),
        (
            cost(0),
            1,
            "right values, but no round trip through the client that was passed in: use r",
        ),
    ],
    ids=str,
)
def test_a_budget_that_is_not(spent, budget, said):
    with pytest.raises(Refused) as why:
        refuse_over(spent, budget)
    assert str(why.value) == said


def test_the_names_of_what_was_sent_in_order_without_the_set_up(r):
    with Recording() as seen:
        r.get("key1")
        pipe = r.pipeline()
        pipe.set("key1", "GET").incr("key2").execute()
        pool = redis.ConnectionPool(**r.connection_pool.connection_kwargs)
        with redis.Redis.from_pool(pool) as own:
            own.execute_command("dbsize")
    assert seen.opened == 1
    assert checking.names_sent(seen) == ["GET", "MULTI", "SET", "INCRBY", "EXEC", "DBSIZE"]
    assert checking.commands_sent(seen)[0] == [b"GET", b"key1"]


class Some:
    one, two = 1, 2


def test_several_attributes_are_put_back_after_an_error():
    with pytest.raises(ZeroDivisionError), replaced(Some, one=10, two=20):
        assert (Some.one, Some.two) == (10, 20)
        Some.one // 0
    assert (Some.one, Some.two) == (1, 2)


def test_an_interrupt_while_attributes_are_put_back_waits_until_they_are(monkeypatch):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(
        replaced,
        "leave",
        lambda self, leave=replaced.leave: (signal.raise_signal(signal.SIGINT), leave(self)),
    )
    try:
        with pytest.raises(KeyboardInterrupt), replaced(Some, one=10, two=20):
            pass
    finally:
        signal.signal(signal.SIGINT, before)
    assert (Some.one, Some.two) == (1, 2)


@pytest.mark.parametrize(
    "names, whole",
    [
        (["EVALSHA"], True),
        (["MULTI", "SET", "INCRBY", "EXEC"], True),
        (["SET", "INCRBY"], False),
        ([], False),
        (["MULTI", "SET", "EXEC", "MULTI", "INCRBY", "EXEC"], False),
        (["WATCH", "MULTI", "SET", "EXEC"], False),
    ],
    ids=str,
)
def test_what_runs_with_nothing_in_between(names, whole):
    assert checking.in_one_piece(names) is whole
