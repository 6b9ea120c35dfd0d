"""How figures are written, and that nbval blanks exactly what is marked as measured."""

import pytest
from helpers import as_compared

from lab_utils import words
from lab_utils.words import duration

DURATIONS = [
    (2, "2 s"),
    (1.2345, "1.23 s"),
    (0.9999, "1 s"),
    (0.0075, "7.5 ms"),
    (0.1234, "123 ms"),
    (0.00099999, "1 ms"),
    (42e-6, "42 µs"),
    (1.5e-6, "1.5 µs"),
    (430e-9, "430 ns"),
    (1234, "1,234 s"),
    (0, "0 ns"),
    (-0.0075, "-7.5 ms"),
]


def test_durations():
    for seconds, text in DURATIONS:
        assert (words.plain_duration(seconds), duration(seconds)) == (text, f"~{text}")


def test_every_measured_duration_and_ratio_is_blanked():
    for seconds in 3e-9, 4.2e-7, 1e-6, 0.000123, 0.0075, 0.25, 1, 12.34, 1234.5, -0.001:
        assert as_compared(f"took {duration(seconds)} in all") == "took~T in all"
    for value in 0.5, 1.08, 5.23, 57.1, 1234.5:
        assert as_compared(f"is ~{words.times(value)} faster") == as_compared("is ~2.0x faster")


@pytest.mark.parametrize(
    "text",
    [
        "1 round trip   1,00{} commands",
        "38,78{} bytes sent",
        "server ~5 µs in {} reads",
        "took ~5 ms for 1{} commands",
        "~5 ms, TTL 6{}",
        "RTT {} ms",
        "[1, {}]",
        "we measured: {}",
        "the line\nmeasured: 5\nand {}",
        "this machine: a\nthis machine: b\n{}",
        "{} turns  (the machine was busy: ~23%)",
    ],
)
def test_a_fact_that_changes_is_seen(text):
    assert as_compared(text.format(3)) != as_compared(text.format(4))


def test_how_many_lines_there_are_of_what_is_measured_is_no_fact_but_another_line_is():
    assert as_compared("3\nthis machine: a") != as_compared("this machine: a")
    one, parted = "this machine: a\nthis machine: b", "this machine: a\n\nthis machine: b"
    assert as_compared(one) != as_compared(parted)
    assert as_compared("~5 engines") != as_compared("~5 wheels")


@pytest.mark.parametrize(
    "one, other",
    [
        ("server ~5 µs in ~2 reads and ~1 writes", "server ~1,234 µs in ~12 reads and ~3 writes"),
        ("measured: loop took 5 ms", "measured: pipeline, 3 of 4"),
        ("this machine: server  Redis 8.2.3", "this machine: server  Redis 7.0.15"),
        ("~12.3 MB/s, ~5%", "~1,234 MB/s, ~99.9%"),
        ("model ~1.95e+03 ms", "model ~195 ms"),
        ("model ~1.95e-05 s, then", "model ~195 s, then"),
        ("~nan x, ~inf", "~5 x, ~7"),
        (
            "loop ~3 ms  (the machine was busy: other programs took ~23% of the time, so "
            "times may be too long)",
            "loop ~3 ms",
        ),
        ("this machine: a\nthis machine: b\nand 3", "this machine: c\nand 3"),
        ("this machine: a\nthis machine: b", "this machine: c"),
        ("this machine: a\nthis machine: b\n", "this machine: c\n"),
    ],
)
def test_a_measurement_that_changes_is_not(one, other):
    assert as_compared(one) == as_compared(other)
