"""What somebody else feels while a piece of code runs."""

import importlib
import time

import pytest
import redis
from helpers import refusal, running, wait_until

import lab_utils as lab
from lab_utils import servers

module = importlib.import_module("lab_utils.bystander")  # the package's own name for it is the function


def test_a_blocked_server_is_felt(r):
    felt = lab.bystander(lambda r: r.execute_command("DEBUG", "SLEEP", "0.2"), r)
    assert felt.worst >= 0.15
    assert felt.took >= 0.2


def test_an_idle_server_is_not(r):
    felt = lab.bystander(lambda r: time.sleep(0.2), r)
    assert len(felt.samples) > 20
    assert felt.median < 0.05
    assert all(sent + latency >= 0 and sent <= felt.took for sent, latency in felt.samples)


def test_even_the_shortest_work_has_a_sample(r):
    felt = lab.bystander(lambda r: None, r)
    assert felt.samples and felt.worst > 0


def test_in_words(r):
    text = repr(lab.bystander(lambda r: r.ping(), r))
    assert text.startswith("worst PING of a bystander ~") and ", median ~" in text and "while the work took ~" in text


def test_a_function_that_raises_ends_the_bystander_too(r):
    clients = len(r.client_list())
    with pytest.raises(redis.ResponseError):
        lab.bystander(lambda r: r.execute_command("NOSUCH"), r)
    assert wait_until(lambda: len(r.client_list()) == clients, seconds=2)


def test_the_password_is_no_argument(r, monkeypatch):
    """Arguments can be read by every user of the machine."""
    commands = []
    started = module.subprocess.Popen

    def noted(command, **options):
        commands.append(" ".join(command))
        return started(command, **options)

    monkeypatch.setattr(module.subprocess, "Popen", noted)
    lab.bystander(lambda r: r.ping(), r)
    assert len(commands) == 1 and servers.server().options["password"] not in commands[0]


@pytest.mark.parametrize("address, options", [("/tmp/redis.sock", {}), (("127.0.0.1", 1), {"ssl": True})], ids=["unix", "TLS"])
def test_a_server_it_cannot_reach(monkeypatch, address, options):
    monkeypatch.setattr(module.guard, "check", lambda client: servers.Server(address, options, False))
    assert "REDIS_URL" in refusal(lab.bystander, lambda r: None, None)


def test_the_private_server_is_not_disturbed(r):
    lab.bystander(lambda r: r.set("key1", "value1"), r)
    assert running(servers.server().pid) and r.get("key1") == b"value1"
