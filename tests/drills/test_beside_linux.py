"""The link beside Linux' own TCP, and beside the law that chapters teach of it.

The same bytes take the same time as in Linux, on new, warm and silent connections, and losses stall
as many calls. tests/drills/tcp/ has the wire between two network namespaces. What the link leaves
out is not compared: Linux' own window of the receiver, and megabytes, for which that wire is too
narrow.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

TCP = Path(__file__).with_name("tcp")
RTT_MS, ROUNDS = 20, 5
MOST_OFF = 0.10
LOSS, PINGS, STALLED_S = 0.05, 500, 0.2
LAW_OFF, LAW_MOST_OFF = 0.05, 0.15  # the median and the worst of all rows
# The law says nothing of what 300 KB cost the CPU: half of the shortest RTT, on a slow machine.
COPYING_S = 0.0025


def missing() -> str | None:
    """Return in words what this machine lacks for the comparison, or None if nothing."""
    if sys.platform != "linux" or os.geteuid():
        return "root on Linux"
    needed = {program: shutil.which(program) for program in ("cc", "ip", "setpriv")}
    needed["/dev/net/tun"] = os.path.exists("/dev/net/tun")
    return next((name for name, found in needed.items() if not found), None)


def printed_by(*arguments):
    """Run tcp/beside_linux.py with these arguments; return what it prints, decoded from JSON."""
    command = [sys.executable, TCP / "beside_linux.py", *arguments]
    return json.loads(subprocess.check_output(command, cwd=ROOT, text=True, timeout=300))


def differences(rows):
    """Print `rows`, {name: (seconds, seconds over the link)}; return {name: share of difference}.

    That share is 0.1 if the link takes 10% longer, or 10% less.
    """
    for row, (other_s, link_s) in rows.items():
        print(f"{row:28} {other_s * 1e3:6.1f} ms, link {link_s * 1e3:6.1f} ms")
    return {row: abs(link_s / other_s - 1) for row, (other_s, link_s) in rows.items()}


@pytest.mark.alone
def test_the_link_takes_what_the_law_says():
    # Not compared is what the law leaves out, as chapter 02 says.
    rows = printed_by()
    assert statistics.median(differences(rows).values()) <= LAW_OFF
    off = {
        row: (law_s, link_s)
        for row, (law_s, link_s) in rows.items()
        if abs(link_s - law_s) > max(LAW_MOST_OFF * law_s, COPYING_S)
    }
    assert off == {}


@pytest.fixture
def wire(tmp_path):
    if missing():
        pytest.skip(f"it needs {missing()}")
    program = tmp_path / "wire"
    subprocess.run(["cc", "-O2", "-o", program, TCP / "wire.c"], check=True, timeout=60)
    return program


@pytest.mark.alone
def test_a_lost_segment_stalls_as_many_calls_as_in_linux(wire):
    """A PING is one segment each way, so a loss is noticed by a timeout, as in Linux."""
    took = printed_by(wire, str(RTT_MS), str(PINGS), str(LOSS))
    stalled = {place: sum(one > STALLED_S for one in times) for place, times in took.items()}
    print(stalled)
    # Their spread over several runs is a fifth.
    assert stalled["link"] == pytest.approx(stalled["linux"], rel=0.6)
    assert min(stalled.values()) > PINGS * LOSS


@pytest.mark.alone
def test_bytes_take_what_they_take_in_linux(wire):
    off = differences(printed_by(wire, str(RTT_MS), str(ROUNDS)))
    assert {row: share for row, share in off.items() if share > MOST_OFF} == {}
