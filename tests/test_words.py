"""How figures are written, and that nbval blanks exactly what is marked as measured."""

import pytest
from helpers import as_compared

from lab_utils.words import (
    counted,
    duration,
    milliseconds,
    plain_duration,
    singular,
    three_figures,
    times,
    two_figures,
    within,
)


def test_durations():
    for seconds, text in DURATIONS:
        assert (plain_duration(seconds), duration(seconds)) == (text, f"~{text}")


DURATIONS = [
    (2, "2 s"), (1.2345, "1.23 s"), (0.9999, "1 s"), (0.0075, "7.5 ms"), (0.1234, "123 ms"),
    (0.00099999, "1 ms"), (42e-6, "42 µs"), (1.5e-6, "1.5 µs"), (430e-9, "430 ns"),
    (1234, "1,234 s"), (0, "0 ns"), (-0.0075, "-7.5 ms"),
]


def test_counts():
    assert [three_figures(value)
            for value in (1234.5, 99.96, 12.345, 0.012345, 1.0, 0.00001234, 0)] == [
        "1,234", "100", "12.3", "0.0123", "1", "0.000012", "0"]
    assert [counted(number, "round trip") for number in (0, 1, 2, 1_000)] == [
        "0 round trips", "1 round trip", "2 round trips", "1,000 round trips"]
    assert [counted(2, thing) for thing in ("reply", "key", "query")] == [
        "2 replies", "2 keys", "2 queries"]
    assert [*map(singular, ("replies", "keys", "round trips"))] == ["reply", "key", "round trip"]
    assert [two_figures(value) for value in (6.63, 0.1234, 123.4)] == ["6.6", "0.12", "120"]
    assert [*map(milliseconds, (0, 0.25, 5, 20.0, 500))] == [
        "0 ms", "0.25 ms", "5 ms", "20 ms", "500 ms"]


def test_every_measured_duration_and_ratio_is_blanked():
    for seconds in 3e-9, 4.2e-7, 1e-6, 0.000123, 0.0075, 0.25, 1, 12.34, 1234.5, -0.001:
        assert as_compared(f"took {duration(seconds)} in all") == "took~T in all"
    for value in 0.5, 1.08, 5.23, 57.1, 1234.5:
        assert as_compared(f"is ~{times(value)} faster") == as_compared("is ~2.0x faster")


@pytest.mark.parametrize("one, other", [
    ("1 round trip   1,000 commands", "1 round trip   1,001 commands"),
    ("38,780 bytes sent", "38,781 bytes sent"),
    ("server ~5 µs in 2 reads", "server ~5 µs in 3 reads"),
    ("took ~5 ms for 10 commands", "took ~5 ms for 11 commands"),
    ("~5 ms, TTL 60", "~5 ms, TTL 61"),
    ("RTT 5 ms", "RTT 6 ms"),
    ("the line\nmeasured: 5\nand 3", "the line\nmeasured: 5\nand 4"),
    ("we measured: 5", "we measured: 6"),
    ("[1, 2]", "[1, 3]"),
    ("this machine: a\nthis machine: b\n3", "this machine: a\nthis machine: b\n4"),
    ("3\nthis machine: a", "this machine: a"),
    ("this machine: a\n\nthis machine: b", "this machine: a\nthis machine: b"),
    ("~5 engines", "~5 wheels"),
    ("3 turns  (the machine was busy: ~23%)", "4 turns"),
])
def test_a_fact_that_changes_is_seen(one, other):
    assert as_compared(one) != as_compared(other)


@pytest.mark.parametrize("one, other", [
    ("server ~5 µs in ~2 reads and ~1 writes", "server ~1,234 µs in ~12 reads and ~3 writes"),
    ("measured: loop took 5 ms", "measured: pipeline, 3 of 4"),
    ("this machine: server  Redis 8.2.3", "this machine: server  Redis 7.0.15"),
    ("~12.3 MB/s, ~5%", "~1,234 MB/s, ~99.9%"),
    ("model ~1.95e+03 ms", "model ~195 ms"),
    ("model ~1.95e-05 s, then", "model ~195 s, then"),
    ("~nan x, ~inf", "~5 x, ~7"),
    ("loop ~3 ms  (the machine was busy: other programs took ~23% of the time, ~3 of ~40 "
     "rounds were quiet)", "loop ~3 ms"),
    ("this machine: a\nthis machine: b\nand 3", "this machine: c\nand 3"),
    ("this machine: a\nthis machine: b", "this machine: c"),
    ("this machine: a\nthis machine: b\n", "this machine: c\n"),
])
def test_a_measurement_that_changes_is_not(one, other):
    assert as_compared(one) == as_compared(other)


def test_how_far_off():
    assert [within(factor) for factor in (1, 1.04, 1.041, 1.1, 2.34)] == [
        "within 0%", "within 4%", "within 5%", "within 1.10x", "within 2.3x"]
