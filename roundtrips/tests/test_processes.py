"""Other processes are counted, whatever way they begin and end; or else that is said, and fails."""

import os
import subprocess
import sys

import pytest

from roundtrips import cli, processes
from runs import ran, told

PROGRAM = """
import json, multiprocessing, os, signal, subprocess, sys, time
import redis

options = json.loads(os.environ["CLIENT"])
over, done = os.pipe()


def work(number):
    with redis.Redis(**options) as r:
        for _ in range(number):
            r.get("k")
    return number


def slow(number):
    work(number)
    os.write(done, b".")
    time.sleep(60)


def deaf(number):
    # As if SIGTERM came just before it waits: Python knows of it, and does not hear it.
    work(number)
    import ctypes, threading
    lock = multiprocessing.Lock()
    lock.acquire()
    threading.Timer(0.3, ctypes.pythonapi.PyErr_SetInterruptEx, [signal.SIGTERM]).start()
    lock.acquire()


def killed(number):
    work(number)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    mode = sys.argv[1]
    work(3)
    if mode in ("fork", "spawn", "forkserver"):  # a pool ends its workers by SIGTERM
        with multiprocessing.get_context(mode).Pool(2) as pool:
            print(sum(pool.map(work, [5] * 4, chunksize=1)))
    elif mode in ("slow", "killed", "deaf"):
        process = multiprocessing.get_context("fork").Process(target=globals()[mode], args=(5,))
        process.start()
        if mode == "slow":
            os.read(over, 1)
            process.terminate()
        process.join()
        print(process.exitcode)
    elif mode == "os.fork":
        if os.fork() == 0:
            work(20)
            print("child")
            sys.exit(3)
        print(os.wait()[1] >> 8)
    elif mode == "early":  # SIGTERM comes before the child has run anything
        child = os.fork()
        if child == 0:
            time.sleep(10)
            os._exit(0)
        os.kill(child, signal.SIGTERM)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
    elif mode == "becomes Python":
        os.spawnl(os.P_WAIT, sys.executable, sys.executable, __file__, "no")
    elif mode == "becomes":
        os.spawnlp(os.P_WAIT, "echo", "echo", "another")
    elif mode == "inner":
        subprocess.run([sys.executable, "-m", "roundtrips", __file__, "no"], check=True)
    elif mode in ("spawn twice", "spawn and sh"):
        for _ in range(2):
            process = multiprocessing.get_context("spawn").Process(target=work, args=(1,))
            process.start()
            process.join()
            if mode == "spawn twice":
                os.environ["PYTHONPATH"] = "src"
            else:
                subprocess.run(["sh", "-c", "true; true"])
    elif mode == "grandchild":
        subprocess.run([sys.executable, __file__, "os.fork"], check=True)
    elif mode == "threads":  # some hold locks while it forks
        import threading
        stop = threading.Event()
        def loop():
            while not stop.is_set():
                work(1)
        for _ in range(3):
            threading.Thread(target=loop).start()
        for _ in range(10):
            if os.fork() == 0:
                work(2)
                os._exit(0)
            os.wait()
        stop.set()
        print("all ended")
    elif mode == "isolated":
        subprocess.run([sys.executable, "-I", "-c", "print('child')"])
    elif mode == "other":
        subprocess.run([sys.executable, "-c", "pass"])
        subprocess.run(["sh", "-c", "true; true"])
    elif mode == "git":
        subprocess.run(["uname"], stdout=subprocess.DEVNULL)
    elif mode == "ends as":
        os.execvp("echo", ["echo", "another"])
    elif mode == "running":
        child = subprocess.Popen([sys.executable, __file__, "waits"], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdout.read(1)
    elif mode == "waits":  # until its parent is gone
        os.write(1, b".")
        sys.stdin.read()
    elif mode == "clients":
        subprocess.run([sys.executable, "-c", "import valkey"])
"""


TESTS = """
import pytest, several

@pytest.mark.parametrize("number", range(4))
def test_five(number):
    several.work(5)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("processes")
    for name in ("several.py", "multiprocessing_job.py"):
        (made / name).write_text(PROGRAM)
    (made / "valkey.py").write_text("__file__ = 'site-packages/valkey.py'")  # stands for valkey-py
    (made / "test_five.py").write_text(TESTS)
    return made


def plain(folder, server, *words):
    return ran(folder, server, "several.py", *words, by=())


@pytest.mark.parametrize("mode, number", [
    ("fork", 23), ("spawn", 23), ("forkserver", 23), ("slow", 8), ("os.fork", 23),
    ("grandchild", 26), ("becomes Python", 6), ("inner", 6),
])  # fmt: skip
def test_processes_are_counted_and_added_up(folder, server, mode, number):
    expected = plain(folder, server, mode)
    report, done = told(folder, server, "--max", str(number - 1), "several.py", mode)
    assert (done.stdout, report["status"]) == (expected.stdout, expected.returncode)
    assert (report["round_trips"], report["uncounted"]) == (number, []), done
    assert (done.returncode, report["failures"]) == (
        cli.OVER, [f"{number} round trips, {number - 1} allowed"],
    )  # fmt: skip
    assert sum(each["round_trips"] for each in report["processes"]) == number
    assert sum(each["round_trips"] for each in report["call_sites"] if not each["setup"]) == number
    if mode == "os.fork":
        assert ran(folder, server, "--max", str(number), "several.py", mode).returncode == 0


def test_a_sigterm_is_heard_as_a_worker_begins_to_wait_and_as_it_is_forked(folder, server):
    report, done = told(folder, server, "several.py", "deaf")
    assert (done.stdout, report["round_trips"], report["uncounted"]) == ("-15\n", 8, []), done
    for _ in range(2):
        assert ran(folder, server, "several.py", "early").stdout == "-15\n"


def test_the_report_has_a_line_for_each_process(folder, server):
    summary = folder / "summary.md"
    done = ran(folder, server, "--summary", "several.py", "fork", GITHUB_STEP_SUMMARY=str(summary))
    for text in (done.stderr, summary.read_text()):
        assert "By process" in text and "3 round trips  several.py (" in text
        assert "ForkPoolWorker-" in text
    assert "By process" not in ran(folder, server, "several.py", "nothing").stderr


def test_workers_of_pytest_are_counted_and_the_sum_is_judged(folder, server):
    pytest.importorskip("xdist")
    words = ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_five.py")
    report, done = told(folder, server, "--max", "19", *words)
    assert (done.returncode, report["round_trips"], report["uncounted"]) == (cli.OVER, 20, [])
    assert report["failures"] == ["20 round trips, 19 allowed"]
    assert {each["name"] for each in report["processes"]} == {"-m pytest", "gw0", "gw1"}


def test_forks_beside_threads_end_and_are_counted(folder, server):
    report, done = told(folder, server, "several.py", "threads")
    assert (done.stdout, report["uncounted"]) == ("all ended\n", [])
    forked = [each["round_trips"] for each in report["processes"][1:]]
    assert forked == [2] * 10


@pytest.mark.parametrize("mode, says", [
    ("killed", "was ended before it could tell"), ("isolated", "(python)"), ("other", "(sh)"),
    ("running", "which still runs"), ("ends as", "what echo does, which took this program's place"),
    ("becomes", "(echo)"), ("spawn twice", "(multiprocessing)"), ("spawn and sh", "(sh × 2)"),
    ("clients", "what goes through valkey-py, used or not: it is imported; only redis-py is"),
])  # fmt: skip
def test_what_is_not_counted_is_said_and_fails_a_budget(folder, server, mode, says):
    expected = plain(folder, server, mode)
    report, done = told(folder, server, "several.py", mode)
    assert (done.stdout, done.returncode) == (expected.stdout, expected.returncode)
    assert says in str(report["uncounted"])
    guards = [("--max", "99"), ("--ratchet", "r.json", "--accept"), ("--fail-on-findings",)]
    for guard in guards if mode == "other" else guards[:1]:
        assert ran(folder, server, *guard, "several.py", mode).returncode == cli.UNCOUNTED, guard
    assert not os.path.exists(folder / "r.json")
    if mode in ("other", "ends as"):
        allowed = ran(folder, server, "--max", "99", "--allow-uncounted", "several.py", mode)
        assert (allowed.returncode, allowed.stdout) == (0, expected.stdout)


def test_the_name_of_a_program_hides_nothing(folder, server):
    words = ("--max", "99", "multiprocessing_job.py", "spawn")
    done = ran(folder, server, *words, by=("-E", "-m", "roundtrips"))
    assert done.returncode == cli.UNCOUNTED and "(multiprocessing.spawn × 2)" in done.stderr


def test_what_can_not_speak_to_redis_is_nothing_to_say(folder, server):
    assert ran(folder, server, "--max", "3", "several.py", "git").returncode == 0


def test_a_started_python_still_runs_the_sitecustomize_that_there_was(tmp_path, server):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("import sys; sys.own = __file__\n")
    (tmp_path / "starts.py").write_text(
        "import subprocess, sys\n"
        "code = 'import sys, sitecustomize; print(sys.own, sitecustomize.__file__, sys.path)'\n"
        "subprocess.run([sys.executable, '-c', code])\n"
    )
    own = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "own"), *sys.path[:0]])}
    expected = ran(tmp_path, server, "starts.py", by=(), **own)
    done = ran(tmp_path, server, "starts.py", **own)
    assert done.stdout == expected.stdout and str(tmp_path / "own") in done.stdout
    without = ran(tmp_path, server, "starts.py")
    assert without.stdout == "" and "no attribute 'own'" in without.stderr


def test_no_folder_stays(folder, server, tmp_path):
    """One of a command that was killed is deleted by a later one, after a day."""
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                           capture_output=True, text=True).stdout.strip()  # fmt: skip
    names = [f"roundtrips-{ended}-old", f"roundtrips-{ended}-new", f"roundtrips-{os.getpid()}-old"]
    for name in names:
        (tmp_path / name).mkdir()
        if "old" in name:
            os.utime(tmp_path / name, (0, 0))
    for mode in ("fork", "ends as", "killed"):
        ran(folder, server, "several.py", mode, TMPDIR=str(tmp_path))
        assert {path.name for path in tmp_path.iterdir()} == set(names[1:])


@pytest.mark.parametrize("event, arguments, name", [
    ("subprocess.Popen", ("/usr/bin/python3", ["python3", "-u", "worker.py", "secret"], None, None),
     "python worker.py"),
    ("subprocess.Popen", (None, ["python", "-m", "jobs", "secret"], None, None), "python -m jobs"),
    ("subprocess.Popen", (b"/bin/sh", "ls -l", None, None), "sh"),
    ("os.system", (b"git status && redis-cli -a secret get x",), "sh"),
    ("os.spawn", (0, "/bin/ls", ["ls", "secret"], None), "ls"),
    ("os.posix_spawn", ("/bin/ls", [b"ls"], {}), "ls"),
])  # fmt: skip
def test_a_program_is_named_without_its_arguments(event, arguments, name):
    assert processes.name_of(event, arguments) == name
