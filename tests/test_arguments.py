"""Every public function refuses what it cannot use with advice: no silent 0, no raw traceback."""

import functools
import math

import pytest
import redis
from helpers import refusal
from redis.cluster import RedisCluster

import lab_utils as lab
from chapter_helpers.ladders import plot_ladders
from chapter_helpers.published import hidden_distance
from chapter_helpers.waiting_map import plot_map
from lab_utils.testbed import chosen_server, private_server
from lab_utils.testbed.clusters import Cluster
from lab_utils.timing.comparison import Comparison

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")  # a coroutine that nobody awaited
NAN = math.nan


async def asks(r):
    await r.ping()


def yields(r):
    yield r.ping()


async def yields_later(r):
    yield await r.ping()


class Called:
    async def __call__(self, r):
        await r.ping()


def works(r, *_):
    return r.get("key")


def takes_too_many(r, one, two, three):
    return r.get("key")


# Kinds of arguments, and what is wrong for each.
NO_FUNCTION = {
    "None": None,
    "what it returned": True,
    "a class": dict,
    "a generator function": yields,
    "one of too many arguments": takes_too_many,
}
RUNS_NOTHING = {
    "a partial of a generator function": functools.partial(yields),
    "an async generator function": yields_later,
    "a lambda of a coroutine": lambda *a: asks(lab.connect()),
    "a lambda of a generator": lambda *a: yields(None),
    "a list of coroutines": lambda *a: [asks(lab.connect())],
    "a dict of iterators": lambda *a: {"a": lab.connect().scan_iter("a")},
    "a pipeline not executed": lambda *a: lab.connect().pipeline().get("a"),
    "an asyncio pipeline not executed": lambda *a: redis.asyncio.Redis().pipeline().get("a"),
}
ASYNC = {
    "async def": asks,
    "a partial of async def": functools.partial(asks),
    "an async object": Called(),
}
CLIENT = {
    "None": None,
    "a URL": "redis://",
    "a pipeline": redis.Redis().pipeline(),
    "asyncio": redis.asyncio.Redis(),
    "nobody's server": redis.Redis(port=private_server.free_port(), retry=None),
}
NUMBER = {"a text": "1", "NaN": NAN, "below 0": -1}
POSITIVE = {"None": None, "a text": "1", "0": 0}
DICT = {"None": None, "empty": {}, "a list": ["a"]}
WRONG = {
    "every function": NO_FUNCTION | RUNS_NOTHING,
    "plain function": NO_FUNCTION | RUNS_NOTHING | ASYNC,
    "client or cluster": CLIENT,
    "client": CLIENT | {"a cluster": RedisCluster.__new__(RedisCluster)},
    "number": NUMBER,
    "positive number": POSITIVE,
    "whole number": {"a text": "1", "0": 0, "a half": 1.5},
    "node": {"a text": "1", "below 0": -1, "3": 3},
    "distance": NUMBER | {"too far": 501, "too near": 5e-324},
    "text": {"a number": 5, "empty": ""},
    "dict": DICT,
    "functions": DICT | {"a text": {"one": "loop"}},
    "values": DICT | {"a text": {"a": "1"}, "NaN": {"a": NAN}},
    "pair": {"None": None, "one": (1,), "texts": ("a", "b")},
    "nothing above 0": {"it": {0: 0}},
    **{kind: {"it": object()} for kind in ("strange", "other way round", "sending nothing")},
}
BARS = {"loop": 1.0}


def node_of(_):
    return Cluster([chosen_server.server()])


# Each: the public name, the kind of one argument, and a call with it, x, and a client.
ROWS = [
    ("bystander", "plain function", lambda x, r: lab.bystander(x, r)),
    ("bystander", "client", lambda x, r: lab.bystander(works, x)),
    ("bystander", "whole number", lambda x, r: lab.bystander(works, r, runs=x)),
    ("capture", "plain function", lambda x, r: lab.capture(x, r)),
    ("capture", "client", lambda x, r: lab.capture(works, x)),
    ("claim", "text", lambda x, r: lab.claim(x)),
    ("claim", "values", lambda x, r: lab.claim("A1", writes=x, turns=x, more=x)),
    ("cluster", "distance", lambda x, r: node_of(r).connect(x)),
    ("cluster", "node", lambda x, r: node_of(r).node(x)),
    ("cluster", "node", lambda x, r: node_of(r).kill(x)),
    ("compare", "functions", lambda x, r: lab.compare(x)),
    ("compare", "every function", lambda x, r: lab.compare({"one": works, "other": x})),
    ("compare", "every function", lambda x, r: lab.compare({"one": x, "other": works}, same=False)),
    ("compare", "positive number", lambda x, r: lab.compare({"one": works}, ops=x)),
    ("compare", "distance", lambda x, r: lab.compare({"one": works}, rtt_ms=(1, x))),
    ("compare", "whole number", lambda x, r: lab.compare({"one": works}, rounds=x)),
    ("connect", "distance", lambda x, r: lab.connect(x)),
    ("count", "every function", lambda x, r: lab.count(x, r)),
    ("count", "every function", lambda x, r: lab.count({"good": works, "bad": x}, r)),
    ("count", "client or cluster", lambda x, r: lab.count(works, x)),
    ("empty", "client or cluster", lambda x, r: lab.empty(x)),
    ("fit_model", "text", lambda x, r: lab.fit_model(x)),
    ("frozen", "client", lambda x, r: lab.frozen(x, 1)),
    ("frozen", "number", lambda x, r: lab.frozen(r, x)),
    ("guess", "text", lambda x, r: lab.guess(x, ..., "ms")),
    ("guess", "text", lambda x, r: lab.guess("01.cart", ..., x)),
    ("hidden_distance", "pair", lambda x, r: hidden_distance(x, (1, 0.1))),
    ("hidden_distance", "other way round", lambda x, r: hidden_distance((10, 1), (20, 0.1))),
    ("plot_bars", "values", lambda x, r: lab.plot_bars(x, "ms", "title")),
    ("plot_bars", "text", lambda x, r: lab.plot_bars({"a": 1}, x, "title", log=True)),
    ("plot_bars", "text", lambda x, r: lab.plot_bars({"a": 1}, "ms", "title", source=x or 0)),
    ("plot_bars", "nothing above 0", lambda x, r: lab.plot_bars({"a": 0}, "ms", "title", log=True)),
    ("plot_bars", "values", lambda x, r: lab.plot_bars({"near": x}, "ms", "title")),
    ("plot_ladders", "values", lambda x, r: plot_ladders(x)),
    ("plot_ladders", "strange", lambda x, r: plot_ladders({"a": lab.capture(lambda r: None, r)})),
    ("plot_lanes", "functions", lambda x, r: lab.plot_lanes(x, r)),
    ("plot_lanes", "every function", lambda x, r: lab.plot_lanes({"one": x}, r)),
    ("plot_lanes", "client or cluster", lambda x, r: lab.plot_lanes({"one": works}, x)),
    ("plot_lanes", "sending nothing", lambda x, r: lab.plot_lanes({"one": lambda r: None}, r)),
    ("plot_lines", "values", lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title")),
    (
        "plot_lines",
        "nothing above 0",
        lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title", log_x=True),
    ),
    ("plot_map", "client or cluster", lambda x, r: plot_map(x)),
    ("plot_map", "whole number", lambda x, r: plot_map(r, x)),
    ("plot_published", "values", lambda x, r: lab.plot_published("a", x, BARS, 1)),
    ("plot_rain", "values", lambda x, r: lab.plot_rain(x)),
    ("predict", "number", lambda x, r: lab.predict(1, x)),
    ("race", "functions", lambda x, r: lab.race(x, r)),
    ("replica", "client", lambda x, r: lab.replica(x or 5)),
    ("replica", "distance", lambda x, r: lab.replica(rtt_ms=x)),
    ("run_fresh", "text", lambda x, r: lab.run_fresh(x)),
    ("run_fresh", "strange", lambda x, r: lab.run_fresh("1 / 0")),
    ("spare", "text", lambda x, r: lab.spare(x)),
    ("spare", "strange", lambda x, r: lab.spare("no-such-setting 5")),
    ("sweep", "plain function", lambda x, r: lab.sweep(x, (1, 2))),
    ("sweep", "pair", lambda x, r: lab.sweep(works, x and ("1", "2"))),
    ("timeline", "plain function", lambda x, r: lab.timeline(x)),
    ("timeline", "sending nothing", lambda x, r: lab.timeline(lambda: None)),
]
REFUSE_NOTHING = {"calibration", "fingerprint", "retrial", "trace", "Cost", "LabError", "check"}


def test_every_public_function_has_its_rows():
    assert {name for name, *_ in ROWS} | REFUSE_NOTHING >= set(lab.__all__)


@pytest.mark.parametrize(
    "kind, call", [row[1:] for row in ROWS], ids=[f"{row[0]}-{at}" for at, row in enumerate(ROWS)]
)
def test_what_is_wrong_is_refused_with_advice(r, remembered, monkeypatch, kind, call):
    monkeypatch.setenv("LAB_FIGURES", "on")
    for what, value in WRONG[kind].items():
        print(what)  # shown where it fails
        refusal(call, value, r)


@pytest.mark.parametrize(
    "call", [lab.connect, lab.spare, lab.replica, functools.partial(lab.compare, {"one": works})]
)
def test_options_that_redis_py_does_not_take_are_refused_with_advice(call):
    for options in {"no_such_option": "secret"}, {"socket_timeout": "x"}, {"protocol": 9}:
        assert "secret" not in refusal(call, **options)


@pytest.mark.parametrize(
    "fn, said",
    [
        (
            lambda r: r.pipeline().get("a").get("b"),
            "2 commands, not sent. Did you forget execute()?",
        ),
        (lambda r: {"a": r.scan_iter("a")}, "return list(...)"),
        (lambda r: asks(r), "`await` in it"),
    ],
)
def test_what_was_forgotten_is_said(r, fn, said):
    assert said in refusal(lab.count, fn, r)


@pytest.mark.parametrize("fn", ASYNC.values(), ids=ASYNC)
def test_whatever_is_async_is_counted_and_timed(r, fn):
    assert lab.count(fn, r).round_trips == 1
    assert lab.compare({"one": fn}, rounds=1).seconds("one") > 0


def test_any_answer_to_an_exercise_gets_a_diagnosis(r, capsys, remembered):
    for answer in (5, yields, asks, *RUNS_NOTHING.values()):
        lab.check("03.1", answer)
        assert capsys.readouterr().out.startswith("03.1 not yet: ")


def test_an_exercise_that_is_none_is_said(capsys, remembered):
    for name in None, 5, [], "99.9":
        lab.check(name, works)
        assert capsys.readouterr().out.startswith("There is no exercise")


def test_a_figure_leaves_out_what_was_said_where_it_cannot_show_it_and_says_so(capsys):
    samples = {("a SET", 0): [1.0] * 9, ("a GET", 0): [2.0] * 9}
    for said in (0, "10", NAN, True):
        assert Comparison(dict.fromkeys(("a SET", "a GET")), 1, samples).plot(said=said) is not None
        told = capsys.readouterr().out
        assert "is not a number above 0, so the figure leaves it out" in told
        assert "you said" not in told
