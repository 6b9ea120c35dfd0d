"""Slow start, silence and loss: when what is sent leaves, as Linux' TCP has it."""

import itertools
import math

import pytest

import lab_utils as lab
from lab_utils.model import Model, trips
from lab_utils.testbed._link_process import Network, Window

RTT_S = 0.02
TIMEOUT_S = RTT_S + 0.2


def leave(window, at, size):
    """Return at which times `size` bytes leave a Window, sorted, in RTTs after `at`.

    The bytes come to the window all at once, at `at` seconds. It decides how many may be on their
    way.
    """
    parts = list(window.departures(at, size, RTT_S))
    assert sum(part for _, part in parts) == size
    return sorted({round((left - at) / RTT_S, 3) for left, _ in parts})


@pytest.mark.parametrize("size", [1, 14_480, 14_481, 43_440, 101_360, 10**6, 5 * 10**6])
def test_a_new_connection_doubles_what_is_on_its_way_every_rtt(size):
    """The link and the law that chapters teach say the same of any number of bytes."""
    assert leave(Window(), 5, size) == list(range(trips(size)))


def test_the_law_in_the_numbers_that_one_remembers():
    remembered_kb = (14, 43, 101, 217, 448, 912)
    assert [trips(1_000 * kb) for kb in remembered_kb] == [1, 2, 3, 4, 5, 6]
    assert [trips(1_000 * (kb + 1)) for kb in remembered_kb] == [2, 3, 4, 5, 6, 7]
    assert trips(0) == 1


def test_a_model_takes_the_bytes_in():
    model = Model(turn_s=0, command_s=0)
    rtt_ms = 20
    assert model.seconds(1, 1, rtt_ms, received=100_000) == pytest.approx(3 * RTT_S)
    assert model.seconds(1, 1, rtt_ms, sent=30_000, received=100_000) == pytest.approx(4 * RTT_S)
    # The replies of a pipeline flow while its requests still do.
    assert model.seconds(1, 9, rtt_ms, sent=30_000, received=100_000) == pytest.approx(3 * RTT_S)
    # Only the first turn finds the connection silent.
    assert lab.predict(5, 5, rtt_ms, model, received=30_000) == pytest.approx(6 * RTT_S)


def test_a_window_stays_open_in_use_and_is_halved_for_each_timeout_of_silence():
    for silent_s, expected in ((0.02, 1), (0.21, 1), (0.45, 2), (0.7, 3), (10, 7)):
        window = Window()
        at = 0
        for _ in range(3):
            at += RTT_S * len(leave(window, at, 1_000_000))
        at += silent_s - RTT_S  # since the last of it left
        assert len(leave(window, at, 1_000_000)) == expected, silent_s


@pytest.mark.parametrize(("gap_s", "open_still"), [(0.05, True), (0.19, True), (0.3, False)])
def test_small_messages_neither_wait_nor_widen_a_window_and_keep_a_wide_one_open(gap_s, open_still):
    # Linux 6.18 with cubic did the same, 20 ms away: after three seconds with a small GET each 50
    # or 190 ms the window was still open, with one each 300 ms it was not.
    window = Window()
    at = 0
    for _ in range(100):
        assert leave(window, at, 30) == [0]
        at += 0.021
    for _ in range(3):
        last = len(leave(window, at, 1_000_000))
        at += RTT_S * last
    assert last == 1
    for _ in range(60):
        at += gap_s
        assert leave(window, at, 30) == [0]
    assert (leave(window, at + gap_s, 1_000_000) == [0]) == open_still


def test_small_messages_that_wait_leave_in_one_segment():
    """As in Linux, eleven small messages without a wait take two round trips, and so do 300."""
    for messages, expected in ((10, [0]), (11, [0, 1]), (300, [0, 1])):
        window = Window()
        left = [leave(window, 5, 6) for _ in range(messages)]
        assert sorted({at for each in left for at in each}) == expected


def losing(*lost):
    """Return a Network that loses the segments numbered `lost`, from 0, and no others."""
    places = itertools.count()
    return Network(loss=0.5, chance=lambda: 0.0 if next(places) in lost else 1.0)


def test_a_lost_segment_comes_a_round_trip_later_if_another_follows_it():
    network = losing(3)
    [(left, size)] = Window(network).departures(5, 14_480, RTT_S)
    assert (left - 5, size) == (pytest.approx(RTT_S), 14_480)
    assert (network.sent_again, network.stalls) == (1, 0)


@pytest.mark.parametrize(("times", "timeouts"), [(1, 1), (2, 1 + 2), (3, 1 + 2 + 4)])
def test_the_last_segment_waits_for_a_timeout_and_each_further_one_is_twice_as_long(
    times, timeouts
):
    network = losing(*range(times))
    [(left, _)] = Window(network).departures(5, 100, RTT_S)
    assert left - 5 == pytest.approx(timeouts * TIMEOUT_S)
    assert (network.sent_again, network.stalls) == (times, times)


def test_nothing_overtakes_what_was_lost():
    window = Window(losing(0))
    [(first, _)] = window.departures(5, 100, RTT_S)
    [(second, _)] = window.departures(5.001, 100, RTT_S)
    assert first == second == pytest.approx(5 + TIMEOUT_S)


def test_a_loss_shrinks_the_window_and_it_no_longer_doubles():
    network = losing(0)
    window = Window(network)
    took = leave(window, 5, 1_000_000)
    assert math.ceil(max(took)) > 3 * trips(1_000_000)


@pytest.mark.parametrize("kb", [1, 14, 30, 100, 200, 300])
def test_new_and_rested_connections_wait_as_the_law_says_and_those_in_use_do_not(kb):
    value = "x" * 1_000 * kb
    lab.connect().set("page", value)
    client = lab.connect(rtt_ms=20)

    def waits(work):
        before = lab.tcp(client).window_waits
        work()
        return lab.tcp(client).window_waits - before

    for work in (lambda: client.get("page"), lambda: client.set("page", value)):
        new, in_use = waits(work), waits(work)
        lab.rest(client)
        assert [new, in_use, waits(work)] == [trips(1_000 * kb) - 1, 0, trips(1_000 * kb) - 1]


def test_without_a_distance_nothing_waits():
    assert lab.tcp(lab.connect()).window_waits == 0


def test_what_is_lost_is_counted_and_slow():
    client = lab.connect(rtt_ms=2, loss=0.2)
    for _ in range(100):
        client.ping()
    counts = lab.tcp(client)
    assert counts.sent_again >= counts.stalls > 0
    assert lab.tcp(lab.connect(rtt_ms=2)).sent_again == 0
