"""What the guard keeps the lab from: clients of somebody else's server, whatever the helper."""

import pytest
import redis
from helpers import refusal
from redis.sentinel import Sentinel

import lab_utils as lab
from chapter_helpers.sampling import sampled
from lab_utils.testbed import guard
from lab_utils.testbed.plain_socket import raw_socket

DATABASE = 4


def writes(client):
    client.set("theirs", "OVERWRITTEN")


@pytest.fixture
def theirs(another_server):
    """A client of somebody's database with data."""
    foreign = another_server()
    del guard._private[foreign.address]
    with foreign.connect(db=DATABASE) as client:
        client.set("theirs", "precious")
        yield client
        assert client.get("theirs") == b"precious" and client.dbsize() == 1


@pytest.mark.parametrize(
    "helper",
    [
        lambda client: lab.empty(client),
        lambda client: lab.count(writes, client),
        lambda client: lab.capture(writes, client),
        lambda client: lab.bystander(writes, client),
        lambda client: lab.bystander(lambda c: c.ping(), client, setup=writes),
        lambda client: sampled(writes, client),
        lambda client: raw_socket(client),
    ],
    ids=["empty", "count", "capture", "bystander", "setup of bystander", "sampled", "raw_socket"],
)
def test_nothing_is_run_with_a_client_of_somebody_elses(theirs, r, helper):
    assert "leaves it alone" in refusal(helper, theirs)


def test_a_client_that_finds_its_server_by_itself_is_refused(theirs, r):
    """Its options name no server: what is made after them would go to whatever is at port 6379."""
    watched = Sentinel([("127.0.0.1", 1)]).master_for("mymaster", db=DATABASE)
    kind = type("Kind", (redis.Connection,), {})
    for found in watched, redis.Redis.from_pool(redis.ConnectionPool(kind)):
        for helper in lambda c: lab.count(writes, c), raw_socket, lab.empty:
            assert "find their server by themselves" in refusal(helper, found)


def test_a_database_that_the_server_lacks():
    assert "DB index is out of range" in refusal(lab.connect, db=99)
