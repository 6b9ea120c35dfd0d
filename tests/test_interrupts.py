"""An interrupted helper closes what it had open and says so in one sentence; the link goes on."""

import asyncio
import gc
import os
import signal

import pytest
from helpers import wait_until

import lab_utils as lab
from lab_utils.interrupts import Interrupted, interruptible, uninterrupted
from lab_utils.testbed import event_loop
from lab_utils.testbed.pinning import affinity


@pytest.fixture(autouse=True)
def handler():
    """Let SIGINT raise KeyboardInterrupt in each test, and check that the test leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def ctrl_c(*_):
    signal.raise_signal(signal.SIGINT)


def test_a_signal_waits_for_the_end_of_the_block():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        ctrl_c()
        with uninterrupted():
            ctrl_c()
            done.append("inner")
        done.append("outer")
    assert done == ["inner", "outer"], "the inner one hands it to the outer one"


def test_an_interrupt_becomes_one_sentence_and_stays_an_interrupt():
    with pytest.raises(KeyboardInterrupt) as caught:
        lab.timeline(lambda: ctrl_c())
    assert isinstance(caught.value, Interrupted) and not isinstance(caught.value, Exception)
    assert caught.value.__suppress_context__
    name, *lines = caught.value._render_traceback_()
    assert (name, " ".join(lines)) == (
        "Interrupted",
        "lab.timeline was interrupted. The kernel is as it was before; keys that "
        "had been written may remain. Run the cell again.",
    )


def test_the_connection_of_a_client_that_was_given_is_closed():
    """The connection may hold a reply, which the next request would read as its own."""
    client = lab.connect()
    connected = client.client_id()
    for positional, named in ([client], {}), ([], {"client": client}):
        with pytest.raises(Interrupted):
            measuring(*positional, **named)
        before = connected
        connected = client.client_id()
        assert connected != before


@interruptible
def measuring(client):
    ctrl_c()


def test_what_a_measurement_changed_is_put_back(r):
    before = affinity(0), gc.isenabled()
    for helper in lab.compare, lab.count, lab.capture, lab.bystander:
        arguments = [{"one": ctrl_c}] if helper is lab.compare else [ctrl_c, r]
        with pytest.raises(Interrupted):
            helper(*arguments)
        assert (affinity(0), gc.isenabled()) == before
        assert lab.count(lambda c: c.get("key1"), r).commands == 1


def test_a_coroutine_is_cancelled_and_the_loop_goes_on(r):
    ended = []

    async def endless(client):
        try:
            for _ in range(100):  # until the main thread waits for it, on a busy machine too
                await client.ping()
            os.kill(os.getpid(), signal.SIGINT)
            while True:
                await client.ping()
        finally:
            ended.append(True)

    with pytest.raises(Interrupted):
        lab.count(endless, r)
    assert wait_until(lambda: ended)
    assert event_loop.run(asyncio.sleep, 0, "it goes on") == "it goes on"
