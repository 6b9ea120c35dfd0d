"""A server of the lab's that stands still: no answer inside the block, an answer after it."""

import signal
import threading

import pytest
import redis
from helpers import refusal

import lab_utils as lab
from lab_utils.testbed import guard


@pytest.fixture
def server():
    client = lab.spare(retry=None)
    yield client
    client.shutdown(nosave=True)


def answers(client, patience_s=20):
    at = {name: client.get_connection_kwargs()[name] for name in ("port", "password")}
    return redis.Redis(**at, socket_timeout=patience_s, retry=None).ping()


def test_nothing_is_answered_until_it_wakes_by_itself_or_at_the_blocks_end(server):
    with lab.frozen(server, 60), pytest.raises(redis.TimeoutError):
        answers(server, 0.1)
    assert server.ping()
    with lab.frozen(server, 0.05):
        assert server.ping()
    with pytest.raises(ZeroDivisionError), lab.frozen(server, 60):
        raise ZeroDivisionError
    assert server.ping()


def test_a_server_of_somebody_else_or_one_that_has_ended_is_left_alone(server, monkeypatch):
    """Its process id may be somebody else's by now."""
    ended = lab.spare(retry=None)
    its_process = guard.check(ended).kept.process
    ended.shutdown(nosave=True)
    its_process.wait(30)
    assert "has ended" in refusal(lab.frozen, ended, 1)
    monkeypatch.setattr(guard, "_private", {})
    with pytest.raises(lab.LabError, match=r"lab\.spare"), lab.frozen(server, 1):
        pass


@pytest.mark.parametrize("seconds", [None, "0.5", -1, float("nan"), float("inf"), True, [1], 601])
def test_seconds_after_which_it_would_never_wake(server, seconds):
    assert "0 to 600" in refusal(lab.frozen, server, seconds)
    assert server.ping()


@pytest.mark.parametrize("way, entered", [("start", []), ("cancel", [True])])
def test_an_interrupt_on_the_way_in_or_out_wakes_it(server, monkeypatch, way, entered):
    seen = []
    monkeypatch.setattr(threading.Timer, way, lambda self: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt), lab.frozen(server, 60):
        seen.append(True)
    assert seen == entered and answers(server)
