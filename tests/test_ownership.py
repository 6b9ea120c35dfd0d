"""What the lab is kept from: clients of somebody else's server, whatever the helper."""

import pytest
import redis
from fakes import somebodys_server
from helpers import refusal
from redis.sentinel import Sentinel

import lab_utils as lab
from chapter_helpers.raw_socket import raw_socket
from chapter_helpers.sampling import sampled

DATABASE = 4


def writes(client):
    client.set("theirs", "OVERWRITTEN")


HELPERS = {
    "empty": lambda client: lab.empty(client),
    "count": lambda client: lab.count(writes, client),
    "capture": lambda client: lab.capture(writes, client),
    "bystander": lambda client: lab.bystander(writes, client),
    "setup of bystander": lambda client: lab.bystander(lambda c: c.ping(), client, setup=writes),
    "sampled": lambda client: sampled(writes, client),
    "raw_socket": lambda client: raw_socket(client),
}


@pytest.fixture(scope="module")
def theirs():
    """Yield a Redis, as a Server, that the lab did not start; fail if its data were changed."""
    with somebodys_server() as server:
        server.connect(db=DATABASE).set("theirs", "precious")
        yield server
        with server.connect(db=DATABASE) as client:
            assert client.get("theirs") == b"precious" and client.dbsize() == 1


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_nothing_is_run_with_a_client_of_somebody_elses(theirs, r, helper):
    """Nor with one whose options name no server: it would be whatever stands at port 6379."""
    watched = Sentinel([("127.0.0.1", 1)]).master_for("mymaster", db=DATABASE)
    kind = type("Kind", (redis.Connection,), {})
    for client in (
        theirs.connect(db=DATABASE),
        redis.Redis(unix_socket_path="/nowhere"),
        redis.Redis.from_pool(redis.ConnectionPool(kind)),
        watched,
    ):
        assert "leaves it alone" in refusal(helper, client)
