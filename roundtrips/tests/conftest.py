"""What the tests share: a private Redis, and a client of it."""

import os
import sys

if os.environ.get("PARSER") == "python":  # as where hiredis is not installed
    sys.modules["hiredis"] = None

import pytest
import redis
import redis.asyncio

import servers
from proxy import Proxy

assert os.environ.get("REDIS_PY", redis.__version__) == redis.__version__


@pytest.fixture(scope="session")
def server():
    """Yield the options of a connection to a private server: host, port, password."""
    with servers.running() as options:
        yield options


@pytest.fixture(autouse=True)  # programs of tests that ask for the server alone find it empty, too
def r(server):
    """Yield a client of the private server, whose database is empty."""
    with redis.Redis(**server) as client:
        client.flushdb()
        client.script_flush()
        yield client


@pytest.fixture
async def async_r(server):
    """Yield a client of the private server for asyncio."""
    async with redis.asyncio.Redis(**server) as client:
        yield client


@pytest.fixture(scope="session")
def cluster():
    """Yield the connection options of the three nodes of a private cluster, as a list."""
    with servers.running_cluster() as nodes:
        yield nodes


@pytest.fixture(scope="session")
def shared_proxy(server):
    with Proxy((server["host"], server["port"])) as proxy:
        proxy.options = {**server, "port": proxy.port}
        yield proxy


@pytest.fixture
def proxy(shared_proxy, r):
    """Return a counting proxy to the private server, whose database is empty.

    `options` of the proxy are those of a client that connects through it.
    """
    return shared_proxy
