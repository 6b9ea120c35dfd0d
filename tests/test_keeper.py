"""What the lab started ends with the kernel: killed, beside a child, behind a script, stopped."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from helpers import GONE_S, refusal, running, wait_until

import lab_utils as lab
from lab_utils.testbed import chosen_server, private_server
from lab_utils.testbed.keeper import Kept

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


@pytest.fixture
def kernel(tmp_path):
    """kernel(script): (process, what it says in its first line), its temporary folder empty."""
    started = []

    def start(script, **environment):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            env={**os.environ, "TMPDIR": str(tmp_path), **environment},
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process, process.stdout.readline().split()

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):  # it has ended, with all its group
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def gone(pid, folder):
    return wait_until(lambda: not running(pid) and not list(folder.iterdir()), GONE_S)


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
    assert gone(int(pid), tmp_path)


def test_a_server_behind_a_script_ends_too(kernel, tmp_path_factory, tmp_path):
    script = tmp_path_factory.mktemp("bin") / "redis-server"
    binary = shlex.quote(private_server.find_binary())
    script.write_text(f'#!/bin/sh\n{binary} "$@"\nexit\n', encoding="utf-8")
    script.chmod(0o755)
    process, [pid] = kernel(SPARE.format(meanwhile="pass"), LAB_REDIS_SERVER=str(script))
    process.kill()
    assert gone(int(pid), tmp_path)


def test_a_link_that_had_much_to_say_ends_though_a_forked_child_lives(kernel, tmp_path):
    """It must not wait for somebody to read it: the child could."""
    process, [child, link] = kernel("""
        import os, select, time
        import lab_utils as lab
        from lab_utils.testbed.link import link
        far = lab.connect(1)
        link().ask("record")
        far.set("big", "x" * 20_000_000)
        os.write(link().requests, b'{"do": "recorded"}\\n')
        select.select([link().said], (), ())
        child = os.fork() or time.sleep(60)
        print(child, link().pid, flush=True)
        time.sleep(60)
    """)
    process.kill()
    assert wait_until(lambda: not running(int(link)), GONE_S)
    assert running(int(child))
    os.kill(int(child), signal.SIGKILL)


@pytest.mark.parametrize("at", ["mkdir", "rm"])
@pytest.mark.parametrize("what", ["kill -9 $KERNEL", "kill -TERM 0"])
def test_dying_while_a_folder_is_made_or_removed(kernel, tmp_path_factory, tmp_path, at, what):
    """A program in place of `mkdir` or `rm`: half way it ends the kernel, or signals its group."""
    program = tmp_path_factory.mktemp("bin") / at
    does = f'{shutil.which(at)} "$@"'
    lines = [does, what] if at == "mkdir" else [what, does]
    program.write_text("\n".join(["#!/bin/sh", *lines]), encoding="utf-8")
    program.chmod(0o755)
    process, [_] = kernel(
        """
        import os
        os.environ["KERNEL"] = str(os.getpid())
        from lab_utils.testbed.keeper import Kept
        print("ready", flush=True)
        Kept(["sleep", "60"], folder=True).stop()
    """,
        PATH=f"{program.parent}:{os.environ['PATH']}",
    )
    process.wait(30)
    assert wait_until(lambda: not list(tmp_path.iterdir()), GONE_S)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_to_all_processes_at_once_leaves_nothing(kernel, tmp_path, name):
    """A logout sends SIGTERM to the keeper too."""
    process, [keeper_pid] = kernel("""
        import signal, time
        from lab_utils.testbed import private_server
        for number in signal.SIGQUIT, signal.SIGHUP:
            signal.signal(number, signal.SIG_DFL)  # under nohup, or behind a shell's &, ignored
        started = private_server.start(private_server.find_binary())
        print(started.kept.process.pid, flush=True)
        signal.pause()
    """)
    assert running(int(keeper_pid)) and len(list(tmp_path.iterdir())) == 1
    os.killpg(int(keeper_pid), getattr(signal, name))
    process.send_signal(getattr(signal, name))
    process.wait(30)
    assert gone(int(keeper_pid), tmp_path)


def test_what_ends_by_itself_is_reaped_and_its_folder_removed():
    kept = Kept(["sh", "-c", "echo > file; read _"], folder=True, stdin=subprocess.PIPE)
    assert wait_until((Path(kept.folder) / "file").exists)
    kept.process.stdin.close()
    assert wait_until(lambda: not kept.alive(), GONE_S) and not Path(kept.folder).exists()
    kept.stop()


def test_a_server_is_started_without_a_file_that_tries_the_temporary_folder(tmp_path):
    """A kernel killed in that moment would leave it: see test_killed.py among the drills."""
    program = (
        "import os, tempfile; tempfile._get_default_tempdir = None\n"
        "import lab_utils as lab\n"
        "print(lab.spare().ping(), os.listdir(os.environ['TMPDIR']))"
    )
    said = subprocess.run(
        [sys.executable, "-c", program],
        text=True,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert re.fullmatch(r"True \['redis-round-trip-lab-\w+'\]\n", said.stdout), said.stderr


def test_stopping_twice_leaves_the_next_one_alone():
    """The number of its lifeline is another's by then."""
    first = Kept(["sleep", "60"])
    first.stop()
    second = Kept(["sleep", "60"])
    first.stop()
    assert second.alive()
    second.stop()
    assert not second.alive()


def test_a_forked_child_does_not_stop_what_is_its_parents(r):
    child = os.fork()
    if not child:
        chosen_server.server().stop()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert r.ping()


@pytest.mark.parametrize(
    "setting",
    ["DIR /tmp", "requirepass x", '"bind" 0.0.0.0', "maxmemory 1mb\ndaemonize yes", "", 5],
)
def test_settings_that_would_take_a_server_out_of_the_labs_hands(setting):
    refusal(lab.spare, setting)
