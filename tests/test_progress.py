"""What a long measurement says below its cell, in a kernel, and that nothing of it stays."""

from itertools import groupby

from jupyter_client.manager import KernelManager

CELL = """
import os, time
from lab_utils.scale import SCALES
from lab_utils.timing.rounds import progress
tries = ("workshop", 60, "1"), ("ci", 60, ""), ("workshop", 1, ""), ("workshop", 3, "")
for name, expected_s, os.environ["TQDM_DISABLE"] in tries:
    print(name, expected_s)
    with progress(expected_s, SCALES[name]):
        time.sleep(0.3)
"""


def test_words_where_one_waits(tmp_path):
    messages = []
    # by files: a free port may be another test's when the kernel comes to it
    manager = KernelManager(transport="ipc", ip=str(tmp_path / "kernel"))
    manager.start_kernel()
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        client.execute_interactive(CELL, output_hook=messages.append, timeout=60)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    shown = [each for each in messages if "data" in each["content"] or "text" in each["content"]]
    # nothing but plain text on stdout, until the one that waits
    kinds = [kind for kind, _ in groupby(each["msg_type"] for each in shown)]
    assert kinds == ["stream", "display_data", "update_display_data"]
    assert {each["content"].get("name") for each in shown} == {"stdout", None}
    data = [each["content"]["data"] for each in shown if "data" in each["content"]]
    assert data == [{"text/plain": "measuring, about 3 s"}, {}]
