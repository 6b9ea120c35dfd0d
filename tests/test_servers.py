"""A private Redis is guarded and gone with its kernel; one's own is refused before a write."""

import os
import subprocess

import pytest
import redis
from fakes import held, somebodys_server
from helpers import GONE_S, refusal, running, url_of, wait_until
from test_lost_server import said

import lab_utils as lab
from chapter_helpers.raw_socket import raw_socket
from lab_utils.errors import LabError
from lab_utils.testbed import chosen_server, private_server
from lab_utils.testbed.link import link
from lab_utils.testbed.server_from_url import server_from_url


def program(folder, name, says="Redis server v=8.2.3"):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def theirs():
    """Yield a Server of lab_utils that the lab did not start."""
    with somebodys_server() as server:
        yield server


# The private server


def test_lab_redis_server_comes_before_the_wheel(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_REDIS_SERVER", "/no/such/redis-server")
    assert "/no/such/redis-server" in refusal(private_server.find_binary)
    mine = program(tmp_path, "mine")
    monkeypatch.setenv("LAB_REDIS_SERVER", mine)
    assert private_server.find_binary() == mine
    monkeypatch.delenv("LAB_REDIS_SERVER")
    assert "site-packages" in private_server.find_binary()


@pytest.mark.parametrize(
    "says, word",
    [
        ("hello", "Set LAB_REDIS_SERVER to one"),
        ("Redis server v=5.0.3 sha=00000000:0 bits=64", "is Redis 5.0; the lab needs 6.2"),
        ("v=8.2.3\nFatal: no luck today", "no luck today"),
        ("v=8.2.3", "It said: "),
    ],
    ids=["another program", "too old", "it says why", "it says nothing"],
)
def test_a_binary_that_is_no_good(tmp_path, says, word):
    assert word in refusal(private_server.start, program(tmp_path, "redis-server", says))


def test_the_private_server_listens_on_loopback_only_wants_its_password_and_keeps_nothing(r):
    host, port = chosen_server.server().address
    assert host == "127.0.0.1" == r.config_get("bind")["bind"]
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(host, port, retry=None).ping()
    assert len(chosen_server.server().options["password"]) == 32
    assert (r.config_get("save")["save"], r.config_get("appendonly")["appendonly"]) == ("", "no")


def test_no_argument_list_has_the_password_and_no_interrupt_reaches_server_or_link():
    """Jupyter's stop button sends the interrupt to all of the kernel's process group."""
    own = chosen_server.server()
    for pid in own.pid, own.kept.process.pid, *link().pids():
        arguments = subprocess.check_output(["ps", "-o", "args=", "-ww", "-p", str(pid)], text=True)
        assert arguments.strip() and own.options["password"] not in arguments
        assert os.getpgid(pid) != os.getpgid(0)


# A server of the learner's own


def everything(server):
    """Return ([{key: content as DUMP}, …], writes): all that is stored on a server, a Server.

    There is a dict for each database. `writes` is the number of changes since the server last
    saved.
    """
    with server.connect() as client:
        writes = client.info("persistence")["rdb_changes_since_last_save"]
        databases = [server.connect(db=number) for number in range(16)]
        return [{key: each.dump(key) for key in each.scan_iter()} for each in databases], writes


def test_a_database_with_keys_is_refused_and_left_as_it_was(theirs):
    theirs.connect(db=4).mset({"customer:1": "Ada", "customer:2": "Grace"})
    before = everything(theirs)
    text = refusal(server_from_url, url_of(theirs, db=4))
    assert "Database 4 at " in text and "holds 2 keys" in text
    assert "redis-cli -n 4 FLUSHDB" in text and theirs.options["password"] not in text
    assert everything(theirs) == before


def test_only_the_held_database_is_emptied(theirs):
    with held(url_of(theirs, db=7)) as mine:
        mine.connect().set("mine", 1)
        theirs.connect(db=0).set("customer:1", "Ada")
        before = everything(theirs)
        sent_away = mine.connect(single_connection_client=True)
        sent_away.select(0)
        localhost = {**theirs.options, "host": "localhost"}
        for client in theirs.connect(), mine.connect(db=0), redis.Redis(**localhost), sent_away:
            refusal(lab.empty, client)
        assert everything(theirs) == before
        lab.empty(mine.connect(decode_responses=True))
        assert [*map(list, everything(theirs)[0])] == [[b"customer:1"], *[[]] * 15]


def test_no_database_left_says_who_has_it():
    with somebodys_server("databases 2") as theirs, held(url_of(theirs, db=1)):
        assert f"pid-{os.getpid()}" in refusal(server_from_url, url_of(theirs, db=1))


HOLDING = """
    import os
    import time

    import lab_utils as lab

    lab.connect().set("key1", 1)
    os.fork() or time.sleep(60)
    print("held", flush=True)
    time.sleep(60)
"""


def test_after_sigkill_the_keys_remain_nobody_holds_them_and_the_next_kernel_says_so(
    theirs, kernel
):
    # A forked child of the kernel lives on.
    url = url_of(theirs, db=3)
    process, _ = kernel(HOLDING, REDIS_URL=url)
    with held(url) as mine:
        assert mine.options["db"] == 4, "that kernel holds number 3"
    process.kill()
    assert wait_until(lambda: len(theirs.connect().client_list()) == 1, GONE_S)
    assert "holds 1 keys, and no kernel of the lab holds it" in refusal(server_from_url, url)
    assert theirs.connect(db=3).keys() == [b"key1"]


def test_a_lost_database_is_not_written_to_any_more(theirs):
    with held(url_of(theirs, db=3)) as mine:
        client = mine.connect()
        client.set("by whom", "is not known any more")
        [holding] = [each for each in client.client_list() if each["name"]]
        assert holding["name"].startswith("redis-round-trip-lab:3:")
        client.client_kill_filter(_id=holding["id"])
        for helper in lab.empty, lambda c: lab.count(lambda c: c.set("key1", 1), c):
            assert "lab.connect() again" in refusal(helper, client)
        assert not mine.alive()
    assert theirs.connect(db=3).keys() == [b"by whom"], "nor emptied at the end"


def test_a_kernel_with_redis_url_works_on_that_server(theirs):
    script = (
        "import lab_utils as lab\n"
        "r = lab.connect(); r.set('here', 1); lab.connect(rtt_ms=1).incr('here')\n"
        "trips = lab.count(lambda c: c.get('here'), r).round_trips\n"
        "print(r.get('here'), trips, lab.fingerprint()['where'])"
    )
    assert said(script, REDIS_URL=url_of(theirs, db=7)) == [
        "b'2' 1 named by REDIS_URL, database 7; a new connection selects it, one round trip more"
    ]
    assert theirs.connect(db=7).dbsize() == 0, "the kernel has ended"
    assert running(theirs.pid)


# The error itself


def test_jupyter_shows_a_lab_error_without_a_traceback():
    shown = LabError("A long " + "sentence of many words " * 12 + "ends here.")._render_traceback_()
    assert shown[0] == "LabError" and len(shown) > 2
    assert all(len(line) <= 100 for line in shown)
    assert " ".join(shown[1:]).startswith("A long sentence") and shown[-1].endswith("ends here.")
    assert str(LabError("one\n   two  three")) == "one two three"


# A bare socket


def test_a_raw_socket_is_logged_in_and_stands_in_the_right_database(theirs):
    theirs.connect(db=0).set("key1", "precious")
    theirs.connect().acl_setuser(
        "ada", enabled=True, passwords=["+p@ss wörd\r\n"], categories=["+@all"], keys="*"
    )
    with held("redis://ada:p%40ss%20w%C3%B6rd%0D%0A@{}:{}/3".format(*theirs.address)) as mine:
        with raw_socket(mine.connect()) as sock:
            sock.sendall(b"SET key1 value1\r\n")
            assert sock.recv(100) == b"+OK\r\n"
        assert theirs.connect(db=0).get("key1") == b"precious"
        assert mine.connect().get("key1") == b"value1"
