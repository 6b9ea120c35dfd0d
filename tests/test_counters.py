"""What a piece of code cost, to the byte; and nothing left behind in redis-py."""

import threading

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.counting.cost import Cost, Costs, cost_and_result
from roundtrips import redis_py

VALUES = {f"key{i}": f"value{i}" for i in range(1_000)}


def loop(r):
    for key, value in VALUES.items():
        r.set(key, value)


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    loop(pipe)
    pipe.execute()


def client_side(cost):
    return cost.round_trips, cost.commands, cost.bytes_sent, cost.bytes_received


def server_side(cost):
    return cost.server_us, cost.server_reads, cost.server_writes


def test_a_turn_is_a_wait_not_a_write_and_nothing_costs_nothing(r):
    """Three requests sent before the first reply is read are one round trip."""

    def work(r):
        connection = r.connection_pool.get_connection()
        for i in (1, 2, 3):
            connection.send_command("ECHO", i)
        assert [connection.read_response() for _ in range(3)] == [b"1", b"2", b"3"]
        r.connection_pool.release(connection)

    assert client_side(lab.count(work, r))[:2] == (1, 3)
    nothing = lab.count(lambda r: None, r)
    assert client_side(nothing) == (0, 0, 0, 0) and server_side(nothing) == (0, 0, 0)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of a coroutine that nobody awaited
def test_an_async_function_without_await_is_no_count_of_0(r):
    async def forgot(r):
        r.set("key", "value")

    assert "forget await" in refusal(lab.count, forgot, r)
    assert lab.count(lambda r: None, r).round_trips == 0  # a plain one may know the answer


def test_the_server_counts_too(r):
    of_loop, of_pipeline = lab.count(loop, r), lab.count(pipeline, r)
    assert of_loop.server_reads >= 1_000 and of_loop.server_writes >= 1_000
    assert of_pipeline.server_reads < 50 and of_pipeline.server_writes < 50
    assert 0 < of_pipeline.server_us < 1_000_000


def test_time_inside_a_container_is_not_counted_twice(r):
    r.config_resetstat()
    cost = lab.count(lambda r: r.eval("for i = 1, 20000 do redis.call('SET', 'key1', i) end", 0), r)
    assert cost.server_us == r.info("commandstats")["cmdstat_eval"]["usec"]


def test_a_foreign_client_makes_it_say_shared(r):
    stranger = lab.connect()

    def work(r):
        r.set("key1", "value1")
        thread = threading.Thread(target=foreign)
        thread.start()
        thread.join()

    def foreign():  # past redis-py, so that the seen can't see it
        sock = stranger.connection_pool.get_connection()._sock
        sock.sendall(b"*1\r\n$4\r\nPING\r\n")
        sock.recv(100)

    cost = lab.count(work, r)
    assert client_side(cost) == (1, 1, 35, 5) and server_side(cost) == (None, None, None)
    assert "shared with other clients: not counted" in repr(cost)


def test_during_a_count_redis_py_is_tapped_and_in_a_timed_pass_plain(r):
    assert cost_and_result(lambda r: bool(redis_py.replaced), r)[1]
    seen = []
    lab.compare({"one": lambda r: seen.append(bool(redis_py.replaced))}, rounds=3)
    assert seen and not any(seen)


def test_a_function_that_raises_leaves_redis_py_plain(r):
    async def fails(r):
        raise ZeroDivisionError

    for work in (lambda r: r.set("key1", 1 / 0), fails):
        with pytest.raises(ZeroDivisionError):
            lab.count(work, r)
        assert not redis_py.replaced


def test_how_large_a_measured_value_is_moves_no_column():
    few, many = (
        repr(Costs(loop=Cost(1, 1, 2, 3, server_us))).splitlines()
        for server_us in (5, 1_234_567_890_123)
    )
    assert few[0] == many[0] and few[1].index("~") != many[1].index("~")
