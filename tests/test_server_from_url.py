"""REDIS_URL: whatever is wrong with it or its server, one paragraph says so and what to do."""

import time
from urllib.parse import quote

import pytest
from fakes import NO_REDIS, held, listening, somebodys_server
from helpers import refusal, url_of

from lab_utils.testbed.private_server import free_port
from lab_utils.testbed.server_from_url import server_from_url

WELL_WRITTEN = "Write it like redis://:password@127.0.0.1:6379/15"
NO_GOOD = {
    "localhost:6379": WELL_WRITTEN,
    "rediss://127.0.0.1:1/15": WELL_WRITTEN,
    "redis://127.0.0.1:1/prod": WELL_WRITTEN,
    "redis://127.0.0.1:1/0?decode_responses=true": WELL_WRITTEN,
    "redis://127.0.0.1:99999/0": WELL_WRITTEN,
    "redis://:pass word@127.0.0.1:1/0": WELL_WRITTEN,
    " ": WELL_WRITTEN,
    "redis://127.0.0.1:1/0": "Start that server",  # nobody is there
    "SECRET@127.0.0.1": "",
    "redis://SECRET@127.0.0.1:1": "",
    "redis://:a/SECRET@127.0.0.1": "",
}


@pytest.mark.parametrize("url, words", NO_GOOD.items())
def test_a_url_that_is_no_good(url, words):
    said = refusal(server_from_url, url)
    assert words in said and "SECRET" not in said


def test_any_password():
    password = 'p@ss w/:rd?#%\n"ü𝄞'
    with somebodys_server() as theirs:
        theirs.connect().acl_setuser(
            "ada", enabled=True, passwords=[f"+{password}"], categories=["+@all"], keys="*"
        )
        host, port = theirs.address
        with held(f"redis://ada:{quote(password, safe='')}@{host}:{port}/3") as mine:
            assert mine.connect().set("key1", "value1") and theirs.connect(db=3).dbsize() == 1


@pytest.mark.parametrize(
    "settings, word",
    [
        (("cluster-enabled yes", f"cluster-port {free_port()}"), "cluster"),
        (("replicaof 127.0.0.1 1",), "primary, 127.0.0.1:1"),
    ],
)
def test_a_server_that_is_no_place_for_the_lab(settings, word):
    with somebodys_server(*settings) as theirs:
        assert word in refusal(server_from_url, url_of(theirs))


def test_a_wrong_password_and_a_database_that_is_not_there():
    with somebodys_server() as theirs:
        text = refusal(server_from_url, "redis://:SECRET@{}:{}/0".format(*theirs.address))
        assert "WRONGPASS" in text and "SECRET" not in text
        text = refusal(server_from_url, url_of(theirs, db=99))
        assert "DB index is out of range" in text and theirs.options["password"] not in text


@pytest.mark.parametrize("kind", NO_REDIS)
def test_what_is_no_redis_is_said_in_time(kind):
    started = time.monotonic()
    with listening(NO_REDIS[kind]) as port:
        refusal(server_from_url, f"redis://:password@127.0.0.1:{port}/15")
    assert time.monotonic() - started < 10


def test_users_who_may_not_do_what_is_needed():
    with somebodys_server() as theirs:
        url = "redis://ada:x@{}:{}/0".format(*theirs.address)
        for rights in ["+@read", "+@connection", "+info"], ["+@all", "-client"]:
            theirs.connect().acl_setuser(
                "ada", enabled=True, passwords=["+x"], keys=["*"], reset=True, commands=None
            )
            theirs.connect().execute_command("ACL", "SETUSER", "ada", *rights)
            assert "refused what the lab needs: " in refusal(server_from_url, url)


def test_a_server_that_would_push_somebodys_keys_out():
    with somebodys_server("maxmemory 10mb", "maxmemory-policy allkeys-lru") as theirs:
        with held(url_of(theirs, db=3)) as mine:
            assert mine.options["db"] == 3, "there is nothing to lose"
        theirs.connect(db=1).set("theirs", "precious")
        assert "allkeys-lru" in refusal(server_from_url, url_of(theirs, db=3))
