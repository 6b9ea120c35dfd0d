"""lab.trace with other versions of redis-py, with its C parser and its own: each count held against the proxy's."""

import json
import os
import subprocess
import sys

import environments
import pytest
from counting_proxy import counting_proxy
from helpers import ROOT

from lab_utils.testbed.chosen_server import server

VERSIONS = ("5.0.8", "5.2.1", "6.2.0", "6.4.0", "7.4.0")
PROGRAM = """
import asyncio, json, sys
if sys.argv[3] == "plain":
    sys.modules["hiredis"] = None
sys.path.insert(0, sys.argv[1])
import redis, redis.asyncio
from lab_utils.tracing import trace, tap
options, version = json.loads(sys.argv[2]), sys.argv[4]
assert redis.__version__ == version, redis.__version__
before = {(owner, name): getattr(owner, name) for owner in (tap.SYNC, tap.ASYNC) for name in tap.REPLACED}

def told(t):
    return [t.round_trips + t.setup_trips, t.connections]

with redis.Redis(**options) as client, trace() as t:
    for number in range(10):
        client.set(f"user:{number}", "x" * number)
        client.get(f"user:{number}")
    pipe = client.pipeline()
    pipe.incr("n").incr("n").execute()
    script = client.register_script("return redis.call('INCR', KEYS[1])")
    script(keys=["n"])
    client.blpop("nothing", timeout=1)
    with client.lock("lock", timeout=5):
        pass
    with client.pubsub() as listener:
        listener.subscribe("news")
        listener.get_message(timeout=1)
        client.publish("news", "x")
        listener.get_message(timeout=1)
first = told(t)
assert all(site.site.file == "<string>" for site in t.call_sites), t.call_sites

async def main():
    async with redis.asyncio.Redis(**options) as client:
        await asyncio.gather(*(client.ping() for _ in range(4)))
        with trace() as t:
            for number in range(5):
                await client.get(f"user:{number}")
            await asyncio.gather(*(client.get(f"user:{number}") for number in range(4)))
            async with client.pipeline() as pipe:
                await pipe.get("a").get("b").execute()
        return t
t = asyncio.run(main())
after = {(owner, name): getattr(owner, name) for owner in (tap.SYNC, tap.ASYNC) for name in tap.REPLACED}
print(json.dumps({"plain": first, "asyncio": [t.round_trips, t.waits], "as it was": before == after}))
"""


@pytest.fixture(scope="module", params=VERSIONS)
def version(request):
    """(a version of redis-py, the folder that holds it)."""
    return request.param, environments.redis_py(request.param)


@pytest.mark.parametrize("parser", ["plain", "hiredis"])
def test_the_counts_are_those_of_the_proxy(version, parser):
    number, folder = version
    with counting_proxy(server().address) as (port, counts):
        options = {**server().options, "host": "127.0.0.1", "port": port}
        asked = [sys.executable, "-c", PROGRAM, str(folder), json.dumps(options), parser, number]
        ran = subprocess.run(asked, capture_output=True, text=True, timeout=60, cwd=folder,
                             env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert ran.returncode == 0, ran.stderr
        told = json.loads(ran.stdout)
        turns, connections = told["plain"]
    assert told["as it was"]
    round_trips, waits = told["asyncio"]
    assert round_trips == 10 and 7 <= waits <= 10  # how many connections the four at once share is the pool's business
    assert turns == sum(counts.turns[:connections])


def test_an_older_one_is_refused():
    program = "from lab_utils.tracing import trace\nwith trace():\n    pass"
    path = os.pathsep.join([str(environments.redis_py("4.6.0")), str(ROOT)])
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60,
                         env={**os.environ, "PYTHONPATH": path})
    last = ran.stderr.splitlines()[-1]
    assert "knows from version 5.0" in last and "Version 4.6.0 is installed" in last, ran.stderr
    assert ran.returncode == 1
