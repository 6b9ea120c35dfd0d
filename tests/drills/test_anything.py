"""Anything at all, handed to every public function: an error of ours, or a result.

Never a raw error, and redis-py as it was. Only what would wait, or start programs, is left out of
the values: a huge number of rounds is no mistake.
"""

import contextlib
import inspect
import io
import warnings

import matplotlib.pyplot
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tries import SEED, tries

import lab_utils as lab
from roundtrips import RoundTripsError, redis_py

OURS = lab.LabError, RoundTripsError
TAKES_NOTHING = {"calibration", "fingerprint", "retrial", "cluster", "Cost", "LabError"}
TOO_SLOW = {"spare", "replica", "run_fresh"}  # they start programs; test_arguments has their rows
NAMES = sorted(set(lab.__all__) - TAKES_NOTHING - TOO_SLOW)


async def asks(r):
    await r.get("key")


def yields(r):
    yield r.get("key")


def gets(r, *_):
    return r.get("key")


def sets(r, *_):
    return r.set("key", "value")


def client():
    return lab.connect()


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-3, 3)
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.sampled_from([float("nan"), float("inf"), -float("inf")])
    | st.sampled_from(["loop", "A1", "03.1", "GET", "ms", ..., 1j, object(), dict, 10**30])
)
WORKS = st.sampled_from(
    [gets, sets, asks, yields, client, lambda r: None, lambda r: asks(r), lambda r: yields(r)]
)
CLIENTS = st.builds(client) | st.builds(lambda: client().pipeline())
SIMPLE = SCALARS | WORKS | CLIENTS | st.builds(lambda: asks(None)) | st.builds(lambda: yields(None))
NAMED = st.text(max_size=3) | st.integers(0, 3)
VALUES = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(NAMED, inner, max_size=3)
    ),
    max_leaves=4,
)
# What fits, so that a call gets past its first argument.
FITTING = {
    "fn": WORKS,
    "client": CLIENTS,
    "name": st.sampled_from(["01.cart", "A1", "03.1"]),
    "variants": st.dictionaries(st.sampled_from("ab"), WORKS),
    "ways": st.dictionaries(st.sampled_from("ab"), WORKS, min_size=1),
    "rtt_ms": st.sampled_from([0, 0.1]),
    "rounds": st.just(1),
    "seconds": st.just(0.01),
    "sizes": st.just((1, 2)),
    "title": st.just("title"),
    "unit": st.just("ms"),
    "what": st.just("a"),
    "values": st.just({"a": 1}),
    "groups": st.just({"a": {"b": 1}}),
    "series": st.just({"a": {1: 2}}),
    "published": st.just({"a": 1}),
    "reproduced": st.just({"a": 2}),
}
FIXED = {"compare": {"rounds": 1}, "sweep": {"rounds": 1}}  # each would measure long


def arguments(name):
    """A call of a public function: some arguments fit, some are anything; defaults may be left."""
    needed, optional = {}, {}
    for parameter in inspect.signature(getattr(lab, name)).parameters.values():
        several = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if not several and parameter.name not in FIXED.get(name, {}):
            drawn = optional if parameter.default is not parameter.empty else needed
            drawn[parameter.name] = VALUES | FITTING.get(parameter.name, st.nothing())
    return st.fixed_dictionaries(needed, optional=optional)


@pytest.mark.parametrize("name", NAMES)
def test_anything_at_all(name, r, remembered, record_property):
    number = tries(400)
    record_property("tries", number)

    @seed(SEED)
    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(arguments(name))
    def anything(arguments):
        quiet = contextlib.redirect_stdout(io.StringIO())
        with warnings.catch_warnings(), quiet, contextlib.suppress(*OURS):
            warnings.simplefilter("ignore")  # a coroutine made for nothing, a letter no font has
            try:
                getattr(lab, name)(**arguments, **FIXED.get(name, {}))
            finally:
                matplotlib.pyplot.close("all")
        assert not redis_py.open_recorders and not redis_py.replaced

    anything()
