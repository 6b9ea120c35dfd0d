"""One variable swept: its knee, its memory, and the same work at every size."""

import random

import pytest

import lab_utils as lab
from lab_utils.timing.comparison import Comparison
from lab_utils.timing.sweeps import Sweep


def batches(r, size):
    for start in range(0, 100, size):
        r.mset({f"key{i}": "x" * 100 for i in range(start, start + size)})


def made(seconds):
    """Return a made-up Sweep at an RTT of 1 ms; `seconds` is {size: seconds, or a list of them}."""
    samples = {
        (str(size), 1): rounds if isinstance(rounds, list) else [rounds] * 9
        for size, rounds in seconds.items()
    }
    times = Comparison({str(size): None for size in seconds}, 1, samples)
    return Sweep("commands a batch", times, list(seconds), None)


@pytest.mark.alone
def test_larger_batches_wait_less_often_and_take_more_memory(r):
    swept = lab.sweep(batches, (1, 10, 100), ops=100, rtt_ms=2, rounds=5)
    assert swept.sizes == [1, 10, 100] and swept.rtt_ms == 2
    assert swept.seconds(1) > swept.seconds(10) > swept.seconds(100)
    assert swept.seconds(1) >= 100 * 0.002
    assert swept.memory is None
    swept = lab.sweep(batches, (1, 100), memory=True, rounds=3)
    assert 0 < swept.memory[1] < swept.memory[100]


@pytest.mark.parametrize(
    "seconds, knee",
    [
        ({1: 10.0, 10: 2.0, 100: 1.05, 1_000: 1.0}, 100),  # the first within 10% of the fastest
        ({1: 10.0, 10: 1.0, 100: 1.2}, 10),  # more may be slower again
        ({1: 1.0, 10: 1.0}, 1),
    ],
)
def test_the_knee(seconds, knee):
    assert made(seconds).knee() == knee


@pytest.mark.parametrize(
    "seconds", [{1: 10.0, 10: 5.0, 100: 1.0}, {10: 10.0, 100: 1.0}, {100: [0.5]}]
)
def test_the_largest_size_is_no_knee(seconds, capsys):
    """No size beyond the largest was measured, and the curve may fall further there."""
    swept = made(seconds)
    assert swept.knee() is None
    finding = (
        "At RTT 1 ms, the largest tried, 100, is the fastest: these sizes do not "
        "show where the gain ends"
    )
    assert swept.finding() == swept.plot().get_suptitle().replace("\n", " ") == finding
    assert "knee" not in capsys.readouterr().out


def named(truth, rounds, noise):
    """Return {size: the share of 1,000 made-up sweeps whose knee it was, 0 to 1}.

    The key None is for sweeps without a knee. `truth` is {size: true seconds}. Each size has
    `rounds` samples, each off at random by about `noise`, a share such as 0.1.
    """
    chance, found = random.Random(f"{truth}{rounds}{noise}"), []
    for _ in range(1_000):
        found.append(
            made(
                {
                    size: [seconds * chance.lognormvariate(0, noise) for _ in range(rounds)]
                    for size, seconds in truth.items()
                }
            ).knee()
        )
    return {knee: found.count(knee) / len(found) for knee in found}


@pytest.mark.parametrize(
    "rounds, noise", [(1, 0.1), (3, 0.1), (3, 0.2), (5, 0.2), (9, 0.1), (25, 0.1), (25, 0.2)]
)
def test_noise_never_makes_a_knee(rounds, noise):
    """A size that is truly 25% slower than the best is the knee of fewer than 1% of sweeps."""
    assert named({10: 1.25, 100: 1.0, 1_000: 1.0}, rounds, noise).get(10, 0) < 0.01


def test_little_noise_shows_the_knee_and_rounds_that_do_not_are_none(capsys):
    assert named({10: 1.25, 100: 1.0, 1_000: 1.02}, rounds=25, noise=0.05)[100] > 0.9
    assert named({10: 1.25, 100: 1.0, 1_000: 1.0}, rounds=3, noise=0.01)[100] > 0.9
    noisy = made({1: [1.0, 2.0, 3.0], 10: [1.1, 1.9, 3.1]})
    assert noisy.knee() is None
    assert (
        noisy.finding()
        == noisy.plot().get_suptitle().replace("\n", " ")
        == ("At RTT 1 ms, these rounds do not show from which size on there is little left to gain")
    )
    assert capsys.readouterr().out == "measured: RTT 1 ms: no knee shown, 1.9 s at 10, 2 s at 1\n"
    assert made({1: 10.0, 10: 1.0, 100: 1.0}).finding() == (
        "At RTT 1 ms, beyond 10 commands a batch there is little left to gain"
    )
