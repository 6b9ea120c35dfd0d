"""The model, fitted at RTT 0: what does it say of other distances, and what is measured there?"""

import statistics

import lab_utils as lab

from .row import Row

RTTS = (0.25, 1, 5)
BATCHES = (1, 10, 100, 1_000)
MEDIAN_AIM, WORST_AIM = 0.03, 0.1


def rows():
    errors = {}  # (command, RTT, batch) -> predicted over measured - 1
    for command in ("SET", "GET"):
        model = lab.fit_model(command)
        variants = {str(size): batch(command, size) for size in BATCHES}
        times = lab.compare(variants, rtt_ms=RTTS, same=False)
        for rtt in RTTS:
            for size in BATCHES:
                predicted, measured = model.seconds(1, size, rtt), times.seconds(str(size), rtt)
                errors[command, rtt, size] = predicted / measured - 1
    typical = statistics.median(map(abs, errors.values()))
    (command, rtt, size), worst = max(errors.items(), key=lambda item: abs(item[1]))
    cases = f"{len(RTTS)} RTTs × {len(BATCHES)} batches × SET, GET"
    yield Row(
        "model: error of the prediction, median",
        f"{typical:.1%}",
        f"measured: {cases}",
        f"{MEDIAN_AIM:.0%}",
        typical <= MEDIAN_AIM,
    )
    yield Row(
        "model: error of the prediction, worst",
        f"{worst:+.1%}",
        f"measured: {command}, {rtt:g} ms, batch of {size:,}",
        f"{WORST_AIM:.0%}",
        abs(worst) <= WORST_AIM,
    )


def batch(command, size):
    """Return a function that sends `size` commands: a pipeline, or for one command a plain call."""

    def one(r):
        call(r, command, 0)

    def many(r):
        pipe = r.pipeline(transaction=False)
        for i in range(size):
            call(pipe, command, i)
        pipe.execute()

    return one if size == 1 else many


def call(r, command, i):
    if command == "SET":
        r.set(f"key{i}", f"value{i}")
    else:
        r.get(f"key{i}")
