"""What the lab counts with: several at once, in threads and coroutines, interrupted."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.counting.recording import Recording
from roundtrips import redis_py


@pytest.fixture(autouse=True)
def redis_py_is_left_as_it_was():
    originals = [(owner, name, owner.__dict__[name]) for owner, name, _ in redis_py.replacements()]
    yield
    assert all(owner.__dict__[name] is original for owner, name, original in originals)
    assert not redis_py.open_recorders


def test_a_recording_around_an_async_count_sees_it_too(r):
    async def work(r):
        await asyncio.gather(*(r.get(f"inside{number}") for number in range(3)))

    with Recording() as seen:
        cost = lab.count(work, r)
    assert cost.round_trips == 3
    gets = [write.data for write in seen.writes if write.data.startswith(b"*2\r\n$3\r\nGET")]
    assert sorted(get.split(b"\r\n")[4] for get in gets) == [b"inside0", b"inside1", b"inside2"]


def test_counts_in_threads_take_turns_are_exact_and_do_not_wait_for_a_counted_function(r):
    def work(number):
        def gets(r):
            for _ in range(number):
                r.get("key")

        return [lab.count(gets, clients[number]) for _ in range(5)]

    clients = {number: lab.connect() for number in (10, 20, 30)}
    with ThreadPoolExecutor(3) as pool:
        for number, costs in zip(clients, pool.map(work, clients), strict=True):
            for cost in costs:
                assert (cost.round_trips, cost.commands, cost.connections) == (number, number, 0)
                assert cost.server_reads is not None  # nobody else was at the server meanwhile
    # A count in a thread of a counted function does not wait for it.
    inner = []

    def work(r):
        count = lambda: inner.append(lab.count(lambda r: r.get("key"), r))  # noqa: E731
        thread = threading.Thread(target=count)
        thread.start()
        thread.join(20)

    lab.count(work, r)
    assert inner[0].round_trips == 1


def test_a_helper_inside_an_async_function_says_so_instead_of_waiting_for_ever(r):
    async def inner(r):
        await r.ping()

    async def outer(_):
        lab.count(inner, r)

    assert "`async def`" in refusal(lab.count, outer, r)


def test_a_reply_that_an_interrupt_left_on_its_way_is_nobodys(monkeypatch, r):
    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(redis_py, "tell_written", interrupted)  # written, and not waited for yet
        with pytest.raises(KeyboardInterrupt), Recording():
            r.echo("one")
    assert r.echo("two") == b"two"
