"""REDIS_URL: whatever is wrong with it or its server, one paragraph says so and what to do."""

from urllib.parse import quote

import pytest
from fakes import closing, listening, redis_that_says
from helpers import refusal, url_of

from lab_utils.testbed import chosen_server, guard


def test_a_url_that_is_no_good():
    for url, word in NO_GOOD:
        assert word in refusal(chosen_server.own_server, url), url


NO_GOOD = [
    ("localhost:6379", "does not begin with redis://"),
    ("rediss://127.0.0.1:1/15", "plain TCP alone"),
    ("redis://127.0.0.1:1/prod", "number of a database"),
    ("redis://127.0.0.1:1/-1", "number of a database"),
    ("redis://127.0.0.1:1/0?decode_responses=true", "question mark"),
    ("redis://127.0.0.1:1?db=5", "write /5"),
    ("redis://127.0.0.1:99999/0", "make no sense"),
    ("redis://a..b:1/0", "make no sense"),
    ("redis://[::1", "make no sense"),
    ("redis://:pass word@127.0.0.1:1/0", "percent-encoded"),
    ("redis://:pass#word@127.0.0.1:1/0", "percent-encoded"),
    ("unix:///run/redis.sock", "plain TCP alone"),
    ("redis://127.0.0.1:1/0", "Start that server"),
    (" ", "does not begin with redis://"),
]


def test_a_password_is_not_shown_however_the_url_is_misspelt():
    for url in (
        "redis::SECRET@127.0.0.1",
        "SECRET@127.0.0.1",
        "redis://SECRET@127.0.0.1:1",
        "redis://127.0.0.1:1/0?password=a&SECRET",
        "redis://:a/SECRET@127.0.0.1",
        "redis://:a?SECRET=@h:x",
        "redis://127.0.0.1:1/0?x=:@SECRET@",
        "redis://:x@SECRET@127.0.0.1:1/0",
    ):
        assert "SECRET" not in refusal(chosen_server.own_server, url)


def test_any_password(another_server):
    theirs, password = another_server(), 'p@ss w/:rd?#%\n"ü𝄞'
    del guard._private[theirs.address]
    theirs.connect().acl_setuser(
        "ada",
        enabled=True,
        passwords=[f"+{password}"],
        categories=["+@all"],
        keys="*",
        channels="*",
    )
    host, port = theirs.address
    mine = chosen_server.own_server(f"redis://ada:{quote(password, safe='')}@{host}:{port}/3")
    try:
        assert mine.connect().set("key1", "value1") and theirs.connect(db=3).dbsize() == 1
    finally:
        mine.reservation.end()


INFO = "redis_version:7.0.15\r\nredis_mode:{}\r\n"


@pytest.mark.parametrize(
    "info, word",
    [
        (INFO.format("sentinel"), "Sentinel"),
        (INFO.format("cluster"), "cluster"),
        ("redis_version:5.0.3\r\nredis_mode:standalone\r\n", "5.0"),
        ("", "which Redis"),
        (b":7\r\n", "which Redis"),
    ],
)
def test_what_info_says(info, word):
    with listening(redis_that_says(info)) as port:
        assert word in refusal(chosen_server.own_server, f"redis://127.0.0.1:{port}/0")


@pytest.mark.parametrize(
    "command, error, word",
    [
        (
            "AUTH",
            "ERR AUTH <password> called without any password configured for the default user. "
            "Are you sure your configuration is correct?",
            "has no password",
        ),
        (
            "AUTH",
            "WRONGPASS invalid username-password pair or user is disabled.",
            "refused the password",
        ),
        ("AUTH", "ERR unknown command 'AUTH', with args beginning with: 'SECRET'", "with: '***'"),
        ("INFO", "NOAUTH Authentication required.", "refused the password"),
        ("INFO", "LOADING Redis is loading the dataset in memory", "loading the dataset"),
        ("INFO", "ERR max number of clients reached", "max number of clients"),
        ("INFO", "NOPERM this user has no permissions to run the 'info' command", "rights"),
        ("SUBSCRIBE", "NOPERM No permissions to access a channel", "&redis-round-trip-lab*"),
        ("SELECT", "ERR DB index is out of range", "16, from 0 to 15"),
        (
            "MULTI",
            "ERR \x01something that nobody has heard of" + "!" * 5000,
            "something that nobody has heard of",
        ),
        ("SET", "", "does not speak the protocol of Redis"),  # for it says OK to EXEC too
    ],
)
def test_what_a_command_is_answered(command, error, word):
    with listening(redis_that_says(**{command: error})) as port:
        text = refusal(chosen_server.own_server, f"redis://:SECRET@127.0.0.1:{port}/0")
    assert word in text and "SECRET" not in text


def test_a_server_that_hangs_up_may_take_tls_only():
    with listening(closing) as port:
        assert "TLS only" in refusal(chosen_server.own_server, f"redis://127.0.0.1:{port}/0")


def test_a_replica(another_server):
    theirs = another_server("replicaof 127.0.0.1 1")
    del guard._private[theirs.address]
    assert "primary, 127.0.0.1:1," in refusal(chosen_server.own_server, url_of(theirs))


def test_a_read_only_user(another_server):
    theirs = another_server()
    del guard._private[theirs.address]
    theirs.connect().acl_setuser(
        "ada",
        enabled=True,
        passwords=["+x"],
        keys=["*"],
        categories=["+@read", "+@connection"],
        commands=["+info"],
    )
    text = refusal(chosen_server.own_server, "redis://ada:x@{}:{}/0".format(*theirs.address))
    assert "rights" in text and "multi" in text
