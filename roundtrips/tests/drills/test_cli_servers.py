"""The command with what people run: uvicorn, Celery, RQ."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

from roundtrips import cli
from runs import ran, told
from servers import free_port

APP = """
import json, os, redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": kind + ".complete"})
            if kind == "lifespan.shutdown":
                return
    for _ in range(5):
        r.get("k")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
"""
JOBS = """
import json, os, celery, redis

options = json.loads(os.environ["CLIENT"])
url = f"redis://:{options['password']}@127.0.0.1:{options['port']}/1"
app = celery.Celery("jobs", broker=url)
r = redis.Redis(**options)

@app.task
def work(number):
    for _ in range(number):
        r.get("job")
"""
RQ = """
import json, os, redis

connection = redis.Redis(**json.loads(os.environ["CLIENT"]), db=2)

def work(number):
    for _ in range(number):
        connection.get("job")

if __name__ == "__main__":
    import rq, rqjobs
    queue = rq.Queue(connection=connection)
    for _ in range(3):
        queue.enqueue(rqjobs.work, 5)
    rq.Worker([queue], connection=connection).work(burst=True, logging_level="ERROR")
"""


@pytest.fixture
def folder(tmp_path):
    for name, text in (("app.py", APP), ("jobs.py", JOBS), ("rqjobs.py", RQ)):
        (tmp_path / name).write_text(text)
    return tmp_path


def stopped(folder, server, words, until, number=signal.SIGTERM):
    """Run the command until `until()` is true; return its JSON and status after the signal."""
    command = [sys.executable, "-m", "roundtrips", "--json-file", "out.json", *words]
    environment = {**os.environ, "CLIENT": json.dumps(server)}
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + 200
            while not until():
                late = process.poll() is not None or time.monotonic() > deadline
                assert not late, (folder / "log").read_text()
                time.sleep(0.2)
            process.send_signal(number)
            process.wait(60)
        finally:
            process.kill()
    return json.loads((folder / "out.json").read_text()), process.returncode


def jobs_of(report):
    """Return the round trips of each call site in the jobs."""
    jobs = [each for each in report["call_sites"] if each["function"] == "work"]
    return [each["round_trips"] for each in jobs if not each["setup"]]


@pytest.mark.parametrize("more", [("--workers", "2"), ("--reload",), ()], ids=" ".join)
def test_uvicorn(folder, server, more):
    pytest.importorskip("uvicorn")
    port = free_port()

    def served():
        try:
            for _ in range(4):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=50).read()
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
    asked = ran(folder, server, "-c", "import jobs; [jobs.work.delay(5) for _ in range(4)]", by=())
    assert asked.returncode == 0, asked.stderr
    words = ("--max", "5", "-m", "celery", "-A", "jobs", "worker", "-P", pool, "-c", "2")

    def all_done():
        return (folder / "log").read_text().count("succeeded in") == 4

    report, status = stopped(folder, server, (*words, "-l", "info"), all_done)
    assert (status, report["uncounted"]) == (cli.OVER, [])
    assert jobs_of(report) == [20]
    names = {each["name"] for each in report["processes"]}
    assert pool != "prefork" or {"ForkPoolWorker-1", "ForkPoolWorker-2"} <= names


def test_rq(folder, server):
    pytest.importorskip("rq")
    report, done = told(folder, server, "--max", "5", "rqjobs.py")
    assert (done.returncode, report["uncounted"]) == (cli.OVER, []), done.stderr
    assert jobs_of(report) == [15]
    assert len(report["processes"]) == 4  # the worker, and a fork for each job
