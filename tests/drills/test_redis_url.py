"""REDIS_URL fuzzed: 2,000 strings, and programs at the port that are no Redis. Always a LabError, within 6 seconds."""

import string
import time
from urllib.parse import quote

import hypothesis
import hypothesis.strategies as st
import pytest
from fakes import NO_REDIS, listening
from tries import SEED, tries

import lab_utils as lab
from lab_utils.testbed import chosen_server, guard

LONGEST_S = 6
NEXT_STEPS = "Write it", "Set ", "Check ", "Choose ", "Start ", "Run ", "unset REDIS_URL", "Let an"


@pytest.fixture
def theirs(another_server):
    """A Redis of somebody's, with keys in database 0, and one that wants no password."""
    open_one, closed = another_server(), another_server()
    for server in open_one, closed:
        server.connect().set("customer:1", "Ada")
        guard.forget_private(server)
    open_one.connect().acl_setuser("default", enabled=True, nopass=True)
    return open_one, closed


def urls(open_one, closed, ports):
    """Strings that are nearly URLs of a Redis, and some that are."""
    odd = st.text(st.characters(), max_size=8) | st.sampled_from(["", " ", "\0", "%", "%zz", "%00", "é", "🦆", "\udcff", "@"])
    odd |= st.sampled_from([":", "//", "?", "#", "[", "::1", "-1", "1e3", "prod", "0x10", "٣"])
    quoted = odd.map(lambda text: quote(text.encode("utf-8", "surrogatepass"), safe=""))

    def mostly(usual, *rare):
        """One of the usual values, or, one time in eight, a rare one or an odd one."""
        return st.integers(0, 7).flatmap(lambda dice: st.sampled_from(usual) if dice else st.sampled_from(rare) | odd)

    password = closed.options["password"]
    scheme = mostly(["redis://"], "rediss://", "unix://", "http://", "redis:", "redis:/", "REDIS://", "")
    login = mostly(["", f":{password}@", f"default:{password}@"], ":wrong@", "ada@", "@", ":@")
    login |= st.builds("{}:{}@".format, quoted, quoted)
    host = mostly(["127.0.0.1"], "localhost", "[::1]", "", "é..x", "a..b", "x" * 70, "127.0.0.1.", "[::1", "0")
    port = mostly([f":{open_one.address[1]}", f":{closed.address[1]}"], "", ":0", ":1", ":99999", ":-1", ":x", ":", *ports)
    database = mostly(["", "/", "/0", "/3", "/15"], "/16", "/99", "/-1", "/prod", "/1/2", "/3.5", "/" + "9" * 30)
    names = st.sampled_from(["retry", "cache", "encoding_errors", "db", "password", "username", "socket_timeout", "protocol",
                             "socket_connect_timeout", "max_connections", "decode_responses", "ssl_ca_certs", "ssl_cert_reqs",
                             "credential_provider", "health_check_interval", "client_name", "ssl_certfile", "host", "port"])
    values = st.sampled_from(["1", "0", "-1", "nan", "inf", "None", "/dev/null", "none", "true", "1e-9", "3"]) | odd | quoted
    pairs = st.lists(st.builds("{}={}".format, names | quoted, values), min_size=1, max_size=3)
    query = st.integers(0, 3).flatmap(lambda dice: st.just("") if dice else pairs.map(lambda each: "?" + "&".join(each)))
    built = st.builds("".join, st.tuples(scheme, login, host, port, database, query))
    noise = st.text(string.printable, max_size=30) | st.text(max_size=30)
    return st.integers(0, 9).flatmap(lambda dice: built if dice else noise)


def attempt(url):
    """None where a database was reserved, else the LabError's text; anything else that is raised fails the drill."""
    started = time.monotonic()
    try:
        reserved = chosen_server.own_server(url)
    except lab.LabError as error:
        assert time.monotonic() - started < LONGEST_S, f"{url!r} took {time.monotonic() - started:.1f} s"
        return str(error)
    reserved.reservation.end()
    return None


def test_any_string(theirs, record_property):
    open_one, closed = theirs
    passed = []
    with listening(NO_REDIS["http"]) as http, listening(NO_REDIS["ssh"]) as ssh:
        @hypothesis.seed(SEED)
        @hypothesis.settings(max_examples=tries(2_000), deadline=None, database=None,
                             suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(urls(open_one, closed, [f":{http}", f":{ssh}"]))
        def fuzz(url):
            text = attempt(url)
            passed.append(url)
            if text is not None:
                assert any(step in text for step in NEXT_STEPS) and text.endswith("."), text
                assert closed.options["password"] not in text, text

        record_property("tries", tries(2_000))
        fuzz()
    for server in theirs:
        assert server.connect().keys() == [b"customer:1"]
    assert len(passed) >= tries(2_000) // 2


@pytest.mark.parametrize("kind", NO_REDIS)
@pytest.mark.parametrize("scheme", ["redis", "rediss"])
def test_what_is_no_redis(kind, scheme):
    with listening(NO_REDIS[kind]) as port:
        text = attempt(f"{scheme}://:password@127.0.0.1:{port}/15")
    assert text and any(step in text for step in NEXT_STEPS), text
