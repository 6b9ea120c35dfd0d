"""Every public function refuses what it cannot use with advice: no silent 0, no raw traceback."""

import functools
import math

import pytest
import redis
from helpers import refusal
from redis.cluster import RedisCluster

import lab_utils as lab
from chapter_helpers.chain import plot_chain
from chapter_helpers.ladders import plot_ladders
from chapter_helpers.published import hidden_distance, plot_published
from chapter_helpers.scoreboard import Scoreboard
from chapter_helpers.waiting_map import plot_map
from lab_utils.testbed import chosen_server, private_server
from lab_utils.testbed.clusters import Cluster

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
    "answer": NUMBER | {"None": None},
    "pause": NUMBER | {"None": None, "endless": math.inf, "True": True, "a list": [1], "601": 601},
    "share": {"None": None, "below 0": -0.1, "half": 0.5, "a text": "1%"},
    "sizes": {"none": (), "falling": (10, 1), "one twice": (1, 1, 10)},
    "claim": {"None": None, "a number": 5, "unknown": "Z1"},
    "words of claims": {
        "none": {},
        "of an unknown claim": {"Z9": "holds"},
        "another word": {"A1": "perhaps"},
        "a number": {"A1": 3},
        "an empty word": {"A1": ""},
        "a text": "holds",
        "a list": ["A1"],
        "None": None,
    },
    "distance": NUMBER | {"too far": 501, "too near": 5e-324},
    "elsewhere": {
        option: {option: value}
        for option, value in (("host", "example.org"), ("port", 6379), ("password", "x"))
    },
    "text": {"a number": 5, "empty": ""},
    "dict": DICT,
    "functions": DICT | {"a text": {"one": "loop"}},
    "values": DICT | {"a text": {"a": "1"}, "NaN": {"a": NAN}},
    "pair": {"None": None, "one": (1,), "texts": ("a", "b")},
    **{kind: {"it": object()} for kind in ("strange", "other way round", "sending nothing")},
}
BARS = {"loop": 1.0}


def node_of(_):
    return Cluster([chosen_server.server()])


# Each: the public name, the kind of one argument, a call with it, x, and a client; and where there
# is a fourth, words that are said.
ROWS = [
    ("bystander", "plain function", lambda x, r: lab.bystander(x, r)),
    ("bystander", "client", lambda x, r: lab.bystander(works, x)),
    ("bystander", "whole number", lambda x, r: lab.bystander(works, r, runs=x)),
    ("capture", "plain function", lambda x, r: lab.capture(x, r)),
    ("capture", "client", lambda x, r: lab.capture(works, x)),
    ("claim", "text", lambda x, r: lab.claim(x)),
    ("claim", "claim", lambda x, r: lab.claim(x, loop_s=1.0), "E3"),
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
    ("compare", "strange", lambda x, r: lab.compare({"one": works}, rtt_ms=()), "distance"),
    (
        "compare",
        "strange",
        lambda x, r: lab.compare({"one": works}, rtt_ms=(0, 1), parallel=True),
        "needs a distance",
    ),
    ("connect", "distance", lambda x, r: lab.connect(x)),
    ("connect", "elsewhere", lambda x, r: lab.connect(**x)),
    ("connect", "share", lambda x, r: lab.connect(rtt_ms=2, loss=x), "loss="),
    ("connect", "strange", lambda x, r: lab.connect(loss=0.01), "rtt_ms=20, loss="),
    ("connect", "strange", lambda x, r: lab.connect(db=99), "DB index is out of range"),
    ("count", "every function", lambda x, r: lab.count(x, r)),
    ("count", "every function", lambda x, r: lab.count({"good": works, "bad": x}, r)),
    ("count", "client or cluster", lambda x, r: lab.count(works, x)),
    (
        "count",
        "strange",
        lambda x, r: lab.count(lambda r: r.pipeline().get("a").get("b"), r),
        "2 commands, not sent. Did you forget execute()?",
    ),
    (
        "count",
        "strange",
        lambda x, r: lab.count(lambda r: {"a": r.scan_iter("a")}, r),
        "return list(...)",
    ),
    ("count", "strange", lambda x, r: lab.count(lambda r: asks(r), r), "`await` in it"),
    ("empty", "client or cluster", lambda x, r: lab.empty(x)),
    ("fit_model", "text", lambda x, r: lab.fit_model(x)),
    ("frozen", "client", lambda x, r: lab.frozen(x, 1)),
    ("frozen", "pause", lambda x, r: lab.frozen(r, x), "0 to 600"),
    ("guess", "answer", lambda x, r: lab.guess("01.cart", 20, "ms").against(x)),
    ("hidden_distance", "pair", lambda x, r: hidden_distance(x, (1, 0.1))),
    ("hidden_distance", "other way round", lambda x, r: hidden_distance((10, 1), (20, 0.1))),
    ("plot_bars", "values", lambda x, r: lab.plot_bars(x, "ms", "title")),
    ("plot_bars", "values", lambda x, r: lab.plot_bars({"near": x}, "ms", "title")),
    (
        "plot_chain",
        "strange",
        lambda x, r: plot_chain({"names": (50, ["user"])}),
        "no question before it",
    ),
    ("plot_ladders", "values", lambda x, r: plot_ladders(x)),
    ("plot_ladders", "strange", lambda x, r: plot_ladders({"a": lab.capture(lambda r: None, r)})),
    ("plot_lanes", "functions", lambda x, r: lab.plot_lanes(x, r)),
    ("plot_lanes", "every function", lambda x, r: lab.plot_lanes({"one": x}, r)),
    ("plot_lanes", "client or cluster", lambda x, r: lab.plot_lanes({"one": works}, x)),
    ("plot_lanes", "sending nothing", lambda x, r: lab.plot_lanes({"one": lambda r: None}, r)),
    ("plot_lines", "values", lambda x, r: lab.plot_lines({"a": x}, "x", "y", "title")),
    ("plot_map", "client or cluster", lambda x, r: plot_map(x)),
    ("plot_map", "whole number", lambda x, r: plot_map(r, x)),
    ("plot_published", "values", lambda x, r: plot_published("a", x, BARS, 1)),
    (
        "plot_published",
        "strange",
        lambda x, r: plot_published("a", BARS, BARS, 1, fitted=("b",)),
    ),
    ("plot_rain", "values", lambda x, r: lab.plot_rain(x)),
    ("plot_rain", "strange", lambda x, r: lab.plot_rain({"MULTI": 0.1}), "not only its .worst"),
    ("predict", "number", lambda x, r: lab.predict(1, x)),
    ("predict", "strange", lambda x, r: lab.predict(1, 1, 1, sent="1"), "sent='1'"),
    ("race", "functions", lambda x, r: lab.race(x, r)),
    ("replica", "client", lambda x, r: lab.replica(x or 5)),
    ("replica", "elsewhere", lambda x, r: lab.replica(**x)),
    ("replica", "distance", lambda x, r: lab.replica(rtt_ms=x)),
    ("rest", "client", lambda x, r: lab.rest(x)),
    ("rest", "strange", lambda x, r: lab.rest("client"), "lab.rest needs a plain client"),
    ("run_fresh", "strange", lambda x, r: lab.run_fresh("1 / 0")),
    ("run_fresh", "strange", lambda x, r: lab.run_fresh("lab"), "NameError"),
    (
        "run_fresh",
        "strange",
        lambda x, r: lab.run_fresh("print(5); raise SystemExit"),
        "without a word",
    ),
    ("run_fresh", "strange", lambda x, r: lab.run_fresh("pass", 501), "0 to 500"),
    ("scoreboard", "words of claims", lambda x, r: Scoreboard().against(x)),
    ("spare", "text", lambda x, r: lab.spare(x)),
    ("spare", "strange", lambda x, r: lab.spare("no-such-setting 5")),
    ("spare", "strange", lambda x, r: lab.spare("maxmemory 1mb\ndaemonize yes")),
    (
        "spare",
        "strange",
        lambda x, r: lab.spare("user default on nopass ~* +@all"),
        "Duplicate user",
    ),
    ("sweep", "plain function", lambda x, r: lab.sweep(x, (1, 2))),
    ("sweep", "pair", lambda x, r: lab.sweep(works, x and ("1", "2"))),
    ("sweep", "sizes", lambda x, r: lab.sweep(works, x), "growing order"),
    (
        "sweep",
        "strange",
        lambda x, r: lab.sweep(lambda r, size: r.set("key1", size) and None, (1, 2), rounds=3),
    ),
    ("tcp", "client", lambda x, r: lab.tcp(x)),
    ("timeline", "plain function", lambda x, r: lab.timeline(x)),
    ("timeline", "sending nothing", lambda x, r: lab.timeline(lambda: None)),
]
REFUSE_NOTHING = {"calibration", "fingerprint", "trace", "Cost", "LabError", "check"}


def test_every_public_function_has_its_rows():
    assert {name for name, *_ in ROWS} | REFUSE_NOTHING >= set(lab.__all__)


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{at}" for at, row in enumerate(ROWS)])
def test_what_is_wrong_is_refused_with_advice(r, remembered, row):
    _, kind, call, *words = row
    for what, value in WRONG[kind].items():
        print(what)  # shown where it fails
        assert "".join(words) in refusal(call, value, r)


@pytest.mark.parametrize(
    "call", [lab.connect, lab.spare, lab.replica, functools.partial(lab.compare, {"one": works})]
)
def test_options_that_redis_py_does_not_take_are_refused_with_advice(call):
    for options in {"no_such_option": "secret"}, {"socket_timeout": "x"}, {"protocol": 9}:
        assert "secret" not in refusal(call, **options)


@pytest.mark.parametrize("fn", ASYNC.values(), ids=ASYNC)
def test_whatever_is_async_is_counted_and_timed(r, fn):
    assert lab.count(fn, r).round_trips == 1
    assert lab.compare({"one": fn}, rounds=1).seconds("one") > 0


def test_any_answer_to_an_exercise_gets_a_diagnosis(r, capsys, remembered):
    for answer in (5, yields, asks, *RUNS_NOTHING.values()):
        lab.check("03.1", answer)
        assert capsys.readouterr().out.startswith("03.1 not yet: ")
