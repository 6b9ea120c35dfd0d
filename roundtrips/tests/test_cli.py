"""`roundtrips`: the program runs as under python, the report says what it did however it ends,
and the exit status keeps its promise."""

import json
import os
import stat
import sys
from pathlib import Path

import jsonschema
import pytest

from roundtrips import report
from runs import ran, reported

PROGRAM = """
import atexit, json, os, signal, subprocess, sys, threading
import redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))


def page(number):
    for user in range(number):
        r.get(f"user:{user}")


def late():
    r.incr("late")


def raises(*_):
    raise TypeError("planted")


mode, number = (sys.argv + ["", ""])[1], int(os.environ.get("LOOPS", 10))
page(number)
if mode == "ends":
    atexit.register(late)
    threading.Thread(target=late).start()
    known = [sys.argv, sys.path[0], __package__, __spec__ and __spec__.name, sorted(globals())]
    print(json.dumps([*known, type(__loader__).__name__, __file__, __doc__]))
elif mode == "crash":
    raise ValueError("the program's own")
elif mode == "exit":
    sys.exit(int(sys.argv[2]))
elif mode == "text":
    sys.exit("a reason")
elif mode == "interrupt":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(30)
elif mode == "connects":
    for _ in range(5):
        with redis.Redis(**json.loads(os.environ["CLIENT"])) as other:
            other.get("a")
elif mode == "chdir":
    os.chdir("/")
elif mode == "remove":
    os.rmdir("gone")
elif mode == "child":
    subprocess.run([sys.executable, "-c", ""])
elif mode == "forks":
    if not os.fork():
        page(3)
        sys.exit(0)
    os.wait()
elif mode == "unflushed":
    file = open("written", "w")
    file.write("all of it")
elif mode == "blind":  # faults of our own
    import roundtrips.notes
    roundtrips.notes.answer = raises
    r.get("a")
elif mode == "limits":
    import roundtrips.budgets
    roundtrips.budgets.excess = raises
elif mode == "section":
    import roundtrips.report.text
    roundtrips.report.text.sites = raises
"""
FILES = {
    "shop.py": PROGRAM, "unnamed": PROGRAM, "package/__init__.py": "", "silent.py": "pass\n",
    "package/__main__.py": PROGRAM, "package/sad.py": "import nothere\n", "broken.py": "def (\n",
    "other.py": "import glide\n", "glide.py": "__file__ = 'site-packages/glide.py'",
    "earlier/sitecustomize.py": "import atexit\natexit.register(print, 'earlier')\n",
    "console": f"#!{sys.executable}\n{PROGRAM}",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("program")
    for name, text in FILES.items():
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(text)
    (made / "console").chmod(stat.S_IRWXU)
    return made


# The program is as it is


@pytest.mark.parametrize("program", [
    ("shop.py",), ("-m", "package"), ("package",), ("-m", "shop"), ("unnamed",),
], ids=" ".join)  # fmt: skip
def test_the_program_finds_itself_as_under_python(folder, server, program):
    plain = ran(folder, server, *program, "ends", "--max", "1", "-m", "x", by=())
    said, done = reported(folder, server, *program, "ends", "--max", "1", "-m", "x")
    assert (done.stdout, done.returncode) == (plain.stdout, 0)
    # a thread's, and one at exit
    assert (said["round_trips"], said["commands"]) == (12, {"GET": 10, "INCRBY": 2})
    assert said["connections"] == 1 and said["uncounted"] == said["failures"] == []


@pytest.mark.parametrize("words", ["python shop.py", "python3 -m shop", "console"])
def test_what_is_typed_first_is_what_is_meant(folder, server, words):
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    said, done = reported(folder, server, *words.split(), PATH=path)
    assert (done.returncode, said["round_trips"]) == (0, 10)


@pytest.mark.parametrize("mode", ["crash", "exit 7", "text", "interrupt"])
def test_however_it_fails_the_report_comes_and_the_status_stays(folder, server, mode):
    plain = ran(folder, server, "shop.py", *mode.split(), by=())
    said, done = reported(folder, server, "--max", "3", "shop.py", *mode.split())
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) and plain.returncode
    assert done.stderr.splitlines()[:-1] == plain.stderr.splitlines()
    assert (said["round_trips"], said["failures"]) == (10, ["10 round trips, 3 allowed"])
    assert said["status"] == said["exit_status"] == plain.returncode


@pytest.mark.parametrize("program", [("broken.py",), ("-m", "package.sad"), ("-m", "nothere")])
def test_what_can_not_run_fails_as_under_python(folder, server, program):
    plain = ran(folder, server, *program, by=())
    done = ran(folder, server, *program)
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith(plain.stderr) and "0 round trips" in done.stderr


def test_a_run_over_its_limit_ends_as_any_other(folder, server):
    """Files that are left open are written, and earlier exit functions run."""
    words = "--max", "1", "shop.py", "unflushed"
    done = ran(folder, server, *words, PYTHONPATH=str(folder / "earlier"))
    assert (done.returncode, done.stdout) == (6, "earlier\n")
    assert (folder / "written").read_text() == "all of it"


# The exit status


@pytest.mark.parametrize("words, status, failures", [
    ("--max 10 --waits 10 --setup 9 shop.py", 0, []),
    ("--max 9 --waits 4 shop.py", 6, ["10 round trips, 9 allowed", "10 waits, 4 allowed"]),
    ("--max 0 shop.py", 6, ["10 round trips, 0 allowed"]),
    ("--max 99 --setup 2 shop.py connects", 6, ["set-up round trips, 2 allowed"]),
    ("--max 5 other.py", 7, ["--allow-uncounted lets that pass"]),
    ("--max 5 --allow-uncounted other.py", 0, []), ("other.py", 0, []),
    ("--max 99 shop.py child", 7, ["not everything was counted"]),
    ("--max 99 shop.py forks", 7, ["not everything was counted"]), ("shop.py forks", 0, []),
    ("--max 99 shop.py blind", 7, ["not everything was counted"]),
    ("--max 99 shop.py limits", 2, ["an error of its own: TypeError: planted"]),
    ("--max 99 shop.py section", 2, ["an error of its own: TypeError: planted"]),
    ("--max 9 shop.py section", 6, ["10 round trips, 9 allowed", "an error of its own"]),
    ("--json-file gone/t.json shop.py remove", 2, ["No such file or directory"]),
])  # fmt: skip
def test_the_exit_status(folder, server, words, status, failures):
    (folder / "gone").mkdir(exist_ok=True)
    said, done = reported(folder, server, *words.split())
    assert (done.returncode, said["exit_status"]) == (status, status), done
    assert len(said["failures"]) == len(failures) and len(done.stderr.splitlines()) == 1
    assert all(says in failure for failure, says in zip(said["failures"], failures, strict=True))
    for mode, missed in (
        ("other", "what goes through valkey-glide"), ("blind", "TypeError: planted"),
        ("child", "other processes do that the block started or handed work (python)"),
        ("forks", "other processes do that the block started or handed work (a fork)"),
    ):  # fmt: skip
        assert any(missed in each for each in said["uncounted"]) == (mode in words)


@pytest.mark.parametrize("table, words, status", [
    ("max = 9", "", 6), ("max = 9", "--max 10", 0), ("maxx = 9", "", 2),
    ('ratchet = "none.json"', "", 2),
])  # fmt: skip
def test_the_table_says_what_the_command_line_does_not(tmp_path, server, table, words, status):
    (tmp_path / "shop.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{table}\n")
    done = ran(tmp_path, server, *words.split(), "shop.py")
    assert done.returncode == status, done
    assert status != 2 or "'maxx', which is unknown" in done.stderr or "no ratchet" in done.stderr


def test_a_ratchet_fails_when_a_call_site_got_worse(folder, server):
    accept = ("--ratchet", "r.json", "--accept")
    assert ran(folder, server, *accept, "shop.py").returncode == 0
    kept = (folder / "r.json").read_text()
    rows = json.loads(kept)["call_sites"]
    assert [(row["file"], row["function"], row["sends"]) for row in rows] == [
        ("shop.py", "page", "GET"), ("shop.py", "page", "set-up"),
    ]  # fmt: skip
    assert ran(folder, server, "--ratchet", "r.json", "shop.py", "chdir").returncode == 0
    worse = ran(
        folder, server, "--ratchet", "r.json", "--ratchet-tolerance", "1", "shop.py", LOOPS="12"
    )
    assert worse.returncode == 6
    assert "roundtrips: failed: shop.py in page: GET: 10 → 12 round trips" in worse.stderr
    assert "roundtrips --ratchet r.json --accept" in worse.stderr
    within = ("--ratchet", "r.json", "--ratchet-tolerance", "20%", "shop.py")
    assert ran(folder, server, *within, LOOPS="12").returncode == 0
    connects = ran(folder, server, "--ratchet", "r.json", "shop.py", "connects")
    assert connects.returncode == 6 and "set-up: 0 → " in connects.stderr
    assert ran(folder, server, "--ratchet", "r.json", "shop.py", LOOPS="4").returncode == 0
    failed = ran(folder, server, *accept, "shop.py", "crash", LOOPS="12")
    assert failed.returncode == 1 and "is as it was" in failed.stderr
    assert (folder / "r.json").read_text() == kept


# Files, and how it looks


def test_what_it_writes(folder, server):
    (folder / "summary.md").write_text("before\n")
    words = "--json-file out.json --summary --annotations --max 3 shop.py"
    done = ran(folder, server, *words.split(), GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    assert done.returncode == 6 and done.stderr.count("written: ") == 2
    first, *_, last = done.stderr.splitlines()
    assert (first, last) == (
        "roundtrips: shop.py", "roundtrips: failed: 10 round trips, 3 allowed",
    )  # fmt: skip
    assert "Where from" in done.stderr and "shop.py:10 in page" in done.stderr
    stored = (folder / "out.json").read_text()
    assert json.loads(stored)["exit_status"] == 6
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("before\n") and "10 round trips, 3 allowed" in summary
    assert "::notice file=shop.py,line=10," in done.stderr
    assert not any(server["password"] in text for text in (stored, summary, done.stderr))


def test_what_json_says_is_described(folder, server):
    schema = json.loads(Path(report.__file__).with_name("schema.json").read_text())
    for words in (("shop.py",), ("--max", "3", "shop.py", "crash"), ("silent.py",)):
        said, _ = reported(folder, server, *words)
        jsonschema.validate(said, schema)
    for wrong in ({"round_trips": -1}, {"exit_status": "6"}, {"more": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**said, **wrong}, schema)


@pytest.mark.parametrize(
    "options, said", [((), "GET user:{…} × 10"), (["--no-keys"], "GET {…} × 10")]
)
def test_keys_can_be_hidden(folder, server, options, said):
    assert said in ran(folder, server, *options, "shop.py").stderr


# What it refuses, before anything runs


@pytest.mark.parametrize("words, says", [
    ((), "no program to run"), (("nothere.py",), "no file nothere.py"), (("-m",), "-m needs"),
    (("ls",), "ls is no Python program"), (("--wrong", "shop.py"), "--wrong"),
    (("--max", "-1", "shop.py"), "--max: -1 is no number"),
    (("--setup", "-2", "shop.py"), "--setup"),
    (("--accept", "shop.py"), "--accept goes with --ratchet"),
    (("--ratchet", "none.json", "shop.py"), "no ratchet"),
    (("--max", "x", "shop.py"), "no number of 0 or more"),
    (("--ratchet", "shop.py", "shop.py"), "is no ratchet"),
    (("--ratchet", "shop.py", "--accept", "shop.py"), "is no ratchet"),
    (("--ratchet-tolerance", "a bit", "shop.py"), "tolerance is 'a bit'"),
    (("--summary", "shop.py"), "GITHUB_STEP_SUMMARY"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else None)  # fmt: skip
def test_what_it_refuses(folder, server, words, says):
    done = ran(folder, server, *words, GITHUB_STEP_SUMMARY="")
    assert (done.returncode, done.stdout) == (2, "") and says in done.stderr
    assert done.stderr.splitlines()[-1].startswith("roundtrips: ")
