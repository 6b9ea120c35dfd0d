"""Other people's libraries, with each redis-py that they take: what is counted is what a proxy saw,
and what grows is what the proxy saw grow.
"""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import environments
import pytest

import servers
from frameworks import need
from roundtrips import trace

PACKAGE = Path(__file__).parents[2]
VERSIONS = "5.2.1", "6.4.0", "7.4.0", "8.1.0"
# Which of them a library takes, by what it says itself.
PROGRAMS = {
    "rq": VERSIONS, "django_redis": VERSIONS, "flask_caching": VERSIONS[1:], "limits": VERSIONS[:3],
    "celery_worker": VERSIONS[1:], "dramatiq": VERSIONS, "aiocache": VERSIONS,
    "python_redis_lock": VERSIONS, "saq": VERSIONS[:3], "channels_redis": VERSIONS,
}  # fmt: skip
ATTEMPTS = 3  # what one wrote in two pieces, a busy machine may pass on as two; rarely each time


@pytest.fixture(scope="module")
def primary():
    """Yield the port of a server without a password, since not every library takes a password."""
    with servers.running(password="") as options:
        yield options["port"]


def ran(python, version, *words):
    """Run third_party.py with the arguments `words`; return what it prints, decoded from JSON.

    `python` is the path of a Python, `version` the version of redis-py that it gets.
    """
    path = [PACKAGE / "src", PACKAGE / "tests"]
    if version != VERSIONS[-1]:
        path.insert(0, environments.redis_py(version))
    command = [python, "-W", "ignore", Path(__file__).with_name("third_party.py"), *map(str, words)]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200, env=given)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return json.loads(ran.stdout.splitlines()[-1])


def test_fakeredis_is_counted_although_its_connections_are_its_own():
    fakeredis = need("fakeredis")

    async def main():
        async with fakeredis.FakeAsyncRedis() as client:
            assert [await client.get("a") for _ in range(5)] == [None] * 5
            await client.pipeline().get("a").get("b").execute()

    with trace() as t:
        client = fakeredis.FakeRedis()
        assert [client.get("a") for _ in range(5)] == [None] * 5
        client.pipeline().get("a").get("b").execute()
        asyncio.run(main())
    assert (t.round_trips, t.uncounted) == (12, [])


@pytest.mark.parametrize(
    ("name", "version"), [(name, each) for name, taken in PROGRAMS.items() for each in taken]
)
def test_each_count_and_its_growth_are_the_proxys(primary, name, version):
    for _ in range(ATTEMPTS):
        told = ran(environments.libraries(), version, name, primary)
        wrong = told["differences"] + told["uncounted"]
        if not wrong:
            break
    assert told["redis-py"] == version
    assert wrong == []
    assert told["traced"] == told["grown"] and all(told["traced"])
    assert told["findings"] == []  # nothing that their maintainers would close as wrong
    # A worker polls, an executor has more threads or fewer: then no growth is asserted.
    if told["grown"][:3] != told["grown"][3:]:
        assert told["says"].startswith("can't be told: ") and not told["is known"]
        return
    assert told["says"].startswith("grows with n: ")
    if told["slope"] is not None:
        assert told["slope"] >= 1 and sum(told["of sites"]) == told["slope"]
