"""A server of the lab's that stands still: no answer inside the block, an answer after it."""

import pytest
import redis

import lab_utils as lab


@pytest.fixture
def server():
    client = lab.spare(retry=None)
    yield client
    client.shutdown(nosave=True)


def test_nothing_is_answered_until_it_wakes_by_itself_or_at_the_blocks_end(server):
    at = {name: server.get_connection_kwargs()[name] for name in ("port", "password")}
    with lab.frozen(server, 60), pytest.raises(redis.TimeoutError):
        redis.Redis(**at, socket_timeout=0.1, retry=None).ping()
    assert server.ping()
    with lab.frozen(server, 0.05):
        assert server.ping()
    with pytest.raises(ZeroDivisionError), lab.frozen(server, 60):
        raise ZeroDivisionError
    assert server.ping()
