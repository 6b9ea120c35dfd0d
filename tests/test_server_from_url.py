"""REDIS_URL: whatever is wrong with it, or with the server it names, one paragraph says so and what to do."""

import threading
import time
from urllib.parse import quote

import pytest
import redis
from fakes import drip, listening, redis_that_says
from helpers import refusal, url_of, wait_until

from lab_utils.testbed import chosen_server, guard, server_from_url

# The URL itself


@pytest.mark.parametrize("url, word", [
    ("redis://127.0.0.1:1/prod", "number of a database"),
    ("redis://127.0.0.1:1/1/2", "number of a database"),
    ("redis://127.0.0.1:1/-1", "number of a database"),
    ("redis://127.0.0.1:1?db=x", "number of a database"),
    ("redis://127.0.0.1:1/0?retry=1", "retry"),
    ("redis://127.0.0.1:1/0?cache=0", "cache"),
    ("redis://127.0.0.1:1/0?encoding_errors=1", "encoding_errors"),
    ("redis://127.0.0.1:1/0?decode_responses=true", "decode_responses"),
    ("redis://127.0.0.1:1/0?no_such_option=1", "no_such_option"),
    ("redis://127.0.0.1:1/0?socket_timeout=nan", "seconds"),
    ("redis://127.0.0.1:1/0?socket_timeout=-1", "seconds"),
    ("redis://127.0.0.1:1/0?socket_timeout=1e300", "seconds up to 3,600"),
    ("redis://127.0.0.1:1/0?", "127.0.0.1:1"),
    ("redis://127.0.0.1:1/0?x", "REDIS_URL"),
    ("redis://127.0.0.1:99999/0", "REDIS_URL"),
    ("redis://é..x:1/0", "name of a host"),
    ("redis://a..b:1/0", "name of a host"),
    (f"redis://{'x' * 70}:1/0", "name of a host"),
    ("redis://127.0.0.1:1/\0", "percent-encode"),
    ("redis://\udcff:1/0", "percent-encode"),
    ("redis://:pass word@127.0.0.1:1/0", "percent-encode"),
    ("redis://:pass#word@127.0.0.1:1/0", "percent-encoded"),
    ("unix://", "path of the socket"),
    ("redis://", "6379"),
    ("://", "REDIS_URL"),
    (" ", "percent-encode"),
])
def test_a_url_that_is_no_good(url, word):
    assert word in refusal(chosen_server.own_server, url)


@pytest.mark.parametrize("url", ["redis::SECRET@127.0.0.1", "redis:/:SECRET@127.0.0.1", "SECRET@127.0.0.1", "redis://SECRET@127.0.0.1:1",
                                 "redis://127.0.0.1:1/0?password=a&SECRET", "redis://:a/SECRET@127.0.0.1", "redis://:a?SECRET=@h:x",
                                 "redis://127.0.0.1:1/0?x=:@SECRET@", "redis://:x@SECRET@127.0.0.1:1/0"])
def test_a_password_is_not_shown_however_the_url_is_misspelt(url):
    assert "SECRET" not in refusal(chosen_server.own_server, url)


def test_a_server_that_repeats_the_password():
    with listening(redis_that_says(AUTH="ERR unknown command 'AUTH', with args beginning with: 'SECRET'")) as port:
        assert "SECRET" not in refusal(chosen_server.own_server, f"redis://:SECRET@127.0.0.1:{port}/0")


def test_what_may_stand_in_a_url():
    url = "rediss://ada:p%20a%40s%2Fs%C3%BC@example.org:7000/3?socket_timeout=2.5&ssl_ca_certs=/etc/ca.pem"
    assert server_from_url.options_of(url, url) == {
        "username": "ada", "password": "p a@s/sü", "host": "example.org", "port": 7000, "db": 3, "socket_timeout": 2.5,
        "ssl_ca_certs": "/etc/ca.pem", "ssl": True}
    assert server_from_url.options_of("unix:///run/r.sock?db=4&password=x", "") == {
        "unix_socket_path": "/run/r.sock", "db": 4, "password": "x"}


@pytest.mark.parametrize("password", ["pass word", "p@ss/w:rd?#%", "päßword\n\r\"'", "-", "AUTH", "𝄞"])
def test_any_password(another_server, password):
    theirs = another_server()
    guard.forget_private(theirs)
    theirs.connect().acl_setuser("ada", enabled=True, passwords=[f"+{password}"], categories=["+@all"], keys="*", channels="*")
    host, port = theirs.address
    mine = chosen_server.own_server(f"redis://ada:{quote(password, safe='')}@{host}:{port}/3")
    try:
        assert mine.connect().set("key1", "value1")
    finally:
        mine.reservation.end()


# What a server may say


@pytest.mark.parametrize("info, word", [
    ("redis_version:7.0.15\r\nredis_mode:sentinel\r\n", "Sentinel"),
    ("redis_version:7.0.15\r\nredis_mode:cluster\r\n", "cluster"),
    ("redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:slave\r\nmaster_host:prod1\r\nmaster_port:6379\r\n", "prod1:6379"),
    ("redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\nloading:1\r\n", "loading"),
    ("redis_version:5.0.3\r\nredis_mode:standalone\r\n", "5.0"),
    ("redis_version:new\r\n", "which Redis"),
    ("", "which Redis"),
    (b":7\r\n", "does not speak the protocol of Redis"),
    (b"*1\r\n+redis_version:7.0.15\r\n", "does not speak the protocol of Redis"),
])
def test_what_info_says(info, word):
    with listening(redis_that_says(info)) as port:
        assert word in refusal(chosen_server.own_server, f"redis://127.0.0.1:{port}/0")


def test_a_server_that_says_ok_to_everything():
    with listening(redis_that_says()) as port:
        assert "does not speak the protocol of Redis" in refusal(chosen_server.own_server, f"redis://127.0.0.1:{port}/0")


@pytest.mark.parametrize("command, error, word", [
    ("AUTH", "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration "
             "is correct?", "has no password"),
    ("AUTH", "WRONGPASS invalid username-password pair or user is disabled.", "refused the password"),
    ("INFO", "NOAUTH Authentication required.", "refused the password"),
    ("INFO", "LOADING Redis is loading the dataset in memory", "loading"),
    ("INFO", "DENIED Redis is running in protected mode because protected mode is enabled", "protected mode"),
    ("INFO", "ERR max number of clients reached", "maxclients"),
    ("INFO", "NOPERM this user has no permissions to run the 'info' command", "rights"),
    ("SET", "READONLY You can't write against a read only replica.", "replica"),
    ("SET", "OOM command not allowed when used memory > 'maxmemory'.", "when used memory"),
    ("SET", "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.", "MISCONF"),
    ("SET", "NOREPLICAS Not enough good replicas to write.", "NOREPLICAS"),
    ("SET", "NOPERM No permissions to access a key", "allkeys"),
    ("FLUSHDB", "NOPERM User ada has no permissions to run the 'flushdb' command", "FLUSHDB"),
    ("FLUSHDB", "ERR unknown command 'FLUSHDB', with args beginning with: ", "renamed: it refused FLUSHDB"),
    ("MULTI", "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", "SCRIPT KILL"),
    ("MULTI", "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", "MASTER is down"),
    ("MULTI", "CLUSTERDOWN Hash slot not served", "standalone"),
    ("SUBSCRIBE", "NOPERM No permissions to access a channel", "&redis-round-trip-lab*"),
    ("SELECT", "ERR DB index is out of range", "16, from 0 to 15"),
    ("SELECT", "NOPERM this user has no permissions to run the 'select' command", "allow SELECT"),
    ("SELECT", "ERR unknown command 'SELECT', with args beginning with: ", "renamed: it refused SELECT"),
    ("PUBSUB", "NOPERM this user has no permissions to run the 'pubsub|channels' command", "allow PUBSUB"),
    ("UNSUBSCRIBE", "NOPERM this user has no permissions to run the 'unsubscribe' command", "allow UNSUBSCRIBE"),
    ("RESTORE", "NOPERM this user has no permissions to run the 'restore' command", "allow RESTORE"),
    ("MULTI", "ERR \x01something that nobody has heard of" + "!" * 5000, "something that nobody has heard of"),
])
def test_what_a_command_is_answered(command, error, word):
    with listening(redis_that_says(**{command: error})) as port:
        assert word in refusal(chosen_server.own_server, f"redis://:x@127.0.0.1:{port}/0")


# The same by a Redis


@pytest.fixture
def theirs(another_server):
    """start(*settings): a Redis that the lab takes for somebody's."""
    def start(*settings):
        started = another_server(*settings)
        guard.forget_private(started)
        return started
    return start


def test_a_replica(theirs):
    assert "primary, 127.0.0.1:1," in refusal(chosen_server.own_server, url_of(theirs("replicaof 127.0.0.1 1")))


def test_a_full_memory(theirs):
    assert "maxmemory" in refusal(chosen_server.own_server, url_of(theirs("maxmemory 1", "maxmemory-policy noeviction")))


def test_too_many_clients(theirs):
    server = theirs("maxclients 1")
    with server.connect(single_connection_client=True):
        assert "maxclients" in refusal(chosen_server.own_server, url_of(server))


def test_a_script_that_does_not_end(theirs):
    server = theirs("lua-time-limit 10")

    def script():
        with pytest.raises(redis.ResponseError):
            server.connect().eval("while true do end", 0)

    busy = threading.Thread(target=script)
    busy.start()

    def is_busy():
        try:
            return not server.connect(retry=None).ping()
        except redis.ResponseError:
            return True
    assert wait_until(is_busy)
    try:
        assert "SCRIPT KILL" in refusal(chosen_server.own_server, url_of(server))
    finally:
        server.connect().script_kill()
        busy.join()


def test_a_user_with_every_right_but_one_is_told_which(theirs):
    server = theirs()
    server.connect().acl_setuser("ada", enabled=True, passwords=["+x"], categories=["+@all"], commands=["-keys", "-flushdb"],
                                 keys=["*"], channels=["*"])
    text = refusal(chosen_server.own_server, "redis://ada:x@{}:{}/0".format(*server.address))
    assert "KEYS, FLUSHDB" in text


def test_a_read_only_user(theirs):
    server = theirs()
    server.connect().acl_setuser("ada", enabled=True, passwords=["+x"], categories=["+@read", "+@connection"], commands=["+info"],
                                 keys=["*"])
    text = refusal(chosen_server.own_server, "redis://ada:x@{}:{}/0".format(*server.address))
    assert "rights" in text and "MULTI" in text


def test_a_server_that_drips_has_one_deadline():
    with listening(drip) as port:
        started = time.monotonic()
        assert "within 4 s" in refusal(chosen_server.own_server, f"redis://:x@127.0.0.1:{port}/0")
        assert time.monotonic() - started < 20  # a byte a second would take 105
