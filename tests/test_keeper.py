"""What the lab started ends with the kernel: killed, beside a child, or stopped."""

import os

import pytest
from helpers import GONE_S, running, wait_until

import lab_utils as lab
from lab_utils.testbed import chosen_server

SPARE = """
    import os
    import signal
    import sys
    import time

    import lab_utils as lab

    pid = lab.spare().info("server")["process_id"]
    {meanwhile}
    print(pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "meanwhile",
    [
        "os.fork() or time.sleep(61)",
        "os.fork() or os.execv('/bin/sleep', ['sleep', '61'])",
        "os.kill(pid, signal.SIGSTOP)",
    ],
    ids=["a forked child lives", "a program lives", "it stands still"],
)
def test_a_killed_kernel_leaves_nothing(kernel, tmp_path, meanwhile):
    process, [pid] = kernel(SPARE.format(meanwhile=meanwhile))
    assert running(int(pid)) and len(list(tmp_path.iterdir())) == 1
    process.kill()
    assert wait_until(lambda: not running(int(pid)) and not list(tmp_path.iterdir()), GONE_S)


def test_a_forked_child_does_not_stop_what_is_its_parents(r):
    child = os.fork()
    if not child:
        chosen_server.server().stop()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert r.ping()


def test_settings_leave_address_and_password_to_the_lab():
    taken = lab.spare('"bind" 0.0.0.0', "port 1", "requirepass x", "daemonize yes", "logfile x")
    assert taken.config_get("bind") == {"bind": "127.0.0.1"}
    assert taken.config_get("requirepass") != {"requirepass": "x"}
