"""Random programs: what a proxy counts, and what each step's own tally says.

Whatever such a program does, no part of the report may fail. Each program that ever failed is kept
in `kept_programs`, and run always. PROGRAMS says how many are made up.
"""

import json
import os
from collections import Counter

import pytest
from hypothesis import HealthCheck, assume, given, settings

from kept_programs import KEPT
from programs import Run, programs
from proxy import SET_UP, is_work
from roundtrips import recorder, redis_py
from test_secrets import outputs

MANY = int(os.environ.get("PROGRAMS", "100"))


def check(program, proxy):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(recorder, "BATCH", program.get("batch", 1_000))
        run = Run(program, proxy).play()
    trace = run.blocks[0].tracing.trace
    check_against_the_proxy(run, trace)
    assert trace.uncounted == []
    for block in run.blocks:
        t = block.tracing.trace
        if run.modelled:
            assert t.commands == sum(map(Counter, block.tally), Counter())
            assert t.round_trips == len(block.tally)
        made = dict(outputs(t))
        assert all(text for name, text in made.items() if name != "workflow")
        assert "roundtrips failed" not in "".join(made.values())
        assert t.seconds_at(1) >= 0
    assert not redis_py.open_recorders and not redis_py.replaced


def check_against_the_proxy(run, trace):
    seen = run.seen
    log = trace.log
    unread = [turn for turn in seen.turns if turn.names == ["UNSUBSCRIBE"]][: run.unread]
    commands = sum((Counter(turn.names) for turn in seen.turns), Counter())
    commands -= Counter({"UNSUBSCRIBE": len(unread)})
    assert sum((Counter(each.names) for each in log), Counter()) == commands
    sent = seen.sent - sum(each.size for each in unread)
    assert sum(each.bytes_sent for each in log) == sent
    received = sum(each.bytes_received for each in log)
    if run.unread_bytes or "UnicodeDecodeError" in run.failures:
        assert received <= seen.received
    else:
        assert received == seen.received
    if run.exact:
        setting_up = SET_UP | ({"PING"} if run.program["client"].get("health") else set())
        work = sum(is_work(each.names, setting_up) for each in log)
        assert work == seen.work(setting_up) - len(unread)
    assert trace.round_trips + trace.setup_trips == len(log)


@given(program=programs())
@settings(
    max_examples=MANY, deadline=None, derandomize=MANY <= 100, database=None, print_blob=False,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_random_programs(shared_proxy, program):
    # On a connection that was killed, whether the proxy still hears what is written before a task
    # is cancelled is a matter of the moment.
    assume(not {"kill", "cancel"} <= {step[0] for step in program["steps"]})
    check(json.loads(json.dumps(program)), shared_proxy)


@pytest.mark.parametrize("number", range(len(KEPT)))
def test_programs_that_failed_once(shared_proxy, number):
    check(KEPT[number], shared_proxy)
