"""Every public function refuses what it cannot use with a sentence of advice: no silent 0, no raw traceback."""

import asyncio
import functools
import math
from fractions import Fraction

import pytest
import redis
from helpers import refusal
from redis.cluster import RedisCluster

import lab_utils as lab
from lab_utils.testbed import chosen_server, private_server
from lab_utils.testbed.clusters import Cluster

pytestmark = [
    pytest.mark.filterwarnings("error::RuntimeWarning"),  # a coroutine that nobody awaited
    pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning"),
]

NAN, INF = float("nan"), float("inf")


async def asks(r):
    await r.ping()


def yields(r):
    yield r.ping()


async def idles(r):
    return [r]


async def yields_later(r):
    yield await r.ping()


class Called:
    async def __call__(self, r):
        await r.ping()


class CalledAndYields:
    def __call__(self, r):
        yield r.ping()


def works(r, *_):
    return r.get("key")


def draws():
    lab.connect().get("key")


def coroutine():
    return asks(lab.connect())


NO_FUNCTIONS = {
    "nothing": lambda: None,
    "a number": lambda: 5,
    "a text": lambda: "loop",
    "a list": lambda: [works],
    "a class": lambda: dict,
    "a coroutine": coroutine,
    "a generator": lambda: yields(None),
    "what it returned": lambda: True,
    "one that takes three": lambda: lambda a, b, c: 1,
    "one that wants a name": lambda: lambda *a, key: 1,
}
RUNS_NOTHING = {
    "a generator function": lambda: yields,
    "an async generator function": lambda: yields_later,
    "a partial of a generator function": lambda: functools.partial(yields),
    "an object that yields": CalledAndYields,
    "a lambda of a coroutine": lambda: lambda *a: coroutine(),
    "a lambda of a generator": lambda: lambda *a: yields(None),
    "a list of coroutines": lambda: lambda *a: [coroutine(), coroutine()],
    "a map": lambda: lambda *a: map(print, "abc"),
    "a lambda of an async generator": lambda: lambda *a: yields_later(None),
    "a pipeline not executed": lambda: lambda *a: lab.connect().pipeline().get("a").get("b"),
    "an asyncio pipeline not executed": lambda: lambda *a: redis.asyncio.Redis().pipeline().get("a"),
    "a dict of iterators": lambda: lambda *a: {key: lab.connect().scan_iter(key) for key in "ab"},
    "a generator deep in lists": lambda: lambda *a: [[1], ({2: yields(None)},)],
}
ASYNC = {"async def": lambda: asks, "a partial of async def": lambda: functools.partial(asks), "an async object": Called}
NO_PLAIN_FUNCTIONS = {**NO_FUNCTIONS, **RUNS_NOTHING, **ASYNC}
NO_FUNCTIONS_AT_ALL = {**NO_FUNCTIONS, **RUNS_NOTHING}


def foreign_client():
    return redis.Redis(port=private_server.free_port(), retry=None)


NO_CLIENTS = {
    "nothing": lambda: None,
    "a number": lambda: 5,
    "a text": lambda: "redis://",
    "a function": lambda: works,
    "a pipeline": lambda: lab.connect().pipeline(),
    "a coroutine": coroutine,
    "a class": lambda: redis.Redis,
    "an asyncio pipeline": lambda: redis.asyncio.Redis().pipeline(),
    "nobody's server": foreign_client,
}
AN_ASYNCIO_CLIENT = {"an asyncio client": redis.asyncio.Redis}
A_CLUSTER = {"a cluster": lambda: RedisCluster.__new__(RedisCluster)}
NO_PLAIN_CLIENTS = {**NO_CLIENTS, **AN_ASYNCIO_CLIENT, **A_CLUSTER}

NO_NUMBERS = {
    "nothing": lambda: None,
    "a text": lambda: "1",
    "True": lambda: True,
    "NaN": lambda: NAN,
    "infinity": lambda: INF,
    "huge": lambda: 10**400,
    "too long to print": lambda: 10**5000,
    "a Fraction": lambda: Fraction(-1, 2),
    "a list": lambda: [1],
    "below 0": lambda: -1,
    "a coroutine": coroutine,
    "a complex": lambda: 1j,
}
NO_POSITIVE_NUMBERS = {**NO_NUMBERS, "0": lambda: 0}
NO_ASKED = {name: made for name, made in NO_POSITIVE_NUMBERS.items() if name != "nothing"}
NO_WHOLE_NUMBERS = {**NO_POSITIVE_NUMBERS, "a half": lambda: 1.5}
NO_FLAGS = {"a list": lambda: [{}], "a text": lambda: "yes", "a number": lambda: 1, "nothing": lambda: None}
NO_ROUNDS = {name: made for name, made in NO_WHOLE_NUMBERS.items() if name != "nothing"}
NO_NODES = {**NO_WHOLE_NUMBERS, "0": lambda: 3, "a coroutine": dict}
NO_DISTANCES = {**NO_NUMBERS, "too near": lambda: 5e-324, "too far": lambda: 501, "two": lambda: (1, 5)}
NO_TEXTS = {
    "nothing": lambda: None,
    "a number": lambda: 5,
    "empty": lambda: "",
    "a list": lambda: ["a"],
    "a coroutine": coroutine,
}
NO_TITLES = {name: made for name, made in NO_TEXTS.items() if name != "nothing"}
NO_DICTS = {
    "nothing": lambda: None,
    "empty": dict,
    "a list": lambda: ["a"],
    "a text": lambda: "a",
    "a number": lambda: 5,
    "a number as name": lambda: {1: works},
    "a coroutine": coroutine,
}
NO_OPTIONS = {
    "an unknown one": {"no_such_option": 1},
    "a text for seconds": {"socket_timeout": "x"},
    "no protocol": {"protocol": 9},
    "no database": {"db": "x"},
    "another server": {"host": "example.org"},
}
NO_VALUES = {
    **{name: made for name, made in NO_DICTS.items() if name != "a number as name"},
    "a text as value": lambda: {"a": "1"},
    "nothing as value": lambda: {"a": None},
    "NaN as value": lambda: {"a": NAN},
    "True as value": lambda: {"a": True},
    "a list as value": lambda: {"a": [1]},
}
NO_PAIRS = {
    "nothing": lambda: None,
    "a number": lambda: 5,
    "one": lambda: (1,),
    "three": lambda: (1, 2, 3),
    "a text": lambda: "ab",
    "texts": lambda: ("a", "b"),
    "NaN": lambda: (NAN, NAN),
    "a coroutine": coroutine,
}

SEEN = {"pipeline": ([(0.001, 5)], 0.01)}
TABLE = {"loop": 1.0}

# {public name: [(what is wrong: makers of the wrong value, the call with it)]}. The call is given the value and a client.
ROWS = {
    "bystander": [
        (NO_PLAIN_FUNCTIONS, lambda x, r: lab.bystander(x, r)),
        (NO_PLAIN_CLIENTS, lambda x, r: lab.bystander(works, x)),
        (NO_WHOLE_NUMBERS, lambda x, r: lab.bystander(works, r, runs=x)),
        ({**ASYNC, **RUNS_NOTHING, "a number": lambda: 5}, lambda x, r: lab.bystander(works, r, setup=x)),
    ],
    "capture": [(NO_PLAIN_FUNCTIONS, lambda x, r: lab.capture(x, r)), (NO_PLAIN_CLIENTS, lambda x, r: lab.capture(works, x))],
    "claim": [
        ({**NO_TEXTS, "an unknown one": lambda: "Z9"}, lambda x, r: lab.claim(x)),
        (NO_VALUES, lambda x, r: lab.claim("A1", writes=x, turns=x, more=x)),
        (
            {"a text": lambda: "x", "NaN": lambda: NAN, "nothing": lambda: None, "a list": lambda: []},
            lambda x, r: lab.claim("D1", near_ms=1, far_ms=5, loop_near_s=x, loop_far_s=1.0, pipeline_far_s=1.0),
        ),
    ],
    "cluster": [
        ({**NO_DISTANCES, "a coroutine": dict}, lambda x, r: Cluster([chosen_server.server()]).connect(x)),
        (NO_NODES, lambda x, r: Cluster([chosen_server.server()]).node(x)),
        (NO_NODES, lambda x, r: Cluster([chosen_server.server()]).kill(x)),
    ],
    "compare": [
        ({**NO_DICTS, "a number as name": dict}, lambda x, r: lab.compare(x)),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.compare({"one": x})),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.compare({"one": x, "other": works}, same=False)),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.compare({"one": works, "other": x})),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.compare({"one": works}, ops=x)),
        ({**NO_DISTANCES, "a list": list, "two": lambda: (1, "5")}, lambda x, r: lab.compare({"one": works}, rtt_ms=x)),
        (NO_ROUNDS, lambda x, r: lab.compare({"one": works}, rounds=x)),
        ({**ASYNC, **RUNS_NOTHING, "a number": lambda: 5}, lambda x, r: lab.compare({"one": works}, setup=x)),
        ({"no distance": lambda: 0}, lambda x, r: lab.compare({"one": works}, rtt_ms=x, parallel=True)),
        (NO_FLAGS, lambda x, r: lab.compare({"one": works}, rtt_ms=1, parallel=x)),
    ],
    "connect": [(NO_DISTANCES, lambda x, r: lab.connect(x))],
    "count": [
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.count(x, r)),
        ({**NO_CLIENTS, **AN_ASYNCIO_CLIENT}, lambda x, r: lab.count(works, x)),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.count({"good": works, "bad": x}, r)),
        ({"empty": dict, "a number as name": lambda: {1: works}}, lambda x, r: lab.count(x, r)),
        (A_CLUSTER, lambda x, r: lab.count(asks, x)),
        ({"an async one that sends nothing": lambda: idles}, lambda x, r: lab.count(x, r)),
    ],
    "describe": [
        (NO_NUMBERS, lambda x, r: lab.describe(x, 1, 1)),
        (NO_NUMBERS, lambda x, r: lab.describe(1, x, 1)),
        (NO_NUMBERS, lambda x, r: lab.describe(1, 1, x)),
        ({"a number": lambda: 5, "a text": lambda: "SET"}, lambda x, r: lab.describe(1, 1, 1, x)),
    ],
    "empty": [(NO_CLIENTS, lambda x, r: lab.empty(x)), (AN_ASYNCIO_CLIENT, lambda x, r: lab.empty(x))],
    "fit_model": [({**NO_TEXTS, "another command": lambda: "HGETALL"}, lambda x, r: lab.fit_model(x))],
    "frozen": [(NO_CLIENTS, lambda x, r: lab.frozen(x, 1)), (NO_NUMBERS, lambda x, r: lab.frozen(r, x))],
    "guess": [(NO_TEXTS, lambda x, r: lab.guess(x, ..., "ms")), (NO_TEXTS, lambda x, r: lab.guess("01.cart", ..., x))],
    "hidden_distance": [
        ({**NO_PAIRS}, lambda x, r: lab.hidden_distance(x, (1, 0.1))),
        ({name: made for name, made in NO_PAIRS.items() if name != "nothing"}, lambda x, r: lab.hidden_distance((10, 1.0), x)),
        ({"the other way round": lambda: (1, 0.1)}, lambda x, r: lab.hidden_distance(x, (10, 1.0))),
        ({"a number": lambda: 5}, lambda x, r: lab.hidden_distance((10, 1.0), (1, 0.1), x)),
    ],
    "plot_bars": [
        (NO_VALUES, lambda x, r: lab.plot_bars(x, "ms", "title")),
        (NO_TEXTS, lambda x, r: lab.plot_bars(TABLE, x, "title")),
        (NO_TEXTS, lambda x, r: lab.plot_bars(TABLE, "ms", x)),
        ({"nothing above 0": lambda: {"a": 0}}, lambda x, r: lab.plot_bars(x, "ms", "title", log=True)),
        (NO_ASKED, lambda x, r: lab.plot_bars(TABLE, "ms", "title", asked=x)),
    ],
    "plot_groups": [
        (NO_VALUES, lambda x, r: lab.plot_groups({"near": x}, "ms", "title")),
        (NO_DICTS, lambda x, r: lab.plot_groups(x, "ms", "title")),
        (NO_TEXTS, lambda x, r: lab.plot_groups({"near": TABLE}, x, "title")),
        (NO_TEXTS, lambda x, r: lab.plot_groups({"near": TABLE}, "ms", x)),
        ({"nothing above 0": lambda: {"a": -1}}, lambda x, r: lab.plot_groups({"a": x}, "ms", "title", log=True)),
        (NO_ASKED, lambda x, r: lab.plot_groups({"near": TABLE}, "ms", "title", asked=x)),
    ],
    "plot_icicle": [
        (
            {"nothing": lambda: None, "a number": lambda: 5, "a text": lambda: "work", "texts": lambda: ["work"],
             "no sample of the root": lambda: [["other"]], "no sample": list},
            lambda x, r: lab.plot_icicle(x, "work", 5, "µs"),
        ),
        (NO_TEXTS, lambda x, r: lab.plot_icicle([["work"]], x, 5, "µs")),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.plot_icicle([["work"]], "work", x, "µs")),
        (NO_TEXTS, lambda x, r: lab.plot_icicle([["work"]], "work", 5, x)),
        ({"a number": lambda: 5, "numbers": lambda: [5]}, lambda x, r: lab.plot_icicle([["work"]], "work", 5, "µs", x)),
        (NO_TITLES, lambda x, r: lab.plot_icicle([["work"]], "work", 5, "µs", title=x)),
    ],
    "plot_ladders": [
        (
            {
                **NO_DICTS,
                "numbers": lambda: TABLE,
                "a capture of nothing": lambda: {"a": lab.capture(lambda r: None, lab.connect())},
            },
            lambda x, r: lab.plot_ladders(x),
        ),
        (NO_TITLES, lambda x, r: lab.plot_ladders({"a": lab.capture(works, r)}, x)),
    ],
    "plot_lanes": [
        (NO_TITLES, lambda x, r: lab.plot_lanes({"one": works}, r, x)),
        ({**NO_DICTS, "a number as name": dict}, lambda x, r: lab.plot_lanes(x, r)),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.plot_lanes({"one": x}, r)),
        ({**NO_CLIENTS, **AN_ASYNCIO_CLIENT}, lambda x, r: lab.plot_lanes({"one": works}, x)),
        ({"sends nothing": lambda: lambda r: None}, lambda x, r: lab.plot_lanes({"one": x}, r)),
        (NO_FLAGS, lambda x, r: lab.plot_lanes({"one": works}, r, parallel=x)),
    ],
    "plot_lines": [
        (NO_DICTS, lambda x, r: lab.plot_lines(x, "x", "y", "title")),
        (
            {**NO_VALUES, "a text as x": lambda: {"a": 1}, "NaN as x": lambda: {NAN: 1}},
            lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title"),
        ),
        ({"nothing above 0": lambda: {0: 0}}, lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title", log_x=True)),
        ({"nothing above 0": lambda: {1: 0}}, lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title", log_y=True)),
        *(
            (NO_TEXTS, lambda x, r, place=place: lab.plot_lines({"a": {1: 1}}, *[x if i == place else "ms" for i in range(3)]))
            for place in range(3)
        ),
        (
            {**NO_NUMBERS, "one": lambda: (1,), "falling": lambda: (2, 1), "texts": lambda: ("1", "2")} | {"nothing": lambda: ()},
            lambda x, r: lab.plot_lines({"a": {1: 1}}, "x", "y", "title", ylim=x),
        ),
    ],
    "plot_map": [
        ({**NO_CLIENTS, **AN_ASYNCIO_CLIENT}, lambda x, r: lab.plot_map(x)),
        (NO_WHOLE_NUMBERS, lambda x, r: lab.plot_map(r, x)),
    ],
    "plot_panels": [
        (NO_DICTS, lambda x, r: lab.plot_panels(x, "x", "y", "title")),
        (NO_DICTS, lambda x, r: lab.plot_panels({"near": x}, "x", "y", "title")),
        ({"nothing above 0": lambda: {1: 0}}, lambda x, r: lab.plot_panels({"near": {"a": x}}, "x", "y", "title", log_y=True)),
        *(
            (NO_TEXTS, lambda x, r, place=place: lab.plot_panels({"a": {"a": {1: 1}}},
                                                                 *[x if i == place else "ms" for i in range(3)]))
            for place in range(3)
        ),
    ],
    "plot_prediction": [
        (NO_TEXTS, lambda x, r: lab.plot_prediction(x, 1, 1)),
        (NO_TITLES, lambda x, r: lab.plot_prediction("a", 1, 1, None, x)),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.plot_prediction("a", x, 1)),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.plot_prediction("a", 1, x)),
    ],
    "plot_published": [
        (NO_TEXTS, lambda x, r: lab.plot_published(x, TABLE, TABLE, 1)),
        ({**NO_VALUES, "0 as value": lambda: {"loop": 0}}, lambda x, r: lab.plot_published("a", x, TABLE, 1)),
        ({**NO_VALUES, "other names": lambda: {"b": 1}}, lambda x, r: lab.plot_published("a", TABLE, x, 1)),
        (NO_NUMBERS, lambda x, r: lab.plot_published("a", TABLE, TABLE, x)),
        (NO_TITLES, lambda x, r: lab.plot_published("a", TABLE, TABLE, 1, x)),
        (
            {"a stranger": lambda: ["b"], "a number": lambda: 5, "numbers": lambda: [5], "nothing": lambda: None},
            lambda x, r: lab.plot_published("a", TABLE, TABLE, 1, fitted=x),
        ),
    ],
    "plot_rain": [
        ({**NO_DICTS, "a number": lambda: {"MULTI": 0.038}}, lambda x, r: lab.plot_rain(x)),
        (NO_TITLES, lambda x, r: lab.plot_rain({"MULTI": lab.bystander(works, r)}, title=x)),
    ],
    "plot_seen": [
        (NO_DICTS, lambda x, r: lab.plot_seen(x, 1, "title")),
        (NO_PAIRS, lambda x, r: lab.plot_seen({"a": x}, 1, "title")),
        (NO_PAIRS, lambda x, r: lab.plot_seen({"a": ([x], 1.0)}, 1, "title")),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.plot_seen(SEEN, x, "title")),
        (NO_TEXTS, lambda x, r: lab.plot_seen(SEEN, 1, x)),
    ],
    "plot_staircase": [
        (NO_VALUES, lambda x, r: lab.plot_staircase(x, "µs")),
        ({"one way": lambda: TABLE, "nothing above 0": lambda: {"a": 0, "b": 1}}, lambda x, r: lab.plot_staircase(x, "µs")),
        (NO_TEXTS, lambda x, r: lab.plot_staircase({"a": 2, "b": 1}, x)),
        (NO_TITLES, lambda x, r: lab.plot_staircase({"a": 2, "b": 1}, "µs", x)),
    ],
    "predict": [
        (NO_NUMBERS, lambda x, r: lab.predict(x, 1)),
        (NO_NUMBERS, lambda x, r: lab.predict(1, x)),
        (NO_NUMBERS, lambda x, r: lab.predict(1, 1, x)),
        ({"a number": lambda: 5}, lambda x, r: lab.predict(1, 1, 1, x)),
    ],
    "race": [
        (NO_FLAGS, lambda x, r: lab.race({"one": works}, r, parallel=x)),
        ({**NO_DICTS, "a number as name": dict}, lambda x, r: lab.race(x, r)),
        (NO_FUNCTIONS_AT_ALL, lambda x, r: lab.race({"one": x}, r)),
        ({**NO_CLIENTS, **AN_ASYNCIO_CLIENT}, lambda x, r: lab.race({"one": works}, x)),
        ({**NO_POSITIVE_NUMBERS, "an hour": lambda: 3600}, lambda x, r: lab.race({"one": works}, r, x)),
    ],
    "raw_socket": [(NO_PLAIN_CLIENTS, lambda x, r: lab.raw_socket(x))],
    "replica": [
        ({name: made for name, made in NO_PLAIN_CLIENTS.items() if name != "nothing"}, lambda x, r: lab.replica(x)),
        (NO_DISTANCES, lambda x, r: lab.replica(rtt_ms=x)),
    ],
    "run_fresh": [
        ({**NO_TEXTS, "no Python": lambda: "1 +", "what fails": lambda: "1 / 0"}, lambda x, r: lab.run_fresh(x)),
        (NO_DISTANCES, lambda x, r: lab.run_fresh("pass", x)),
    ],
    "sampled": [(NO_PLAIN_FUNCTIONS, lambda x, r: lab.sampled(x, r)), (NO_PLAIN_CLIENTS, lambda x, r: lab.sampled(works, x))],
    "segments": [(NO_PLAIN_FUNCTIONS, lambda x, r: lab.segments(x)), (NO_DISTANCES, lambda x, r: lab.segments(works, x))],
    "spare": [
        (
            {**NO_TEXTS, "two lines": lambda: "a\nb", "the lab's own": lambda: "port 5", "unknown": lambda: "no-such-setting 5"},
            lambda x, r: lab.spare(x),
        )
    ],
    "sweep": [
        (NO_PLAIN_FUNCTIONS, lambda x, r: lab.sweep(x, (1, 2))),
        (
            {
                **NO_DICTS,
                "falling": lambda: (2, 1),
                "twice": lambda: (1, 1),
                "texts": lambda: ("1", "2"),
                "NaN": lambda: (1, NAN),
                "0": lambda: (0, 1),
            },
            lambda x, r: lab.sweep(works, x),
        ),
        (NO_POSITIVE_NUMBERS, lambda x, r: lab.sweep(works, (1, 2), ops=x)),
        (NO_ROUNDS, lambda x, r: lab.sweep(works, (1, 2), rounds=x)),
        (
            {name: made for name, made in NO_PLAIN_FUNCTIONS.items() if name != "what it returned"},
            lambda x, r: lab.sweep(works, (1, 2), rounds=1, memory=x),
        ),
        ({**NO_DISTANCES, "a list": list, "two": lambda: (1, "5")}, lambda x, r: lab.sweep(works, (1, 2), rtt_ms=x)),
    ],
    "timeline": [
        (NO_PLAIN_FUNCTIONS, lambda x, r: lab.timeline(x)),
        ({"says nothing": lambda: lambda: None}, lambda x, r: lab.timeline(x)),
    ],
}
WITH_OPTIONS = {
    "connect": lambda options: lab.connect(**options),
    "segments": lambda options: lab.segments(works, **options),
    "compare": lambda options: lab.compare({"one": works}, **options),
    "sweep": lambda options: lab.sweep(works, (1, 2), **options),
    "replica": lambda options: lab.replica(**options),
}
TAKES_NOTHING = {"calibration", "fingerprint", "ledger", "retrial", "trace"}  # no argument that could be wrong
NO_FUNCTION = {"Cost", "LabError"}  # what is returned, and what is raised
PRINTS = {"check"}  # a verdict on whatever it is given


def cases():
    for name, rows in ROWS.items():
        for number, (wrong, call) in enumerate(rows):
            for what, make in wrong.items():
                yield pytest.param(make, call, id=f"{name}-{number}-{what}")


def test_every_public_function_has_its_rows():
    assert ROWS.keys() | TAKES_NOTHING | NO_FUNCTION | PRINTS == set(lab.__all__)


@pytest.mark.parametrize("make, call", list(cases()))
def test_what_is_wrong_is_refused_with_advice(r, remembered, monkeypatch, make, call):
    monkeypatch.setenv("LAB_FIGURES", "on")
    refusal(call, make(), r)


@pytest.mark.parametrize("options", NO_OPTIONS.values(), ids=NO_OPTIONS)
@pytest.mark.parametrize("call", WITH_OPTIONS.values(), ids=WITH_OPTIONS)
def test_options_that_redis_py_does_not_take_are_refused_with_advice(r, call, options):
    refusal(call, options)


@pytest.mark.parametrize("options", [NO_OPTIONS["an unknown one"], NO_OPTIONS["a text for seconds"]], ids=str)
def test_a_spare_with_such_options_leaves_no_server(options):
    refusal(lab.spare, **options)


def test_a_password_among_the_options_is_not_shown(r):
    text = refusal(lab.connect, no_such_option="secret")
    assert "secret" not in text and "no_such_option" in text


# What counts at once, rather than being refused


@pytest.mark.parametrize("fn", [asks, functools.partial(asks), Called(), functools.partial(functools.partial(asks))])
def test_whatever_is_async_is_counted_and_timed(r, fn):
    assert lab.count(fn, r).round_trips == 1
    assert lab.compare({"one": fn}, rounds=1).seconds("one") > 0


@pytest.mark.parametrize("name", [None, 5, [], {}, "99.9", math.nan])
def test_an_exercise_that_is_none_is_said(capsys, remembered, name):
    lab.check(name, works)
    assert capsys.readouterr().out.startswith("There is no exercise")


NO_ANSWERS = {**RUNS_NOTHING, **ASYNC, "a number": lambda: 5, "a text": lambda: "x", "a coroutine": coroutine}


@pytest.mark.parametrize("answer", NO_ANSWERS)
@pytest.mark.parametrize("name", ["00.1", "03.1"])
def test_any_answer_gets_a_diagnosis(r, capsys, remembered, name, answer):
    answer = NO_ANSWERS[answer]()
    lab.check(name, answer)
    assert capsys.readouterr().out.startswith(f"{name} not yet: ")
    if asyncio.iscoroutine(answer):
        answer.close()


@pytest.mark.parametrize("said", [0, -1, "10", NAN, INF, True, [], pytest.param(10**400, id="huge"), Fraction(1, 2)], ids=str)
def test_a_figure_leaves_out_what_was_said_where_it_cannot_show_it_and_says_so(r, capsys, said):
    times = lab.compare({"one": works, "other": works}, rounds=1)
    assert times.plot(said=said) is not None
    assert lab.plot_prediction("a SET", 1.0, 1.1, said=said) is not None
    assert lab.plot_bars({"a SET": 1.0}, "ms", "title", said=said) is not None
    told = capsys.readouterr().out
    assert told.count("is not a number above 0, so the figure leaves it out") == 3 and "you said" not in told


def executed(r):
    pipe = r.pipeline()
    pipe.get("a")
    pipe.execute()
    return pipe


async def done_task(r):
    task = asyncio.ensure_future(r.ping())
    await task
    return {"task": task, "client": r}


@pytest.mark.parametrize("fn, said", [
    (lambda r: r.pipeline().get("a").get("b"), "2 commands, not sent. Did you forget execute()?"),
    (lambda r: {"a": [r.scan_iter("a")]}, "return list(...)"),
])
def test_what_was_forgotten_is_said(r, fn, said):
    assert said in refusal(lab.count, fn, r)


@pytest.mark.parametrize("fn", [executed, done_task])
def test_what_has_done_its_work_may_be_returned(r, fn):
    assert lab.count(fn, r).round_trips == 1
