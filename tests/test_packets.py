"""Packets: whatever is installed, and whatever it captures, nbval compares the same line."""

import os
import subprocess

import pytest
from helpers import as_compared

from chapter_helpers import packets as module
from chapter_helpers.packets import packets

NOTHING = "#!/bin/sh\nexit 1\n"
LISTENS = "#!/bin/sh\necho 'tcpdump: listening on any' >&2\nexec sleep 60\n"
REFUSES = '#!/bin/sh\necho "tcpdump: any: You don\'t have permission" >&2\nexit 1\n'
HANGS = "#!/bin/sh\nexec sleep 60\n"
READS = "#!/bin/sh\nfor row in 0 1 2 3 4 5 6 7 8; do echo $row 0.0 6379 5 RESP Response: OK; done\n"


def sets(client):
    client.set("key1", "value1")
    client.set("key2", "value2")


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """tools(tcpdump=script, tshark=script): of the two, only those are on PATH."""

    def place(**scripts):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for name in ("sh", "sleep"):
            (folder / name).symlink_to(module.shutil.which(name))
        for name, script in scripts.items():
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", str(folder))

    return place


@pytest.mark.parametrize(
    "scripts, found",
    [
        ({}, "tcpdump and tshark not installed"),
        ({"tcpdump": REFUSES, "tshark": NOTHING}, "tcpdump may not listen"),
        ({"tcpdump": HANGS, "tshark": NOTHING}, "tcpdump may not listen"),
        ({"tcpdump": LISTENS, "tshark": NOTHING}, "tshark read no packet"),
        ({"tcpdump": LISTENS, "tshark": READS}, "8   0.0   6379  5      RESP      Response: OK"),
    ],
)
def test_what_nbval_compares_is_always_the_same(r, tools, monkeypatch, scripts, found):
    monkeypatch.setattr(module, "READY_S", 0.5 if HANGS in scripts.values() else 60)
    monkeypatch.setattr(module, "FLUSH_S", 0)
    tools(**scripts)
    told = packets(sets)
    assert found in told
    assert as_compared(told + "\n") == as_compared("this machine: anything\n")
    expected = b"value2" if scripts.get("tcpdump") == LISTENS and "tshark" in scripts else None
    assert r.get("key2") == expected


def test_nothing_is_left_running_when_the_code_fails(r, tools):
    tools(tcpdump=LISTENS, tshark=NOTHING)
    with pytest.raises(ZeroDivisionError):
        packets(lambda client: 1 / 0)
    left = subprocess.run(
        ["/bin/ps", "-o", "args=", "--ppid", str(os.getpid())], capture_output=True, text=True
    ).stdout
    assert "sleep 60" not in left
