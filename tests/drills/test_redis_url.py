"""REDIS_URL fuzzed, and programs at the port that are no Redis: a LabError, within 6 seconds."""

import re
import time
from urllib.parse import urlsplit

import hypothesis
import hypothesis.strategies as st
import pytest
from fakes import NO_REDIS, listening
from helpers import url_of
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
        del guard._private[server.address]
    open_one.connect().acl_setuser("default", enabled=True, nopass=True)
    return open_one, closed


ODD = [
    "",
    " ",
    "\0",
    "%",
    "%zz",
    "é",
    "\udcff",
    "@",
    ":",
    "//",
    "?",
    "#",
    "[::1]",
    "-1",
    "99",
    "prod",
    "rediss",
    "unix",
    "wrong",
    "localhost",
    "a..b",
    "0",
    "1",
    "?retry=1",
    "?db=3",
    "?socket_timeout=nan",
    "?password=",
    "&ssl_ca_certs=/dev/null",
]


@st.composite
def urls(draw, good):
    """A good URL, of whose parts some are replaced by others, or by anything; or just any text."""
    parts = re.findall(r"\w+|\W", draw(st.sampled_from(good)))
    for _ in range(draw(st.integers(0, 3))):
        odd = st.sampled_from(ODD) | st.text(max_size=8)
        parts[draw(st.integers(0, len(parts) - 1))] = draw(odd)
    return "".join(parts) if draw(st.integers(0, 9)) else draw(st.text(max_size=30))


def attempt(url):
    """None where a database was reserved, else the LabError's text; nothing else is raised."""
    started = time.monotonic()
    try:
        reserved = chosen_server.own_server(url)
    except lab.LabError as error:
        took = time.monotonic() - started
        assert took < LONGEST_S, f"{url!r} took {took:.1f} s"
        return str(error)
    reserved.reservation.end()
    return None


def test_any_string(theirs, record_property):
    open_one, closed = theirs
    passed = []
    with listening(NO_REDIS["http"]) as http, listening(NO_REDIS["ssh"]) as ssh:
        good = [
            f"redis://127.0.0.1:{open_one.address[1]}/3",
            url_of(closed, 15),
            f"redis://127.0.0.1:{http}/0",
            f"redis://ada:x@127.0.0.1:{ssh}/0",
        ]

        @hypothesis.seed(SEED)
        @hypothesis.settings(
            max_examples=tries(2_000),
            deadline=None,
            database=None,
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(urls(good))
        def fuzz(url):
            text = attempt(url)
            passed.append(url)
            if text is not None:
                assert any(step in text for step in NEXT_STEPS) and text.endswith("."), text
                if "No answer" in text:  # from a URL that can be read, whose host is named
                    text = text.replace(urlsplit(url).hostname or " ", "")
                assert closed.options["password"] not in text

        record_property("tries", tries(2_000))
        fuzz()
    for server in theirs:
        assert server.connect().keys() == [b"customer:1"]
    assert len(passed) >= tries(2_000) // 2


@pytest.mark.parametrize("kind", NO_REDIS)
def test_what_is_no_redis(kind):
    with listening(NO_REDIS[kind]) as port:
        text = attempt(f"redis://:password@127.0.0.1:{port}/15")
    assert text and any(step in text for step in NEXT_STEPS), text
