"""growth(): how a page's round trips go with its data, told from what is none, against a proxy."""

import asyncio
import functools
import re
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
from roundtrips import RoundTripsError, RoundTripsMixin, budget, growth, trace
from test_truth import MANY

SIZES = 2, 4, 8


def test_a_loop_grows_and_says_where(r):
    fill = functools.partial(r.set, "n")

    def loop():
        return [r.hget(f"user:{number}", "name") for number in range(int(r.get("n")))]

    line = loop.__code__.co_firstlineno + 1
    says = "grows with n: 1 + n round trips, 1 + n waits\n"
    where = rf"  [^\n]*test_growth\.py:{line} in [^\n]*: 1 HGET more for each$"
    test = RoundTripsMixin()
    with pytest.raises(AssertionError, match=f"^{re.escape(says)}{where}"):
        test.assertConstantRoundTrips(loop, fill)
    with budget(max=0):  # of the test itself, not of what growth() tries
        test.assertConstantRoundTrips(lambda: r.get("n"), fill)
    assert str(growth(lambda: r.get("n"), fill)) == "constant: 1 round trip, 1 wait"


def gets(r, number):
    return [r.get("a") for _ in range(number)]


@pytest.mark.parametrize("page, sizes, says", [
    (lambda r, n: gets(r, n * n), SIZES, "grows with n: 4, 16, 64 round trips at n = 2, 4, 8"),
    (lambda r, n: gets(r, -(-n // 100)), (100, 200, 400), "grows with n: n÷100 round trips"),
    (lambda r, n: gets(r, -(-n // 100)), (50, 150, 400),
     "grows with n: 1, 2, 4 round trips at n = 50, 150, 400"),
    (lambda r, n: gets(r, 7 + 6 * n), (8, 2, 4, 2),
     "grows with n: 7 + 6·n round trips, 7 + 6·n waits"),
    # A cache that fills, another process, nothing at all
    (lambda r, n: [r.get(each) for each in range(n) if r.set(each, "", nx=True)], SIZES,
     "can't be told: 6 and 4 round trips in two runs at n = 4"),
    (lambda r, n: (r.get("a"), subprocess.run(["true"], check=True)), SIZES,
     "can't be told: 1 round trip, 1 wait\n  not counted: what other processes do that the"),
    (lambda r, n: None, SIZES, "can't be told: 0 round trips"),
])  # fmt: skip
def test_a_line_is_told_from_what_is_none(r, page, sizes, says):
    data = []
    found = growth(lambda: page(r, data[-1]), data.append, sizes)
    assert str(found).startswith(says) and not found.is_constant
    assert found.is_known == (len(found.sites) == 1) == says.startswith("grows")


@pytest.mark.parametrize("page, says", [
    (lambda r: SimpleNamespace(status_code=HTTPStatus.UNAUTHORIZED), "answered with status 401"),
    (lambda r: SimpleNamespace(status=500), "answered with status 500"),
    (lambda r: SimpleNamespace(status_code=302), "302.*return nothing from `page`"),
    (lambda r: (r.get(each) for each in "ab"), r"gives a generator\. Use it up in the page"),
    (lambda r: map(r.get, "ab"), r"gives a map\. Use it up in the page"),
    (lambda r: (await r.get(each) for each in "ab"), r"async_generator\. Use it up in the page"),
])  # fmt: skip
async def test_a_page_whose_result_tells_no_growth_is_refused(r, page, says):
    async def awaited():
        return page(r)

    with pytest.raises(RoundTripsError, match=says):
        growth(lambda: page(r), print)
    with pytest.raises(RoundTripsError, match=says):
        await growth(awaited, print)


def test_what_it_runs_counts_for_the_process_and_for_no_block_around_it(r):
    class Job:  # a result that asks Redis
        status = property(lambda job: r.get("status"))

    with trace(scope="process") as process, trace() as t:
        found = growth(lambda: r.get("a") and Job(), lambda n: r.mset({"a": n}))
    assert str(found) == "constant: 1 round trip, 1 wait"
    assert (process.commands["MSET"], t.round_trips, t.uncounted) == (7, 0, [])


async def test_what_fill_leaves_behind_is_missed_by_the_page_beside_it(async_r):
    tasks = []

    async def works():
        while True:
            await async_r.get("job")

    async def fill(n):
        tasks.append(asyncio.create_task(works()))

    found = await growth(lambda: asyncio.sleep(0.01), fill)
    for task in tasks:
        task.cancel()
    assert not found.is_known and "in works)" in str(found)


@pytest.mark.parametrize("measure, says", [
    (RoundTripsMixin().assertConstantRoundTrips, r"await growth\(page, fill\)"),
    (lambda page, _: RoundTripsMixin().assertRoundTrips(1, page), r"with self\.assertRoundTrips"),
    (lambda page, fill: growth(lambda: page(0), fill), "Write it as `async def`"),
])  # fmt: skip
def test_a_page_whose_coroutine_may_be_forgotten_is_refused(measure, says):
    with pytest.raises(RoundTripsError, match=says):
        measure(asyncio.sleep, print)


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
