"""`roundtrips`: the program runs as under python, the report tells what it did however it ends,
and the exit status keeps its promise."""

import json
import os
import pty
import subprocess
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
    raise ValueError("the program's own")
elif mode == "exit":
    sys.exit(int(sys.argv[2]))
elif mode == "text":
    sys.exit("a reason")
elif mode == "_exit":
    print("not flushed", end="")
    os._exit(int(sys.argv[2]))
elif mode == "signal":
    try:
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        threading.Event().wait(20)
    except Exception:
        print("eaten")
elif mode == "threads":
    for each in [threading.Thread(target=page, args=(5,)) for _ in range(4)]:
        each.start()
elif mode == "connects":
    for _ in range(5):
        with redis.Redis(**json.loads(os.environ["CLIENT"])) as other:
            other.get("a")
elif mode == "chdir":
    os.chdir("/")
elif mode == "remove":
    os.rmdir("gone")
"""
# A pipeline and then threads: the report once crashed over it. SMALLEST is the least of it.
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
SMALLEST = """
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
gevent.joinall([gevent.spawn(r.get, "k") for _ in range(50)])
list(gevent.pool.Pool(5).imap(r.get, ["k"] * 20))

def in_thread(key):
    with redis.Redis(**options) as own:
        own.get(key)

gevent.threadpool.ThreadPool(2).map(in_thread, ["k"] * 20)
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("program")
    for name in ("shop.py", "unnamed", "package/__main__.py"):
        (made / name).parent.mkdir(exist_ok=True)
        (made / name).write_text(PROGRAM)
    (made / "package" / "__init__.py").touch()
    (made / "package" / "sad.py").write_text("import nothere\n")
    (made / "broken.py").write_text("import redis\nthis is no Python\n")
    (made / "by_us.py").write_text(BROKEN)
    (made / "link.html").symlink_to(made / "shop.py")
    (made / "deep").write_text("[" * 200_000)
    return made


# The program is as it is


@pytest.mark.parametrize("program", [
    ("shop.py",), ("-m", "package"), ("package",), ("-m", "shop"), ("unnamed",),
], ids=" ".join)  # fmt: skip
def test_the_program_finds_itself_as_under_python(folder, server, program):
    plain = ran(folder, server, *program, "ends", "--max", "1", "-m", "x", by=())
    report, done = told(folder, server, *program, "ends", "--max", "1", "-m", "x")
    assert (done.stdout, done.returncode) == (plain.stdout, 0)
    # a thread's, and one at exit
    assert (report["round_trips"], report["commands"]) == (12, {"GET": 10, "INCRBY": 2})
    assert report["connections"] == 1 and report["uncounted"] == report["failures"] == []


@pytest.mark.parametrize("mode", [
    "crash", "exit 7", "text", "_exit 5", "signal SIGINT", "signal SIGTERM",
])  # fmt: skip
def test_however_it_fails_the_report_comes_and_the_status_stays(folder, server, mode):
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


def test_nothing_is_imported_before_the_program_runs(folder, server):
    (folder / "first.py").write_text(
        "import sys\n"
        "print([name for name in ('redis', 'ssl', 'asyncio', 'threading', 'socket', 'queue')\n"
        "       if name in sys.modules])\n"
    )
    done = ran(folder, server, "first.py")
    assert done.stdout == "[]\n" and "0 round trips" in done.stderr


def test_no_warning_comes_with_it(folder, server):
    (folder / "test_shop.py").write_text("import shop\n\ndef test(): shop.page(2)\n")
    words = ("pytest", "-q", "-W", "error", "-p", "no:asyncio", "-p", "no:cacheprovider")
    report, done = told(folder, server, "-m", *words, "test_shop.py")
    assert done.returncode == 0, done
    assert report["round_trips"] == 12


# The exit status


def test_over_budget_has_a_status_of_its_own(folder, server):
    passes = ("--max", "10", "--max-waits", "10", "--max-setup", "9", "--max-connections", "1")
    assert ran(folder, server, *passes, "shop.py").returncode == 0
    done = ran(folder, server, "--max", "9", "--max-waits", "4", "shop.py")
    assert done.returncode == cli.OVER == 6
    assert done.stderr.splitlines()[0] == "roundtrips: shop.py"
    assert done.stderr.splitlines()[-2:] == [
        "roundtrips: failed: 10 round trips, 9 allowed", "roundtrips: failed: 10 waits, 4 allowed",
    ]  # fmt: skip
    assert "GET user:{…} × 10" in done.stderr and "shop.py:10 in page" in done.stderr
    assert ran(folder, server, "--max", "9", "shop.py", "_exit", "0").returncode == cli.OVER


@pytest.mark.parametrize("program, number", [(ORDINARY, 50), (SMALLEST, 2)])
def test_a_pipeline_and_then_threads_are_over_budget(folder, server, program, number):
    (folder / "ordinary.py").write_text(program)
    said = f"{number} round trips, 1 allowed"
    report, done = told(folder, server, "--max", "1", "ordinary.py")
    assert (done.returncode, report["round_trips"]) == (cli.OVER, number)
    assert (report["failures"], report["uncounted"]) == ([said], [])
    done = ran(folder, server, "--max", "1", "--html", "out.html", "ordinary.py")
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        cli.OVER, f"roundtrips: failed: {said}",
    )  # fmt: skip
    assert "Where from" in done.stderr and "roundtrips failed here" not in done.stderr
    assert "failed here" not in (folder / "out.html").read_text()


def test_greenlets_are_counted_and_gevent_warns_of_nothing(folder, server):
    pytest.importorskip("gevent")
    (folder / "greenlets.py").write_text(GREENLETS)
    report, done = told(folder, server, "--max", "10", "greenlets.py")
    assert (done.returncode, report["round_trips"], report["uncounted"]) == (cli.OVER, 90, [])
    assert len(done.stderr.splitlines()) == 1


def test_setting_up_has_limits(folder, server):
    limits = ("--max", "99", "--max-setup", "8", "--max-connections", "2")
    report, done = told(folder, server, *limits, "shop.py", "connects")
    assert done.returncode == cli.OVER
    assert report["failures"] == [
        f"{report['setup_trips']} set-up round trips, 8 allowed", "6 connections, 2 allowed",
    ]  # fmt: skip


def test_findings_fail_it_if_asked_to_and_are_ignored_by_a_comment_or_the_table(tmp_path, server):
    code = PROGRAM.replace('f"user:{user}")', 'f"user:{user}")  # roundtrips: ignore')
    (tmp_path / "shop.py").write_text(PROGRAM)
    (tmp_path / "calm.py").write_text(code)
    found = ran(tmp_path, server, "--fail-on-findings", "shop.py")
    assert found.returncode == cli.OVER and "at shop.py:10 in page" in found.stderr
    assert ran(tmp_path, server, "--fail-on-findings", "calm.py").returncode == 0
    if sys.version_info >= (3, 11):
        table = '[tool.roundtrips]\nfail_on_findings = true\nignore = ["shop.py:page"]\n'
        (tmp_path / "pyproject.toml").write_text(table)
        assert ran(tmp_path, server, "shop.py").returncode == 0


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no tomllib")
def test_the_table_has_limits_and_the_command_line_comes_first(tmp_path, server):
    (tmp_path / "shop.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text("[tool.roundtrips]\nmax = 9\n")
    assert ran(tmp_path, server, "shop.py").returncode == cli.OVER
    assert ran(tmp_path, server, "--max", "10", "shop.py").returncode == 0
    (tmp_path / "pyproject.toml").write_text("[tool.roundtrips]\nmaxx = 9\n")
    refused = ran(tmp_path, server, "shop.py")
    assert refused.returncode == cli.USAGE and "'maxx', which is unknown" in refused.stderr


def test_another_client_is_not_counted_and_that_fails_a_budget(tmp_path, server):
    (tmp_path / "valkey.py").write_text("")  # stands for valkey-py
    (tmp_path / "other.py").write_text("import valkey\n")
    says = "not counted: what goes through valkey-py; only redis-py is"
    report, done = told(tmp_path, server, "--max", "5", "other.py")
    assert (done.returncode, report["uncounted"]) == (cli.UNCOUNTED, [says]) and cli.UNCOUNTED == 7
    assert "--allow-uncounted" in report["failures"][0]
    assert ran(tmp_path, server, "--max", "5", "--allow-uncounted", "other.py").returncode == 0
    plain = ran(tmp_path, server, "other.py")
    assert plain.returncode == 0 and says in plain.stderr


# Whatever fails of ours: the budget is judged first, and nothing passes that was not

SECTIONS = [
    "text.head = raises", "text.sites = raises", "text.runs = raises",
    "traces.by_site = raises", "traces.seconds_at = raises", "text.report = raises",
]  # fmt: skip
UNDECIDED = [
    "parts.gather = raises", "traces.record_of = raises", "budgets.excess = raises",
    "parts.added_up = raises",
]  # fmt: skip


@pytest.mark.parametrize("fault", SECTIONS)
def test_a_section_that_fails_says_so_and_the_budget_is_judged(folder, server, fault):
    for most, status in (("9", cli.OVER), ("10", cli.USAGE)):
        done = ran(folder, server, "--max", most, "shop.py", by=("by_us.py",), FAULT=fault)
        assert done.returncode == status, done.stderr
        assert "planted" in done.stderr and "roundtrips: failed: " in done.stderr
        report, done = told_of_broken(folder, server, "--max", most, fault=fault)
        assert report["round_trips"] == 10
        assert any("made" in each for each in report["failures"])


@pytest.mark.parametrize("fault", UNDECIDED)
def test_a_budget_that_can_not_be_decided_fails(folder, server, fault):
    report, done = told_of_broken(folder, server, "--max", "100", fault=fault)
    assert done.returncode == cli.USAGE == 2
    assert any("planted" in each for each in report["failures"])
    for mode, status in (("_exit 0", 2), ("_exit 5", 5), ("signal SIGTERM", -15), ("crash", 1)):
        words = ("--max", "100", "shop.py", *mode.split())
        done = ran(folder, server, *words, by=("by_us.py",), FAULT=fault)
        assert done.returncode == status and "eaten" not in done.stdout
    words = ("--ratchet", "un.json", "--accept", "shop.py")
    done = ran(folder, server, *words, by=("by_us.py",), FAULT=fault)
    assert done.returncode == cli.USAGE and not (folder / "un.json").exists()


def test_even_a_command_that_fails_altogether_does_not_pass(folder, server):
    for fault in (
        "self_ = cli.Command; self_.tell = self_.judge = self_.drawn = raises",
        "cli.Verdict.fence = raises",
        "as_json.summary = raises",
    ):
        done = ran(folder, server, "--json", "shop.py", by=("by_us.py",), FAULT=fault)
        assert done.returncode == cli.USAGE, (fault, done)


def test_what_it_did_not_see_is_said_and_fails_a_budget(folder, server):
    """A fault at the seam, in the midst of the program."""
    code = (
        "import redis, roundtrips.recorder as of_ours\n"
        "def raises(*_): raise TypeError('planted')\n"
        "of_ours.answer = raises\n"
    )
    (folder / "seam.py").write_text(code + PROGRAM)
    report, done = told(folder, server, "--max", "99", "seam.py")
    assert done.returncode == cli.UNCOUNTED
    assert any("TypeError: planted" in each for each in report["uncounted"])


def told_of_broken(folder, server, *words, fault):
    done = ran(folder, server, "--json", *words, "shop.py", by=("by_us.py",), FAULT=fault)
    return json.loads(done.stderr.splitlines()[-1]), done


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
    for tolerance, status in (("2", 0), ("20%", 0), ("1", cli.OVER), ("19%", cli.OVER)):
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
    made = {name: (folder / file).read_text() for name, file in files.items()}
    assert Trace.from_dict(json.loads(made["save"])).round_trips == 10
    assert made["html"].startswith("<!doctype html>") and "shop.py:10 in page" in made["html"]
    assert json.loads(made["perfetto"])["traceEvents"]
    assert json.loads(made["json-file"])["exit_status"] == cli.OVER
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("before\n") and "10 round trips, 3 allowed" in summary
    assert "::warning file=shop.py,line=10," in done.stderr
    assert not any(server["password"] in text for text in (*made.values(), summary, done.stderr))


def test_what_json_says_is_described(folder, server):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(cli.OURS) / "report" / "schema.json").read_text())
    (folder / "silent.py").write_text("pass\n")
    for words in (("shop.py",), ("--max", "3", "shop.py", "crash"), ("silent.py",)):
        report, _ = told(folder, server, *words)
        jsonschema.validate(report, schema)
        for broken in ({"round_trips": -1}, {"exit_status": "6"}, {"more": 1}):
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate({**report, **broken}, schema)


def test_a_file_that_can_not_be_written_fails_the_run(folder, server):
    (folder / "gone").mkdir()
    done = ran(folder, server, "--save", "gone/t.json", "shop.py", "remove")
    assert done.returncode == cli.USAGE and "gone/t.json could not be written" in done.stderr


def test_keys_are_hidden_and_quiet_says_only_what_is_wrong(folder, server):
    assert "user:{…}" in ran(folder, server, "shop.py").stderr
    assert "user" not in ran(folder, server, "--no-keys", "shop.py").stderr
    assert ran(folder, server, "--quiet", "--max", "10", "shop.py").stderr == ""
    said = ran(folder, server, "--quiet", "--max", "9", "shop.py").stderr
    assert said == "roundtrips: failed: 10 round trips, 9 allowed\n"


@pytest.mark.parametrize("no_color", [None, "1"])
def test_colours_are_for_a_terminal_alone(folder, server, no_color):
    assert "\033[" not in ran(folder, server, "--max", "9", "shop.py").stderr
    theirs, ours = pty.openpty()
    environment = {**os.environ, "CLIENT": json.dumps(server)}
    environment.update({"NO_COLOR": no_color} if no_color else {})
    words = [sys.executable, "-m", "roundtrips", "--quiet", "--max", "9", "shop.py"]
    subprocess.run(words, cwd=folder, env=environment, stderr=ours, timeout=60)
    os.close(ours)
    assert os.read(theirs, 1000).startswith(b"roundtrips" if no_color else b"\033[31mroundtrips")
    os.close(theirs)


# What it refuses


@pytest.mark.parametrize("words, says", [
    ((), "no program to run"), (("nothere.py",), "no file nothere.py"), (("-m",), "-m needs"),
    (("--max", "-1", "shop.py"), "--max is -1"), (("--max-setup", "-2", "shop.py"), "--max-setup"),
    (("--accept", "shop.py"), "--accept goes with --ratchet"), (("--wrong", "shop.py"), "--wrong"),
    (("--ratchet", "none.json", "shop.py"), "no ratchet"), (("--max", "x", "shop.py"), "invalid"),
    (("--ratchet", "shop.py", "shop.py"), "is no ratchet"),
    (("--ratchet", "shop.py", "--accept", "shop.py"), "is no ratchet"),
    (("--ratchet", "deep", "--accept", "shop.py"), "is no ratchet"),
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
