"""A ratchet: what has grown, by how much it may, and files that are none."""

import os
import threading
from collections import Counter

import pytest

from roundtrips import RoundTripsError, ratchets, trace
from roundtrips.config import Settings

HERE = os.path.dirname(os.path.abspath(__file__))


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


@pytest.mark.parametrize("tolerance, number, grows", [
    (0, 11, True), (1, 11, False), ("2", 12, False), ("2", 13, True), ("10%", 11, False),
    ("10%", 12, True),
])  # fmt: skip
def test_a_call_site_may_grow_by_the_tolerance(tolerance, number, grows):
    site = ("app.py", "show", "EXISTS")
    grown = ratchets.worse(Counter({site: 10}), Counter({site: number}), tolerance)
    assert grown == ([f"app.py in show: EXISTS: 10 → {number} round trips"] if grows else [])


@pytest.mark.parametrize("tolerance", ["-1", "ten", "1.5", "%", ""])
def test_a_tolerance_is_a_number_or_a_share(tolerance):
    with pytest.raises(RoundTripsError, match="10%"):
        ratchets.tolerance_of(tolerance)


def test_it_is_written_and_read_again(tmp_path):
    path, state = str(tmp_path / "r.json"), Counter({("a.py", "f", "GET"): 2})
    ratchets.write(path, state)
    assert ratchets.read(path) == state and os.listdir(tmp_path) == ["r.json"]


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


def test_what_is_no_plain_file_is_written_and_not_replaced(tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    ratchets.refuse_others(str(pipe))  # does not wait for somebody who writes
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listener.start()
    ratchets.write(str(pipe), Counter())
    listener.join(30)
    assert pipe.is_fifo() and '"call_sites": []' in heard[0] and list(tmp_path.iterdir()) == [pipe]
