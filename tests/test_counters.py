"""What a piece of code cost, to the byte, by the server's own counters too."""

import threading

import pytest
from helpers import refusal

import lab_utils as lab
from chapter_helpers.raw_socket import raw_socket

VALUES = {f"key{i}": f"value{i}" for i in range(1_000)}


def loop(r):
    return [r.set(key, value) for key, value in VALUES.items()]


def pipeline(r):
    pipe = r.pipeline(transaction=False)
    loop(pipe)
    pipe.execute()


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


def test_a_foreign_client_makes_it_say_that_it_is_not_counted(r):
    def work(r):
        r.set("key1", "value1")
        thread = threading.Thread(target=foreign)
        thread.start()
        thread.join()

    def foreign():  # past redis-py, so that the count can't see it
        sock.sendall(b"PING\r\n")
        sock.recv(100)

    with raw_socket(lab.connect()) as sock:
        cost = lab.count(work, r)
    assert (cost.round_trips, cost.commands, cost.bytes_sent, cost.bytes_received) == (1, 1, 35, 5)
    assert (cost.server_us, cost.server_reads, cost.server_writes) == (None, None, None)
    assert "not counted: it has other clients" in repr(cost)
