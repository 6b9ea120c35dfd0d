"""One variable swept: its knee, its memory, and the same work at every size."""

import pytest
from helpers import refusal

import lab_utils as lab
from lab_utils.sweep import Sweep
from lab_utils.timing import Comparison


def batches(r, size):
    for start in range(0, 100, size):
        pipe = r.pipeline(transaction=False)
        for i in range(start, start + size):
            pipe.set(f"key{i}", "x" * 100)
        pipe.execute()


def made(seconds):
    """A Sweep with given times: {size: seconds} at RTT 1."""
    samples = {(str(size), 1): [s] for size, s in seconds.items()}
    return Sweep("commands a batch", Comparison({str(size): None for size in seconds}, 1, samples, None, None), seconds, None)


def test_larger_batches_wait_less_often(r):
    swept = lab.sweep(batches, (1, 10, 100), ops=100, rtt_ms=(0, 2), rounds=3)
    assert swept.sizes == [1, 10, 100] and swept.rtts == [0, 2]
    assert swept.seconds(1, 2) > swept.seconds(10, 2) > swept.seconds(100, 2)
    assert swept.seconds(1, 2) >= 0.9 * 100 * 0.002
    assert swept.memory is None


def test_memory_grows_with_the_batch(r):
    swept = lab.sweep(batches, (1, 100), memory=True, rounds=3)
    assert 0 < swept.memory[1] < swept.memory[100]


@pytest.mark.parametrize("seconds, knee", [
    ({1: 10.0, 10: 2.0, 100: 1.05, 1_000: 1.0}, 100),  # the first within 10% of the fastest
    ({1: 10.0, 10: 1.0, 100: 1.2}, 10),  # more may be slower again
    ({1: 1.0, 10: 1.0}, 1),
    ({1: 10.0, 10: 5.0, 100: 1.0}, 100),
])
def test_the_knee(seconds, knee):
    assert made(seconds).knee() == knee


@pytest.mark.parametrize("sizes", [(), (10, 1), (1, 1, 10)])
def test_sizes_that_are_no_sweep(r, sizes):
    assert "growing order" in refusal(lab.sweep, batches, sizes)


def test_sizes_that_do_not_do_the_same_work(r):
    refusal(lab.sweep, lambda r, size: r.set("key1", size) and None, (1, 2), rounds=3)
