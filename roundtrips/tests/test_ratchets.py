"""A ratchet: what has grown, by how much it may, and files that are none."""

import os
from collections import Counter

import pytest

from roundtrips import RoundTripsError, ratchets, trace
from roundtrips.callsites import CallSite
from roundtrips.config import Settings

HERE = os.path.dirname(os.path.abspath(__file__))


def test_it_does_not_hang_on_lines_keys_or_the_length_of_a_pipeline(r):
    states = []
    for number in (3, 4):
        with trace() as t:
            pipe = r.pipeline(transaction=False)
            for user in range(number):
                pipe.get(f"user:{user}")
            pipe.execute()
            r.get("user:ann" if number % 2 else "user:bob")
        states.append(ratchets.state_of(t, HERE))
    function = "test_it_does_not_hang_on_lines_keys_or_the_length_of_a_pipeline"
    place = "test_ratchets.py", function
    assert states[0] == states[1] == {(*place, "pipeline"): 1, (*place, "GET"): 1}
    ignoring = Settings(ignore=(":".join(place),), folder=HERE)
    assert ratchets.state_of(t, HERE, ignoring) == Counter()


@pytest.mark.parametrize("name, outer", [
    ("View.show.<locals>.<listcomp>", "View.show"), ("View.show", "View.show"),
    ("View.edit.<locals>.inner", "View.edit.<locals>.inner"), ("<module>", "<module>"),
    ("<genexpr>", "<module>"), ("f.<locals>.<lambda>.<locals>.<genexpr>", "f"),
])  # fmt: skip
def test_a_function_has_one_name_whether_or_not_comprehensions_are_frames(name, outer):
    assert CallSite("pages.py", 1, name).outer == outer


@pytest.mark.parametrize("tolerance", ["-1", "ten", "1.5", "%", ""])
def test_a_tolerance_is_a_number_or_a_share(tolerance):
    with pytest.raises(RoundTripsError, match="10%"):
        ratchets.most(0, tolerance)


@pytest.mark.parametrize("text, by, says", [
    ("[]", "pytest", "is no ratchet"), ('{"call_sites": []}', "pytest", "is no ratchet"),
    ('{"ratchet": 2, "call_sites": [{}]}', "roundtrips", "is no ratchet"),
    ("", "pytest", "is no ratchet"),
    ('{"ratchet": 2, "call_sites": [{"sends": "test"}]}', "roundtrips", "of a run of pytest. Name"),
    ('{"ratchet": 2, "call_sites": [{"sends": "GET"}]}', "pytest", "of a command. Name another"),
])  # fmt: skip
def test_what_is_no_ratchet_is_refused(tmp_path, text, by, says):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(RoundTripsError, match=says):
        ratchets.read(str(path), by)
