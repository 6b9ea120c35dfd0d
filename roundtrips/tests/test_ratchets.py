"""A ratchet: what has grown, by how much it may, and files that are none."""

import os
from collections import Counter
from types import SimpleNamespace

import pytest

from roundtrips import RoundTripsError, ratchets, trace
from roundtrips.callsites import CallSite
from roundtrips.config import Settings
from roundtrips.functions import function_at

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = """
class View:
    def show(self):
        return [r.get(key) for key in "ab"]

    def edit(self):
        def inner():
            r.get("a")
        inner()

r.get("b")
"""


def test_it_does_not_hang_on_lines_keys_or_the_length_of_a_pipeline(r):
    def page(number):
        pipe = r.pipeline(transaction=False)
        for user in range(number):
            pipe.get(f"user:{user}")
        pipe.execute()
        r.get("user:ann" if number % 2 else "user:bob")

    states = []
    for number in (3, 4):
        with trace() as t:
            page(number)
        states.append(ratchets.state_of(t, HERE))
    assert states[0] == states[1]
    assert {(file, what): number for (file, _, what), number in states[0].items()} == {
        ("test_ratchets.py", "pipeline"): 1, ("test_ratchets.py", "GET"): 1,
    }  # fmt: skip
    ignoring = Settings(ignore=("test_ratchets.py:page",), folder=HERE)
    assert ratchets.state_of(t, HERE, ignoring) == Counter()


@pytest.mark.parametrize("line, names, function", [
    (4, ("View.show.<locals>.<listcomp>", "<listcomp>", "View.show"), "View.show"),
    (8, ("View.edit.<locals>.inner", "inner"), "View.edit.<locals>.inner"),
    (11, ("<module>",), "<module>"),
])  # fmt: skip
def test_a_function_has_one_name_on_every_python(tmp_path, line, names, function):
    """As a frame it has others: in 3.10, in 3.11, and from 3.12 on."""
    (tmp_path / "pages.py").write_text(CODE)
    for name in names:
        site = CallSite(str(tmp_path / "pages.py"), line, name)
        made = SimpleNamespace(site=site, setup=False, label="GET", names=["GET"], round_trips=1)
        state = ratchets.state_of(SimpleNamespace(call_sites=[made]), str(tmp_path))
        assert list(state) == [("pages.py", function, "GET")]
    assert function_at(CallSite("<string>", 3, "made")) == "made"


def test_what_is_new_has_grown():
    before = Counter({("a.py", "f", "GET"): 2})
    after = Counter(
        {("a.py", "f", "GET"): 1, ("a.py", "<module>", "SET"): 1, ("b.py", "C.g", "set-up"): 30}
    )
    assert ratchets.worse(before, after) == [
        "b.py in g: set-up: 0 → 30 round trips", "a.py in <module>: SET: 0 → 1 round trip",
    ]  # fmt: skip
    assert ratchets.better(before, after) == 1
    assert ratchets.worse(after, after) == [] and ratchets.better(after, after) == 0


@pytest.mark.parametrize("tolerance, most", [(None, 10), (1, 11), ("2", 12), ("10%", 11)])
def test_a_call_site_may_grow_by_the_tolerance(tolerance, most):
    site = ("app.py", "show", "EXISTS")
    assert not ratchets.worse(Counter({site: 10}), Counter({site: most}), tolerance)
    assert ratchets.worse(Counter({site: 10}), Counter({site: most + 1}), tolerance)


@pytest.mark.parametrize("tolerance", ["-1", "ten", "1.5", "%", ""])
def test_a_tolerance_is_a_number_or_a_share(tolerance):
    with pytest.raises(RoundTripsError, match="10%"):
        ratchets.most(0, tolerance)


@pytest.mark.parametrize("text, says", [
    ('{"ratchet": 1, "call_sites": []}', r"format 1, .* reads 2\. Run again with --accept"),
    ("[]", "is no ratchet"), ('{"ratchet": 2, "call_sites": [{}]}', "is no ratchet"),
    ("[" * 200_000, "is no ratchet"), ("", "is no ratchet"),
])  # fmt: skip
def test_what_is_no_ratchet_is_refused(tmp_path, text, says):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(RoundTripsError, match=says):
        ratchets.read(str(path))
