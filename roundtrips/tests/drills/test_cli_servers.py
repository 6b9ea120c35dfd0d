"""The command with what people run: uvicorn, Celery, RQ."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from servers_of_drills import APP, JOBS, RQ_JOB, RQ_WORKER

from roundtrips import cli
from runs import told
from servers import free_port


@pytest.fixture
def folder(tmp_path):
    files = {"app.py": APP, "jobs.py": JOBS, "rqjob.py": RQ_JOB, "rqworker.py": RQ_WORKER}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def stopped(folder, server, words, until, number=signal.SIGTERM):
    """Run the command until `until()` is true; return its JSON and status after the signal."""
    command = [sys.executable, "-m", "roundtrips", "--json-file", "out.json", *words]
    environment = {**os.environ, "CLIENT": json.dumps(server)}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 60
            while not until():
                late = process.poll() is not None or time.monotonic() > deadline
                assert not late, (folder / "log").read_text()
                time.sleep(0.2)
            process.send_signal(number)
            process.wait(60)
        finally:
            process.kill()
    return json.loads((folder / "out.json").read_text()), process.returncode


def by_name(report):
    return {each["name"]: each["round_trips"] for each in report["processes"]}


@pytest.mark.parametrize("more", [("--workers", "2"), ("--reload",), ()], ids=" ".join)
def test_uvicorn(folder, server, more):
    pytest.importorskip("uvicorn")
    port = free_port()

    def served():
        try:
            for _ in range(4):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read()
            return True
        except OSError:
            return False

    words = ("--max", "5", "-m", "uvicorn", "app:app", "--port", str(port), *more)
    report, status = stopped(folder, server, words, served, signal.SIGINT)
    assert (report["round_trips"], report["uncounted"]) == (20, []), report
    assert report["failures"] == ["20 round trips, 5 allowed"]
    assert status in (cli.OVER, -signal.SIGINT)


@pytest.mark.parametrize("pool", ["prefork", "threads"])
def test_celery(folder, server, pool):
    pytest.importorskip("celery")
    environment = {**os.environ, "CLIENT": json.dumps(server)}
    code = "import jobs; [jobs.work.delay(5) for _ in range(4)]"
    subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
    words = ("--max", "5", "-m", "celery", "-A", "jobs", "worker", "-P", pool, "-c", "2")

    def all_done():
        return (folder / "log").read_text().count("succeeded in") == 4

    report, status = stopped(folder, server, (*words, "-l", "info"), all_done)
    assert (status, report["uncounted"]) == (cli.OVER, [])
    jobs = [each for each in report["call_sites"] if each["function"] == "work"]
    assert [each["round_trips"] for each in jobs if not each["setup"]] == [20]
    assert pool != "prefork" or {"ForkPoolWorker-1", "ForkPoolWorker-2"} <= set(by_name(report))


def test_rq(folder, server):
    pytest.importorskip("rq")
    report, done = told(folder, server, "--max", "5", "rqworker.py")
    assert (done.returncode, report["uncounted"]) == (cli.OVER, []), done.stderr
    jobs = [each for each in report["call_sites"] if each["function"] == "work"]
    assert [each["round_trips"] for each in jobs if not each["setup"]] == [15]
    assert len(report["processes"]) == 4  # the worker, and a fork for each job
