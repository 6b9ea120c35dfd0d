"""`roundtrips`: the program runs as under python, and the report tells what it did, however it ends."""

import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
import threading
from collections import defaultdict

import jsonschema
import pytest
import redis
import redis.asyncio
from helpers import ROOT
from lab_utils.tracing import Trace, command, others, ratchets, trace
from lab_utils.tracing.page import page_of
from lab_utils.tracing.perfetto import events_of

from lab_utils.errors import LabError
from lab_utils.testbed.chosen_server import server

PROGRAM = """
import atexit, json, os, signal, subprocess, sys, threading
import redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))


def page(number):
    for user in range(number):
        r.get(f"user:{user}")


def late():
    r.incr("late")


mode, number = (sys.argv + ["", ""])[1], int(os.environ.get("LOOPS", 10))
page(number)
thread = threading.Thread(target=late)
if mode == "ends":
    atexit.register(late)
    thread.start()
    print(json.dumps([sys.argv, __name__, __file__, sys.path[0], __package__, __spec__ and __spec__.name]))
elif mode == "crash":
    raise ValueError("the program's own")
elif mode == "exit":
    sys.exit(int(sys.argv[2]))
elif mode == "text":
    sys.exit("a reason")
elif mode == "_exit":
    os._exit(int(sys.argv[2]))
elif mode == "signal":
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
    threading.Event().wait(20)
elif mode == "fork":
    if os.fork() == 0:
        r.get("child")
        sys.exit(3)
    print(os.wait()[1] >> 8)
elif mode == "start":
    subprocess.run([sys.executable, "-c", "print('child')"])
    os.system("true")
elif mode == "exec":
    os.execvp("echo", ["echo", "another"])
elif mode == "threads":
    threads = [threading.Thread(target=page, args=(5,)) for _ in range(4)]
    for each in threads:
        each.start()
elif mode == "asyncio":
    import asyncio, redis.asyncio

    async def main():
        async with redis.asyncio.Redis(**json.loads(os.environ["CLIENT"])) as client:
            await asyncio.gather(*(client.get(f"user:{user}") for user in range(10)))

    asyncio.run(main())
elif mode == "chdir":
    os.chdir("/")
elif mode == "remove":
    os.rmdir("gone")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("program")
    (made / "shop.py").write_text(PROGRAM)
    (made / "package").mkdir()
    (made / "package" / "__init__.py").touch()
    (made / "package" / "__main__.py").write_text(PROGRAM)
    (made / "broken.py").write_text("import redis\nthis is no Python\n")
    (made / "unnamed").write_text(PROGRAM)
    (made / "link.html").symlink_to(made / "shop.py")
    (made / "deep").write_text("[" * 200_000)
    return made


def ran(folder, *arguments, by=("-m", "lab_utils.tracing"), loops=10):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CLIENT": json.dumps(server().options), "LOOPS": str(loops)}
    return subprocess.run([sys.executable, *by, *arguments], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=60)


def told(folder, *arguments, **options):
    """What --json reports of a run."""
    done = ran(folder, "--json", *arguments, **options)
    return json.loads(done.stderr.splitlines()[-1]), done


# The program is as it is


@pytest.mark.parametrize("program", [("shop.py",), ("-m", "package"), ("package",), ("-m", "shop")], ids=" ".join)
def test_the_program_finds_itself_as_under_python(folder, program):
    plain = ran(folder, *program, "ends", "--max", "1", "-m", "x", by=())
    report, done = told(folder, *program, "ends", "--max", "1", "-m", "x")
    assert (done.stdout, done.returncode) == (plain.stdout, plain.returncode) and plain.returncode == 0
    assert (report["round_trips"], report["commands"]) == (12, {"GET": 10, "INCRBY": 2})  # a thread's, and one at exit
    assert report["connections"] == 1 and report["notes"] == report["failures"] == []


@pytest.mark.parametrize("mode", ["crash", "exit 7", "text", "_exit 5", "signal SIGINT", "signal SIGTERM"])
def test_however_it_ends_the_report_comes_and_the_status_stays(folder, mode):
    mode = mode.split()
    plain = ran(folder, "shop.py", *mode, by=())
    report, done = told(folder, "--max", "3", "shop.py", *mode)
    assert done.returncode == plain.returncode != 0
    assert done.stderr.splitlines()[:-1] == plain.stderr.splitlines()
    assert (report["round_trips"], report["failures"]) == (10, ["10 round trips, 3 allowed"])


def test_what_cannot_run_fails_as_under_python(folder):
    plain, done = ran(folder, "broken.py", by=()), ran(folder, "broken.py")
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith(plain.stderr) and "0 round trips" in done.stderr


def test_threads_and_tasks_are_the_programs(folder):
    report, _ = told(folder, "shop.py", "threads")
    assert (report["round_trips"], report["unattributed"]) == (30, 0)
    report, _ = told(folder, "shop.py", "asyncio")
    assert (report["round_trips"], report["waits"], report["unattributed"]) == (20, 11, 0)


def test_other_processes_are_not_counted_and_that_is_said(folder):
    report, done = told(folder, "shop.py", "fork")
    assert (done.stdout, report["round_trips"]) == ("3\n", 10)  # the child's status; and no report of the child's
    assert len(done.stderr.splitlines()) == 1
    assert report["notes"] == ["not counted: what other processes do that this one starts (os.fork)"]
    report, done = told(folder, "shop.py", "start")
    assert done.stdout == "child\n"
    assert report["notes"] == ["not counted: what other processes do that this one starts (python, true)"]
    report, done = told(folder, "shop.py", "exec")
    assert (done.stdout, report["round_trips"]) == ("another\n", 10)
    assert report["notes"] == ["not counted: what echo does, which took this program's place"]


def test_processes_of_multiprocessing_and_other_clients_are_said(r, monkeypatch):
    assert others.Others(None).notes() == []
    monkeypatch.setitem(sys.modules, "multiprocessing.popen_spawn_posix", object())
    monkeypatch.setitem(sys.modules, "valkey", object())
    assert "(multiprocessing)" in others.Others(None).notes()[0]
    with trace() as t:
        r.get("a")
    assert command.summary(t, "p", [], [], 0)["unseen"] == ["valkey-py"] and "valkey-py" in page_of(t, "p")


@pytest.mark.parametrize("event, arguments, name", [
    ("subprocess.Popen", ("/usr/bin/python3", ["python3", "-u", "worker.py", "secret"], None, None), "python worker.py"),
    ("subprocess.Popen", (None, ["python", "-m", "jobs", "secret"], None, None), "python -m jobs"),
    ("subprocess.Popen", (b"/bin/sh", "ls -l", None, None), "sh"), ("os.system", (b"redis-cli -a secret get x",), "redis-cli"),
    ("os.system", ("",), "os.system"), ("os.spawn", (0, "/bin/ls", ["ls", "secret"], None), "ls"),
    ("os.posix_spawn", ("/bin/ls", [b"ls"], {}), "ls"),
])
def test_a_process_is_named_without_its_arguments(event, arguments, name):
    assert others.name_of(event, arguments) == name


def test_a_process_that_two_events_tell_of_is_one():
    heard, ls = others.Others(None), ("/bin/ls", ["/bin/ls"])
    for event, arguments in [("subprocess.Popen", (*ls, None, None)), ("os.posix_spawn", (*ls, {})),
                             ("os.posix_spawn", (*ls, {})), ("os.fork", ()), ("os.fork", ()), ("os.listdir", ("x",))]:
        heard.hear(event, arguments)
    assert heard.started == {"ls": 2, "os.fork": 2}
    assert "(ls × 2, os.fork × 2)" in heard.notes()[0]


# Budgets


def test_a_budget_of_round_trips_and_of_waits(folder):
    assert ran(folder, "--max", "10", "--max-waits", "10", "shop.py").returncode == 0
    done = ran(folder, "--max", "9", "--max-waits", "4", "shop.py")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "roundtrips: shop.py"
    assert done.stderr.splitlines()[-2:] == ["roundtrips: failed: 10 round trips, 9 allowed",
                                             "roundtrips: failed: 10 waits, 4 allowed"]
    assert "GET user:{…} × 10" in done.stderr and "shop.py:10 in page" in done.stderr
    assert ran(folder, "--max", "9", "shop.py", "_exit", "0").returncode == 1


def test_a_ratchet_fails_when_a_call_site_got_worse(folder):
    assert ran(folder, "--ratchet", "r.json", "--accept", "shop.py").returncode == 0
    kept = (folder / "r.json").read_text()
    assert json.loads(kept)["call_sites"] == [{"file": "shop.py", "function": "page", "sends": "GET", "round_trips": 10}]
    assert ran(folder, "--ratchet", "r.json", "shop.py", "chdir").returncode == 0
    worse = ran(folder, "--ratchet", "r.json", "shop.py", loops=12)
    assert worse.returncode == 1
    assert "roundtrips: failed: shop.py in page: GET: 10 → 12 round trips" in worse.stderr
    assert "roundtrips --ratchet r.json --accept" in worse.stderr
    better = ran(folder, "--ratchet", "r.json", "shop.py", loops=4)
    assert better.returncode == 0 and "better by 6" in better.stderr
    assert (folder / "r.json").read_text() == kept
    assert ran(folder, "--ratchet", "r.json", "--accept", "shop.py", "crash", loops=12).returncode == 1
    assert (folder / "r.json").read_text() == kept


def test_a_ratchet_does_not_hang_on_lines_keys_or_the_length_of_a_pipeline(r):
    def page(number):
        pipe = r.pipeline(transaction=False)
        for user in range(number):
            pipe.get(f"user:{user}")
        pipe.execute()
        r.get("user:ann" if number % 2 else "user:bob")

    states = []
    for number in (3, 4):
        with trace() as t:
            page(number)
        states.append(ratchets.state_of(t, str(ROOT)))
    assert states[0] == states[1]
    assert {(file, what): number for (file, _, what), number in states[0].items()} == {
        ("tests/test_roundtrips_command.py", "pipeline"): 1, ("tests/test_roundtrips_command.py", "GET"): 1}


def test_what_is_new_has_grown():
    before = ratchets.Counter({("a.py", "f", "GET"): 2})
    after = ratchets.Counter({("a.py", "f", "GET"): 1, ("a.py", "<module>", "SET"): 1, ("b.py", "C.g", "GET"): 30})
    assert ratchets.worse(before, after) == ["b.py in g: GET: 0 → 30 round trips", "a.py in <module>: SET: 0 → 1 round trip"]
    assert (ratchets.better(before, after), ratchets.worse(after, after), ratchets.better(after, after)) == (1, [], 0)


# Files


def test_what_it_writes(folder):
    done = ran(folder, "--save", "t.json", "--html", "t.html", "--perfetto", "p.json", "shop.py")
    assert done.returncode == 0 and done.stderr.count("written: ") == 3
    again = Trace.from_dict(json.loads((folder / "t.json").read_text()))
    assert (again.round_trips, again.setup_trips > 0) == (10, True)
    page, password = (folder / "t.html").read_text(), server().options["password"]
    assert page.startswith("<!doctype html>") and "src=" not in page and "http" not in page  # one file, which asks for no other
    assert page.count("<title>") - 1 >= 1 and "shop.py:10 in page" in page and password not in page
    events = json.loads((folder / "p.json").read_text())["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in slices if event["cat"] == "round trip"] == ["GET user:{…}"] * 10
    assert all(event["dur"] >= 0 and event["ts"] >= 0 and event["tid"] >= 1 for event in slices)
    assert password not in json.dumps(events)


def test_the_file_for_perfetto_is_in_the_documented_format(r):
    """And slices of one track don't overlap, which its viewers could not draw."""
    async def side_by_side():
        async with redis.asyncio.Redis(**server().options) as client:
            await asyncio.gather(*(client.incr(f"n:{number}") for number in range(5)))

    with trace() as t:
        with redis.Redis(**server().options) as client:
            client.set('a "quoted", \nname', "x")
            client.pipeline().get("a").get("b").execute()
            with pytest.raises(redis.ResponseError):
                client.execute_command("NO SUCH COMMAND")
        asyncio.run(side_by_side())
    written = json.loads(json.dumps(events_of(t, "p"), allow_nan=False))
    schema = json.loads((ROOT / "tests" / "trace_event_format.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, schema, cls=jsonschema.Draft202012Validator)
    tracks = defaultdict(list)
    for event in written["traceEvents"]:
        if event["ph"] == "X":
            tracks[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    named = {event["tid"] for event in written["traceEvents"] if event["name"] == "thread_name"}
    assert named == set(tracks) and len(tracks) == 6 and sum(map(len, tracks.values())) == len(t.turns)
    assert all(one[1] <= other[0] for track in tracks.values() for one, other in itertools.pairwise(sorted(track)))
    for broken in ({"dur": -1}, {"ts": "0"}, {"ph": "Z"}, {"pid": None}):
        wrong = {**written, "traceEvents": [{**written["traceEvents"][-1], **broken}]}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema, cls=jsonschema.Draft202012Validator)


def test_a_page_of_every_kind_of_trace(r):
    with trace() as empty:
        pass
    assert "Nothing was sent" in page_of(empty, "p") and events_of(empty, "p")["traceEvents"]
    with trace() as t:
        for number in range(500):
            r.get(f"<b>:{number}")
        for _ in range(3):
            r.mget([f"user:{number}" for number in range(100)])
        with pytest.raises(Exception, match="not an integer"):
            r.set("text", "x")
            r.incr("text")
    page = page_of(t, "<script>", ["not counted: a & b"])
    assert "<script>" not in page and "&lt;script&gt;" in page and "a &amp; b" in page and "<b>" not in page
    drawn = re.findall(r'<rect class="waiting" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"><title>([^<]*)', page)
    assert sum(int(number.replace(",", "")) for *_, what in drawn for number in re.findall(r"^([\d,]+) round trip", what)) \
        + sum(not re.match(r"[\d,]+ round trip", what) for *_, what in drawn) == t.round_trips
    assert all(float(x) + float(width) <= 1001 and 0 < float(height) <= 20 for x, _, width, height, _ in drawn)
    assert page.count('class="waiting"') < t.round_trips


# What it refuses


@pytest.mark.parametrize("arguments, says", [
    ((), "no program to run"), (("nothere.py",), "no file nothere.py"), (("-m",), "-m needs a module"),
    (("-m", "nothere"), "no module nothere"), (("--max", "-1", "shop.py"), "--max=-1"),
    (("--max-waits", "-2", "shop.py"), "--max-waits=-2"), (("--accept", "shop.py"), "--accept goes with --ratchet"),
    (("--ratchet", "none.json", "shop.py"), "no ratchet"), (("--ratchet", "shop.py", "shop.py"), "is no ratchet"),
    (("--ratchet", "shop.py", "--accept", "shop.py"), "is no ratchet"),
    (("--html", "shop.py", "shop.py"), "would write over shop.py"), (("--save", "unnamed", "unnamed"), "would write over"),
    (("--html", "link.html", "shop.py"), "would write over link.html"),
    (("--ratchet", "deep", "--accept", "shop.py"), "is no ratchet"),
    (("--save", "none/t.json", "shop.py"), "no place for a file"), (("--html", ".", "shop.py"), "no place for a file"),
    ((".",), "without a __main__.py"), (("--max", "x", "shop.py"), "invalid int value"), (("--nothing", "shop.py"), "--nothing"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else None)
def test_what_it_refuses_before_anything_runs(folder, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    monkeypatch.setattr(command.programs, "run", lambda program: program.load(type(sys)("__main__")))
    monkeypatch.setattr(command.Run, "whole", lambda run: command.programs.run(run.program))
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    try:
        status = command.main(list(arguments))
    except SystemExit as end:  # argparse's own
        status = end.code
    told = capsys.readouterr().err
    assert status == 2 and says in told and told.splitlines()[-1].startswith("roundtrips: ")


def test_a_ratchet_of_another_format_says_how_to_make_a_new_one(tmp_path):
    path = tmp_path / "r.json"
    path.write_text('{"ratchet": 99, "call_sites": []}')
    with pytest.raises(LabError, match=r"format 99.*--accept"):
        ratchets.read(str(path))


def test_what_is_no_plain_file_is_written_and_not_replaced(tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    ratchets.refuse_others(str(pipe))  # does not wait for somebody who writes
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listener.start()
    ratchets.write(str(pipe), ratchets.Counter())
    listener.join(30)
    assert pipe.is_fifo() and json.loads(heard[0])["call_sites"] == [] and list(tmp_path.iterdir()) == [pipe]


def test_a_file_that_can_not_be_written_fails_the_run(folder):
    (folder / "gone").mkdir()
    done = ran(folder, "--save", "gone/t.json", "shop.py", "remove")
    assert done.returncode == 1 and "could not be written" in done.stderr


def test_the_traceback_of_a_module_that_imports_what_is_not_there_is_its_own(folder):
    (folder / "package" / "sad.py").write_text("import nothere\n")
    done = ran(folder, "-m", "package.sad")
    assert done.returncode == 1 and "No module named 'nothere'" in done.stderr and "lab_utils" not in done.stderr


ORDINARY = """
import json, os, threading, redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))
for user in range(40):
    r.get(f"user:{user}")
pipe = r.pipeline()
for user in range(100):
    pipe.set(f"user:{user}", user)
pipe.execute()
threads = [threading.Thread(target=r.incr, args=("visits",)) for _ in range(9)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def test_a_loop_a_pipeline_and_then_threads_are_reported(tmp_path):
    (tmp_path / "ordinary.py").write_text(ORDINARY)
    found, done = told(tmp_path, "--max", "10", "ordinary.py")
    assert (done.returncode, found["round_trips"], found["failures"]) == (1, 50, ["50 round trips, 10 allowed"])
