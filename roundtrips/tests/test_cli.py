"""`roundtrips`: the program runs as under python, the report tells what it did however it ends,
and the exit status keeps its promise."""

import json
import os
import pty
import py_compile
import signal
import sys
from pathlib import Path

import pytest

from roundtrips import Trace, cli
from runs import ran, told

PROGRAM = """
import atexit, json, os, signal, sys, threading
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
    known = [sys.argv, sys.path[0], __package__, __spec__ and __spec__.name, sorted(globals())]
    known += [redis.__spec__.loader.__class__.__name__, len(sys.meta_path)]
    print(json.dumps([*known, type(__loader__).__name__, __file__, __doc__]))
elif mode == "crash":
    atexit.register(lambda: print(getattr(sys, "last_value", "no error")))
    raise ValueError("the program's own")
elif mode == "exit":
    sys.exit(int(sys.argv[2]))
elif mode == "text":
    sys.exit("a reason")
elif mode == "list":
    sys.exit([])
elif mode == "_exit":
    print("not flushed", end="")
    os._exit(int(sys.argv[2]))
elif mode == "posix":
    import pickle, posix
    pickle.loads(pickle.dumps(posix._exit))(0)
elif mode == "signal":
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        threading.Event().wait(20)
    except Exception:
        print("eaten")
elif mode == "connects":
    for _ in range(5):
        with redis.Redis(**json.loads(os.environ["CLIENT"])) as other:
            other.get("a")
elif mode == "chdir":
    os.chdir("/")
elif mode == "remove":
    os.rmdir("gone")
"""
# A pipeline and then a thread: the report once crashed over it.
ORDINARY = """
import json, os, threading, redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))
pipe = r.pipeline(); pipe.get("a"); pipe.get("b"); pipe.execute()
thread = threading.Thread(target=r.get, args=("k",)); thread.start(); thread.join()
"""
# First gevent's patch, as gevent asks for; any warning is an error.
GREENLETS = """
import warnings; warnings.simplefilter("error")
import gevent.monkey; gevent.monkey.patch_all()
import json, os, gevent, gevent.pool, gevent.threadpool, redis

options = json.loads(os.environ["CLIENT"])
r = redis.Redis(**options)
list(gevent.pool.Pool(5).imap(r.get, ["k"] * 20))

def in_thread(key):
    with redis.Redis(**options) as own:
        own.get(key)

gevent.threadpool.ThreadPool(2).map(in_thread, ["k"] * 20)
"""
# A fault at the seam, in the midst of the program.
SEAM = """
import redis, roundtrips.recorder as of_ours
def raises(*_): raise TypeError("planted")
of_ours.answer = raises
"""
# Runs the command with something of it broken: FAULT is a line that does it.
BROKEN = """
import os, sys
from roundtrips import cli
def raises(*_, **__): raise TypeError("planted")
def plant():
    import roundtrips.parts as parts, roundtrips.traces as traces, roundtrips.budgets as budgets
    import roundtrips.report.text as text, roundtrips.report.json as as_json
    exec(os.environ["FAULT"])
judged = cli.Command.finish
def finish(self, *arguments):
    plant()
    return judged(self, *arguments)
cli.Command.finish = finish
sys.exit(cli.main(sys.argv[1:]))
"""
FILES = {
    **dict.fromkeys(("shop.py", "unnamed", "package/__main__.py"), PROGRAM),
    "package/__init__.py": "", "package/sad.py": "import nothere\n", "by_us.py": BROKEN,
    "broken.py": "import redis\nthis is no Python\n", "ordinary.py": ORDINARY,
    "greenlets.py": GREENLETS, "seam.py": SEAM + PROGRAM, "silent.py": "pass\n",
    "calm.py": PROGRAM.replace('{user}")', '{user}")  # roundtrips: ignore'),
    "valkey.py": "__file__ = 'site-packages/valkey.py'",  # stands for it
    "other.py": "import valkey\n", "early.py": "from roundtrips import budget\n" + PROGRAM,
    "forks.py": "import os\nos.fork() or os._exit(0)\n" + PROGRAM,
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("program")
    (made / "package").mkdir()
    for name, text in FILES.items():
        (made / name).write_text(text)
    (made / "link.html").symlink_to(made / "shop.py")
    py_compile.compile(str(made / "shop.py"), str(made / "shop.pyc"))
    return made


# The program is as it is


@pytest.mark.parametrize("program", [
    ("shop.py",), ("-m", "package"), ("package",), ("-m", "shop"), ("unnamed",), ("shop.pyc",),
], ids=" ".join)  # fmt: skip
def test_the_program_finds_itself_as_under_python(folder, server, program):
    plain = ran(folder, server, *program, "ends", "--max", "1", "-m", "x", by=())
    report, done = told(folder, server, *program, "ends", "--max", "1", "-m", "x")
    assert (done.stdout, done.returncode) == (plain.stdout, 0)
    # a thread's, and one at exit
    assert (report["round_trips"], report["commands"]) == (12, {"GET": 10, "INCRBY": 2})
    assert report["connections"] == 1 and report["uncounted"] == report["failures"] == []


@pytest.mark.parametrize("mode", [
    "crash", "exit 7", "text", "list", "_exit 5", "signal SIGINT", "signal SIGTERM",
    "signal SIGHUP",
])  # fmt: skip
def test_however_it_fails_the_report_comes_and_the_status_stays(folder, server, mode):
    for each in (signal.SIGINT, signal.SIGHUP):  # ignored under nohup, and so by its children
        if signal.getsignal(each) is signal.SIG_IGN:
            signal.signal(each, signal.SIG_DFL)
    plain = ran(folder, server, "shop.py", *mode.split(), by=())
    report, done = told(folder, server, "--max", "3", "shop.py", *mode.split())
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout) and plain.returncode
    assert done.stderr.splitlines()[:-1] == plain.stderr.splitlines()
    assert (report["round_trips"], report["failures"]) == (10, ["10 round trips, 3 allowed"])
    assert report["status"] == report["exit_status"] == plain.returncode


@pytest.mark.parametrize("program", [("broken.py",), ("-m", "package.sad"), ("-m", "nothere")])
def test_what_can_not_run_fails_as_under_python(folder, server, program):
    plain, done = ran(folder, server, *program, by=()), ran(folder, server, *program)
    assert done.returncode == plain.returncode == 1
    assert done.stderr.startswith(plain.stderr) and "0 round trips" in done.stderr


def test_nothing_is_imported_before_the_program_runs_and_no_warning_comes_with_it(folder, server):
    names = ("redis", "ssl", "asyncio", "threading", "socket", "queue")
    code = f"import sys\nprint([name for name in {names} if name in sys.modules])\n"
    (folder / "first.py").write_text(code)
    done = ran(folder, server, "first.py")
    assert done.stdout == "[]\n" and "0 round trips" in done.stderr
    (folder / "test_shop.py").write_text("import shop\n\ndef test(): shop.page(2)\n")
    words = ("pytest", "-q", "-W", "error", "-p", "no:asyncio", "-p", "no:cacheprovider")
    report, done = told(folder, server, "-m", *words, "test_shop.py")
    assert (done.returncode, report["round_trips"]) == (0, 12), done


# The exit status

OTHER = "not counted: what goes through valkey-py, used or not: it is imported; only redis-py is"


@pytest.mark.parametrize("words, status, failures", [
    ("--max 10 --max-waits 10 --max-setup 9 shop.py", 0, []),
    ("--max 9 --max-waits 4 shop.py", 6, ["10 round trips, 9 allowed", "10 waits, 4 allowed"]),
    ("--max 0 shop.py", 6, ["10 round trips, 0 allowed"]),
    ("--max 9 shop.py _exit 0", 6, ["10 round trips, 9 allowed"]),
    ("--max 9 shop.py posix", 6, ["10 round trips, 9 allowed"]),
    ("--max 9 early.py", 6, ["10 round trips, 9 allowed"]),
    ("--max 1 ordinary.py", 6, ["2 round trips, 1 allowed"]),
    ("--max 10 greenlets.py", 6, ["40 round trips, 10 allowed"]),
    ("--max 99 --max-setup 2 shop.py connects", 6, ["set-up round trips, 2 allowed"]),
    ("--fail-on-findings shop.py", 6, ["at shop.py:10 in page"]),
    ("--fail-on-findings calm.py", 0, []),
    ("--max 5 other.py", 7, ["--allow-uncounted lets that pass"]),
    ("--max 5 --allow-uncounted other.py", 0, []), ("other.py", 0, []),
    ("--max 99 seam.py", 7, ["not everything was counted"]),
    ("--save gone/t.json shop.py remove", 2, ["gone/t.json could not be written"]),
])  # fmt: skip
def test_the_exit_status(folder, server, words, status, failures):
    if "greenlets" in words:
        pytest.importorskip("gevent")
    (folder / "gone").mkdir(exist_ok=True)
    report, done = told(folder, server, *words.split())
    assert (done.returncode, report["exit_status"]) == (status, status), done
    assert len(report["failures"]) == len(failures) and len(done.stderr.splitlines()) == 1
    for one, says in zip(report["failures"], failures, strict=True):
        assert says in one
    assert (report["uncounted"] == [OTHER]) == ("other" in words)
    assert any("TypeError: planted" in each for each in report["uncounted"]) == ("seam" in words)
    assert (cli.USAGE, cli.OVER, cli.UNCOUNTED) == (2, 6, 7)  # a promise


@pytest.mark.parametrize("table, words, status", [
    ("max = 9", "", 6), ("max = 9", "--max 10", 0), ("maxx = 9", "", 2),
    ("fail_on_findings = true", "", 6),
    ('fail_on_findings = true\nignore = ["shop.py:page"]', "", 0),
    ('ratchet = "none.json"', "", 2),
])  # fmt: skip
def test_the_table_says_what_the_command_line_does_not(tmp_path, server, table, words, status):
    (tmp_path / "shop.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text(f"[tool.roundtrips]\n{table}\n")
    done = ran(tmp_path, server, *words.split(), "shop.py")
    assert done.returncode == status, done
    assert status != 2 or "'maxx', which is unknown" in done.stderr or "no ratchet" in done.stderr


# Whatever fails of ours: the budget is judged first, and nothing passes that was not


def broken(folder, server, fault, *words):
    return ran(folder, server, *words, by=("by_us.py",), FAULT=fault)


@pytest.mark.parametrize("fault", [
    "text.sites = raises", "traces.by_site = raises", "traces.seconds_at = raises",
    "text.report = raises",
])  # fmt: skip
def test_a_section_that_fails_says_so_and_the_budget_is_judged(folder, server, fault):
    for most, status in (("9", cli.OVER), ("10", cli.USAGE)):
        done = broken(folder, server, fault, "--max", most, "shop.py")
        assert done.returncode == status, done.stderr
        assert "planted" in done.stderr and "roundtrips: failed: " in done.stderr
    done = broken(folder, server, fault, "--json", "--max", most, "shop.py")
    report = json.loads(done.stderr.splitlines()[-1])
    assert report["round_trips"] == 10
    assert any("made" in each for each in report["failures"])


@pytest.mark.parametrize("program, status", [("shop.py", 0), ("forks.py", cli.UNCOUNTED)])
def test_a_program_that_gives_up_its_right_to_the_folder(folder, server, program, status):
    fault = "def refuses(_): raise PermissionError\nparts.settled = refuses"
    done = broken(folder, server, fault, "--max", "10", program)
    assert done.returncode == status and "\n10 round trips" in done.stderr, done


@pytest.mark.parametrize("fault, ends, then", [
    ("parts.gather = raises", "_exit 0", 2), ("traces.record_of = raises", "_exit 5", 5),
    ("budgets.excess = raises", "signal SIGTERM", -15), ("parts.added_up = raises", "crash", 1),
])  # fmt: skip
def test_a_budget_that_can_not_be_decided_fails(folder, server, fault, ends, then):
    for mode, status in (("", cli.USAGE), (ends, then)):
        done = broken(folder, server, fault, "--max", "100", "shop.py", *mode.split())
        assert done.returncode == status and "eaten" not in done.stdout
        assert "planted" in done.stderr
    done = broken(folder, server, fault, "--ratchet", "un.json", "--accept", "shop.py")
    assert done.returncode == cli.USAGE and not (folder / "un.json").exists()


@pytest.mark.parametrize("fault", [
    "self_ = cli.Command; self_.tell = self_.judge = self_.drawn = raises",
    "cli.Verdict.fence = raises", "as_json.summary = raises",
])  # fmt: skip
def test_even_a_command_that_fails_altogether_does_not_pass(folder, server, fault):
    assert broken(folder, server, fault, "--json", "shop.py").returncode == cli.USAGE


# The ratchet


def test_a_ratchet_fails_when_a_call_site_got_worse(folder, server):
    accept = ("--ratchet", "r.json", "--accept")
    assert ran(folder, server, *accept, "shop.py").returncode == 0
    kept = (folder / "r.json").read_text()
    rows = json.loads(kept)["call_sites"]
    assert [(row["file"], row["function"], row["sends"]) for row in rows] == [
        ("shop.py", "page", "GET"), ("shop.py", "page", "set-up"),
    ]  # fmt: skip
    assert ran(folder, server, "--ratchet", "r.json", "shop.py", "chdir").returncode == 0
    worse = ran(folder, server, "--ratchet", "r.json", "shop.py", LOOPS="12")
    assert worse.returncode == cli.OVER
    assert "roundtrips: failed: shop.py in page: GET: 10 → 12 round trips" in worse.stderr
    assert "roundtrips --ratchet r.json --accept" in worse.stderr
    for tolerance, status in (("20%", 0), ("1", cli.OVER)):
        words = ("--ratchet", "r.json", "--ratchet-tolerance", tolerance, "shop.py")
        assert ran(folder, server, *words, LOOPS="12").returncode == status
    connects = ran(folder, server, "--ratchet", "r.json", "shop.py", "connects")
    assert connects.returncode == cli.OVER and "set-up: 0 → " in connects.stderr
    better = ran(folder, server, "--ratchet", "r.json", "shop.py", LOOPS="4")
    assert better.returncode == 0 and "better by 6" in better.stderr
    failed = ran(folder, server, *accept, "shop.py", "crash", LOOPS="12")
    assert failed.returncode == 1 and "is as it was" in failed.stderr
    assert (folder / "r.json").read_text() == kept


# Files, and how it looks


def test_what_it_writes(folder, server):
    files = {name: f"out.{name}" for name in ("save", "html", "perfetto", "json-file")}
    options = [word for name, file in files.items() for word in (f"--{name}", file)]
    (folder / "summary.md").write_text("before\n")
    words = (*options, "--summary", "--annotations", "--max", "3", "shop.py")
    done = ran(folder, server, *words, GITHUB_STEP_SUMMARY=str(folder / "summary.md"))
    assert done.returncode == cli.OVER and done.stderr.count("written: ") == 5
    first, *_, last = done.stderr.splitlines()
    assert (first, last) == (
        "roundtrips: shop.py", "roundtrips: failed: 10 round trips, 3 allowed",
    )  # fmt: skip
    assert "Where from" in done.stderr and "shop.py:10 in page" in done.stderr
    made = {name: (folder / file).read_text() for name, file in files.items()}
    assert Trace.from_dict(json.loads(made["save"])).round_trips == 10
    assert made["html"].startswith("<!doctype html>") and "shop.py:10 in page" in made["html"]
    events = [each for each in json.loads(made["perfetto"])["traceEvents"] if each["ph"] == "X"]
    assert sum(each["cat"] == "round trip" for each in events) == 10
    assert {(each["tid"], each["dur"] > 0, each["ts"] > 0) for each in events} == {(1, True, True)}
    assert json.loads(made["json-file"])["exit_status"] == cli.OVER
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("before\n") and "10 round trips, 3 allowed" in summary
    assert "::warning file=shop.py,line=10," in done.stderr
    assert not any(server["password"] in text for text in (*made.values(), summary, done.stderr))


def test_what_json_says_is_described(folder, server):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(cli.OURS) / "report" / "schema.json").read_text())
    for words in (("shop.py",), ("--max", "3", "shop.py", "crash"), ("silent.py",)):
        report, _ = told(folder, server, *words)
        jsonschema.validate(report, schema)
        for wrong in ({"round_trips": -1}, {"exit_status": "6"}, {"more": 1}):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({**report, **wrong}, schema)


@pytest.mark.parametrize("no_color", [{}, {"NO_COLOR": "1"}], ids=["", "NO_COLOR"])
def test_colours_are_for_a_terminal_alone_and_keys_can_be_hidden(folder, server, no_color):
    said = ran(folder, server, "--max", "9", "shop.py").stderr
    assert "\033[" not in said and "user:{…}" in said
    assert "user" not in ran(folder, server, "--no-keys", "shop.py").stderr
    theirs, ours = pty.openpty()
    ran(folder, server, "--max", "9", "shop.py", stderr=ours, **no_color)
    os.close(ours)
    shown = os.read(theirs, 10_000)
    os.close(theirs)
    assert (b"\033[31mroundtrips: failed" in shown) == (not no_color)


# What it refuses


@pytest.mark.parametrize("words, says", [
    ((), "no program to run"), (("nothere.py",), "no file nothere.py"), (("-m",), "-m needs"),
    (("--max", "-1", "shop.py"), "--max is -1"), (("--max-setup", "-2", "shop.py"), "--max-setup"),
    (("--accept", "shop.py"), "--accept goes with --ratchet"), (("--wrong", "shop.py"), "--wrong"),
    (("--ratchet", "none.json", "shop.py"), "no ratchet"), (("--max", "x", "shop.py"), "invalid"),
    (("--ratchet", "shop.py", "shop.py"), "is no ratchet"),
    (("--ratchet", "shop.py", "--accept", "shop.py"), "is no ratchet"),
    (("--ratchet-tolerance", "a bit", "shop.py"), "tolerance is 'a bit'"),
    (("--html", "shop.py", "shop.py"), "would write over shop.py"),
    (("--save", "unnamed", "unnamed"), "would write over"),
    (("--html", "link.html", "shop.py"), "would write over link.html"),
    (("--save", "none/t.json", "shop.py"), "no place for a file"),
    (("--html", ".", "shop.py"), "no place for a file"),
    (("--summary", "shop.py"), "GITHUB_STEP_SUMMARY"),
], ids=lambda value: " ".join(value) if isinstance(value, tuple) else None)  # fmt: skip
def test_what_it_refuses_before_anything_runs(folder, monkeypatch, capsys, words, says):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setattr(sys, "__stderr__", sys.stderr)
    monkeypatch.setattr(cli.Command, "run", lambda command: pytest.fail("it ran"))
    monkeypatch.setattr(cli.config, "current", None)
    try:
        status = cli.main(list(words))
    except SystemExit as end:  # argparse's own
        status = end.code
    said = capsys.readouterr().err
    assert status == cli.USAGE and says in said
    assert said.splitlines()[-1].startswith("roundtrips: ")


def test_version(capsys):
    with pytest.raises(SystemExit, match="0"):
        cli.main(["--version"])
    assert capsys.readouterr().out.startswith("roundtrips 0.")
