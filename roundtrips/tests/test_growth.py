"""growth(): how a page's round trips go with its data, told from what is none, against a proxy."""

import asyncio
import itertools
import subprocess
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from types import SimpleNamespace

import pytest
import redis
import redis.asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from programs import Run, by_hand, got, is_async
from roundtrips import RoundTripsError, RoundTripsMixin, budget, growth
from test_truth import MANY

SIZES = 2, 4, 8


@pytest.fixture
def rows(r):
    """Return a function `rows(n)` that empties the database and then stores a list of `n` rows."""

    def rows(n):
        r.flushdb()
        r.rpush("rows", *range(n))

    return rows


def items(r):
    return r.lrange("rows", 0, -1)


def test_a_loop_grows_and_says_where(r, rows):
    def loop():
        return [r.hget(f"user:{number}", "name") for number in items(r)]

    found = growth(loop, rows)
    line = loop.__code__.co_firstlineno + 1
    assert str(found).splitlines()[0] == "grows with n: 1 + n round trips, 1 + n waits"
    assert len(found.sites) == 1 and f"test_growth.py:{line} in " in str(found)
    assert str(found).endswith(": 1 HGET more for each")
    test = RoundTripsMixin()
    with pytest.raises(AssertionError, match="1 HGET more for each"):
        test.assertConstantRoundTrips(loop, rows)
    with budget(max=0):  # of the test itself, not of what growth() tries
        test.assertConstantRoundTrips(lambda: items(r), rows)
    assert str(growth(lambda: items(r), rows)) == "constant: 1 round trip, 1 wait"


@pytest.mark.parametrize("made, sizes, says", [
    (lambda n: n * n, SIZES, "4, 16, 64 round trips at n = 2, 4, 8"),
    (lambda n: -(-n // 100), (100, 200, 400), "n÷100 round trips"),
    (lambda n: -(-n // 100), (50, 150, 400), "1, 2, 4 round trips at n = 50, 150, 400"),
    (lambda n: 7 + 6 * n, (8, 2, 4, 2), "7 + 6·n round trips, 7 + 6·n waits"),
])  # fmt: skip
def test_a_line_is_told_from_what_is_none(r, made, sizes, says):
    data = []
    found = growth(lambda: [r.get("a") for _ in range(made(data[-1]))], data.append, sizes)
    assert str(found).startswith(f"grows with n: {says}") and not found.is_constant
    assert len(found.sites) == 1


def cached(r, rows):
    known = {}

    def page():
        for number in items(r):
            if number not in known:
                known[number] = r.get(f"user:{number}")

    return page


def repeated(r, rows):
    calls = itertools.count()
    return lambda: [r.get("a") for _ in range(1 + (next(calls) == 5))]


def of_a_child(r, rows):
    return lambda: (r.get("a"), subprocess.run(["true"], check=True))


def silent(r, rows):
    return lambda: None


@pytest.mark.parametrize("make, says", [
    (cached, "3 and 1 round trips in two runs at n = 4"), (repeated, "in two runs at n = "),
    (of_a_child, "other processes do that the block started"), (silent, "0 round trips"),
])  # fmt: skip
def test_what_is_no_growth_can_not_be_told(r, rows, make, says):
    found = growth(make(r, rows), rows)
    assert str(found).startswith("can't be told: ") and says in str(found)
    assert not found.is_constant and not found.is_known


@pytest.mark.parametrize("reply", [{"status_code": HTTPStatus.UNAUTHORIZED}, {"status": 500}])
def test_the_reply_of_an_error_tells_no_growth(r, rows, reply):
    with pytest.raises(RoundTripsError, match=r"answered with status [45]"):
        growth(lambda: r.get("session") or SimpleNamespace(**reply), rows)


def test_unittest_refuses_a_page_whose_coroutine_may_be_forgotten(rows):
    async def page():
        pass

    with pytest.raises(RoundTripsError, match=r"await growth\(page, fill\)"):
        RoundTripsMixin().assertConstantRoundTrips(page, rows)
    with pytest.raises(RoundTripsError, match=r"with self\.assertRoundTrips"):
        RoundTripsMixin().assertRoundTrips(1, page)


async def test_a_page_that_sends_more_when_its_result_is_used_is_refused(r, async_r, rows):
    async def late():
        return (await async_r.get(each) for each in await async_r.lrange("rows", 0, -1))

    for page in (lambda: (r.get(each) for each in items(r)), lambda: map(r.get, items(r))):
        with pytest.raises(RoundTripsError, match="Use it up in the page"):
            growth(page, rows)
    with pytest.raises(RoundTripsError, match=r"async_generator\. Use it up in the page"):
        await growth(late, rows)
    with pytest.raises(RoundTripsError, match="Write it as `async def`"):
        growth(lambda: async_r.ping(), rows)


@pytest.mark.parametrize("sizes", [(2, 4), (2, 2, 4), (0, 2, 4), (1.5, 2, 3)])
def test_sizes_that_tell_nothing_are_refused(sizes):
    with pytest.raises(RoundTripsError, match="three different whole numbers"):
        growth(print, print, sizes)


parts = st.lists(
    st.tuples(st.sampled_from(["once", "loop", "twice", "piped", "pooled"]), st.integers(1, 3)),
    min_size=1, max_size=6,
)  # fmt: skip
SLOPES = {"loop": 1, "twice": 2, "pooled": 1}


async def page_of(made, client, n):
    """Send the commands of a random page whose data has `n` rows.

    `made` lists the page's parts as (kind, number), as `parts` draws them. `client` is a Redis of
    redis or of redis.asyncio; with the first, `by_hand` runs this coroutine without a loop.
    """
    for kind, number in made:
        if kind == "piped":
            pipe = client.pipeline()
            for each in range(n * number):
                pipe.get(f"user:{each}")
            await got(pipe.execute())
        elif kind == "pooled" and is_async(client):
            await asyncio.gather(*(client.get("a") for _ in range(n * number)))
        elif kind == "pooled":
            with ThreadPoolExecutor(3) as pool:
                list(pool.map(client.get, ["a"] * n * number))
        else:
            for each in range(number * (n * SLOPES[kind] if kind in SLOPES else 1)):
                await got(client.get(f"user:{each}"))


async def grown(proxy, made, client):
    """Return (Growth of a page, {n: [round trips that the proxy saw]}), and close the client.

    `made` and `client` are those of `page_of`. Each list has the last two runs with that n.
    """
    data, seen = [], {}

    async def page():
        before = proxy.settle()
        await page_of(made, client, data[-1])
        seen.setdefault(data[-1], []).append((proxy.settle() - before).work())

    plain = growth(lambda: by_hand(page()), data.append) if not is_async(client) else None
    found = plain or await growth(page, data.append)
    await Run.close(client)
    return found, {n: numbers[-2:] for n, numbers in seen.items()}


@pytest.mark.parametrize("module, run", [(redis, by_hand), (redis.asyncio, asyncio.run)])
@given(made=parts)
@settings(max_examples=MANY // 8, deadline=None, derandomize=MANY <= 100, database=None,
          suppress_health_check=list(HealthCheck))  # fmt: skip
def test_random_pages_grow_as_they_are_made_and_as_the_proxy_counts(
    shared_proxy, module, run, made
):
    found, seen = run(grown(shared_proxy, made, module.Redis(**shared_proxy.options)))
    slope = sum(SLOPES.get(kind, 0) * number for kind, number in made)
    base = sum({"once": number, "piped": 1}.get(kind, 0) for kind, number in made)
    assert (found.round_trips.base, found.round_trips.slope) == (base, slope)
    assert seen == found.round_trips.numbers
    assert found.is_constant == (not slope)
    assert sum(each.law.slope for each in found.sites) == slope
