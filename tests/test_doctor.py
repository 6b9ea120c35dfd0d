"""`make doctor` finds each thing that can be wrong, and says what to do. Drills run all of it."""

import ast
import importlib
import os
import socket
import sys
import threading
import time
import webbrowser
from types import SimpleNamespace

import pytest
from helpers import NEXT_STEPS, ROOT

from lab_utils import calm
from lab_utils.testbed import chosen_server
from lab_utils.testbed.living import living
from tools import doctor_installed as inside

STEPS = (
    *NEXT_STEPS,
    "Install ",
    "Open ",
    "open ",
    "Use ",
    "Close ",
    "Delete ",
    "Move ",
    "move ",
    "Rename ",
    "Clone ",
    "Put ",
    "apt install",
    "make UV=",
    "If ",
    "make PYTHON=",
    "the lab's own",
)


@pytest.fixture
def doctor(tmp_path, monkeypatch):
    """tools/doctor.py, looking at a lab in a folder of the test's own."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    module = importlib.import_module("doctor")
    (tmp_path / "roundtrips").mkdir()
    for name in ("requirements.txt", "pyproject.toml", "roundtrips/pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    install = module.install
    for changed, name, value in (
        (module, "ROOT", tmp_path),
        (module, "WORK", tmp_path / "work"),
        (install, "ROOT", tmp_path),
        (install, "VENV", tmp_path / ".venv"),
        (install, "WHEELHOUSE", tmp_path / "wheelhouse"),
        (install, "PYTHON", tmp_path / ".venv" / "bin" / "python"),
    ):
        monkeypatch.setattr(changed, name, value)
    proxies = "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"
    for name in (
        "LAB_STATE",
        "PYTHONHOME",
        "PYTHONPATH",
        "PIP_USER",
        "REDIS_URL",
        "SSH_CONNECTION",
        "UV",
        "NO_UV",
        *proxies,
        *map(str.lower, proxies),
    ):
        monkeypatch.delenv(name, raising=False)
    return module


def one(check, mark):
    """The text of the one finding of that mark, which says what to do."""
    texts = [text for found, _, text in check() if found == mark]
    assert len(texts) == 1, list(check())
    says_what_to_do = mark == "ok" or any(step in texts[0] for step in STEPS)
    assert says_what_to_do, texts[0]
    return texts[0]


def test_an_installation_that_is_running_is_all_that_is_said_of_packages(doctor):
    with doctor.install.alone():
        assert "an installation is running" in one(doctor.packages, "note")
        assert list(doctor.installed()) == []


def test_two_installations_wait_for_each_other(doctor, monkeypatch):
    done = []
    monkeypatch.setattr(doctor.install, "installed", lambda name: name in done)

    def install(name):
        time.sleep(0.2)
        done.append(name)

    monkeypatch.setattr(doctor.install, "install", install)
    both = [
        threading.Thread(target=doctor.install.main, args=(["requirements.txt"],)) for _ in range(2)
    ]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert done == ["requirements.txt"]


@pytest.mark.parametrize("name", ["doctor.py", "install.py"])
def test_an_old_python_can_read_it(name):
    text = (ROOT / "tools" / name).read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 8))
    assert "removeprefix" not in text and "|=" not in text  # of strings and dicts: Python 3.9


# One thing broken at a time


def returns(value):
    return lambda *_, **__: value


def without(program):
    return "said", lambda command, *_: None if command == program else "there"


def raises(error):
    def fail(*_, **__):
        raise error

    return fail


GLIBC, LINUX = ("platform.libc_ver", returns(("glibc", "2.36"))), ("sys.platform", "linux")
NOTHING_SAID = ("said", returns(""))
ON_WINDOWS_DRIVE = (
    LINUX,
    GLIBC,
    ("platform.release", returns("5.15-microsoft-standard-WSL2")),
    ("ROOT", "/mnt/c/lab"),
)
NOT_HERE = ("running_elsewhere", returns(False))
PROXY = ("http_proxy", "http://somebody:secret@127.0.0.1:9")
# Check, (what, what it is then) …, mark, words. A name with a dot is a library's, one of capitals
# a variable's.
BROKEN = [
    ("system", [("sys.platform", "win32")], "FIX", "WSL"),
    ("system", [LINUX, ("platform.libc_ver", returns(("", "")))], "FIX", "docker compose up"),
    ("system", ON_WINDOWS_DRIVE, "note", "Windows drive"),
    ("system", [LINUX, GLIBC], "ok", " CPUs"),
    *(
        ("python", [("sys.version_info", version)], "FIX", "make PYTHON=")
        for version in ((3, 8, 10), (3, 10, 2), (3, 15, 0))
    ),
    *(
        ("python", [("sys.version_info", version)], "ok", "3.")
        for version in ((3, 11, 0), (3, 14, 9))
    ),
    ("python", [("importable", lambda name: name != "ensurepip")], "FIX", "-venv"),
    ("tools", [("UV", "uv"), without("make")], "note", "apt install make"),
    ("tools", [("UV", "uv"), without("uv")], "note", "make UV= lab"),
    ("tools", [("shutil.which", returns(None))], "FIX", "procps"),
    (
        "memory",
        [("read", returns("MemTotal: 8 kB\nMemAvailable:     102400 kB\n"))],
        "FIX",
        "100 MB are free; a chapter needs 300",
    ),
    ("memory", [("read", returns(""))], "ok", "in all"),
    ("folder", [("os.access", returns(False))], "FIX", "cannot be written"),
    (
        "folder",
        [("os.statvfs", returns(SimpleNamespace(f_flag=getattr(os, "ST_NOEXEC", 0))))],
        "FIX" if hasattr(os, "ST_NOEXEC") else "ok",
        "programs",
    ),
    ("work", [], "ok", "not there yet"),
    ("work", [("writable", lambda path: path.name != ".lab")], "FIX", ".lab cannot be written"),
    ("variables", [NOTHING_SAID, ("PYTHONHOME", "/usr")], "FIX", "unset PYTHONHOME"),
    ("variables", [NOTHING_SAID, ("PYTHONPATH", "/elsewhere")], "note", "unset PYTHONPATH"),
    ("variables", [NOTHING_SAID, ("PIP_USER", "1")], "FIX", "PIP_USER=0"),
    ("variables", [("said", returns("global.user='true'"))], "FIX", "PIP_USER=0"),
    ("packages", [NOT_HERE, ("index_answers", returns(True))], "ok", "not installed yet: make lab"),
    ("packages", [NOT_HERE, ("index_answers", returns(False))], "FIX", "not installed yet"),
    ("packages", [("install.installed", returns(True))], "ok", "no internet is needed"),
    ("loopback", [], "ok", "answer"),
    ("loopback", [("socket.create_connection", raises(PermissionError()))], "FIX", "firewall"),
    ("proxies", [], "ok", "none are set"),
    ("proxies", [PROXY], "FIX", "no_proxy=localhost,127.0.0.1"),
    ("proxies", [PROXY, ("no_proxy", "localhost,127.0.0.1")], "note", "HTTP_PROXY"),
    ("browser", [("webbrowser.get", returns(SimpleNamespace(name="firefox")))], "ok", "firefox"),
    ("browser", [("webbrowser.get", raises(webbrowser.Error()))], "note", "open the address"),
    (
        "browser",
        [("SSH_CONNECTION", "203.0.113.7 1 203.0.113.8 22")],
        "note",
        "ssh -L 8888:127.0.0.1:8888",
    ),
    ("installed", [NOT_HERE], "note", "make lab"),
]


@pytest.mark.parametrize(
    "check, changed, mark, said", BROKEN, ids=[f"{check}: {said}" for check, _, _, said in BROKEN]
)
def test_what_is_broken_is_found_and_it_is_said_what_to_do(
    doctor, monkeypatch, check, changed, mark, said
):
    for name, value in changed:
        if "." in name:
            monkeypatch.setattr(name, value)
        elif hasattr(doctor, name):
            monkeypatch.setattr(doctor, name, value)
        else:
            monkeypatch.setenv(name, value)
    text = one(getattr(doctor, check), mark)
    assert said in text and "secret" not in text


@pytest.mark.parametrize(
    "name", ["redis.py", "json.py", "lab_utils/__init__.py", "roundtrips/__init__.py"]
)
def test_a_file_that_hides_a_package(doctor, name):
    (doctor.WORK / name).parent.mkdir(parents=True)
    (doctor.WORK / name).touch()
    (doctor.WORK / "my_page.py").touch()
    text = one(doctor.work, "FIX")
    assert name.split("/")[-1] in text and "my_page" not in text


def test_leftovers(doctor, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    told = [
        f"31 30 {os.getuid()} python /lab/_link_process.py 5",  # of a living kernel
        "32 1 99999 python /lab/_link_process.py 5",  # somebody else's
        f"34 30 {os.getuid()} sh -c trap {tmp_path}/redis-round-trip-lab-0a 10 redis-server -",
    ]
    monkeypatch.setattr(doctor, "said", lambda *_: "\n".join(told))
    (tmp_path / "redis-round-trip-lab-0a").mkdir()
    assert one(doctor.leftovers, "ok")
    told.append(f"33 1 {os.getuid()} python /lab/_link_process.py 5")
    (tmp_path / "redis-round-trip-lab-gone").mkdir()
    assert one(doctor.leftovers, "FIX").endswith("kill -9 33.")
    text = one(doctor.leftovers, "note")
    assert text.startswith("folders of servers that are gone: 1. Run rm -r ")
    assert "lab-gone" in text and "lab-0a" not in text


def test_what_a_command_says(doctor):
    assert doctor.said("sh", "-c", "exit 1") is doctor.said("/nowhere/uv") is None
    assert doctor.said("echo", "here") == "here"


def test_disk(doctor, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", returns(SimpleNamespace(free=80 << 20)))
    texts = [text for mark, _, text in doctor.disk() if mark == "FIX"]
    assert "it needs 700" in texts[0] and "TMPDIR" in texts[1]
    monkeypatch.setattr(doctor.install, "installed", returns(True))
    assert "it needs 100" in next(text for _, _, text in doctor.disk())


def test_a_wheelhouse(doctor, tmp_path):
    (tmp_path / "requirements.txt").write_text(
        "redis==8.1.0  # the client\nhiredis==3.5.0  # its parser\n", encoding="utf-8"
    )
    place = tmp_path / "wheelhouse"
    place.mkdir()
    (place / "redis-8.1.0-py3-none-any.whl").touch()
    (place / "hiredis-3.5.0-cp39-cp39-manylinux_2_17_x86_64.whl").touch()  # for another Python
    assert "lacks hiredis 3.5.0 for this Python" in one(doctor.packages, "FIX")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    (place / f"hiredis-3.5.0-{tag}-{tag}-manylinux_2_17_x86_64.whl").touch()
    assert "offline" in one(doctor.packages, "ok")


def test_a_localhost_that_is_elsewhere(doctor, monkeypatch):
    found, elsewhere = socket.getaddrinfo, [(2, 1, 6, "", ("203.0.113.7", 8888))]
    monkeypatch.setattr(
        "socket.getaddrinfo",
        lambda host, *more, **options: (
            elsewhere if host == "localhost" else found(host, *more, **options)
        ),
    )
    assert "/etc/hosts" in one(doctor.loopback, "FIX")


# The installed lab


HANGS = """
import time
print('["ok", "server", "Redis"]', flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize(
    "program, said",
    [
        ("raise ImportError('no libssl')", "no libssl"),
        (HANGS, "not done after 6 s"),
    ],
    ids=["broken", "hanging"],
)
def test_an_installation_that_does_not_run(doctor, monkeypatch, tmp_path, program, said):
    (tmp_path / "doctor_installed.py").write_text(program, encoding="utf-8")
    monkeypatch.setattr(doctor, "__file__", str(tmp_path / "doctor.py"))
    monkeypatch.setattr(doctor, "lab_python", lambda: sys.executable)
    monkeypatch.setattr(doctor, "INSTALLED_S", 6)
    told = list(doctor.installed())
    [text] = [text for status, _, text in told if status == "FIX"]
    assert said in text and "make clean" in text
    assert program != HANGS or ("ok", "server", "Redis") in told


def test_a_check_that_fails_stops_no_other(doctor, monkeypatch, capsys):
    def memory():
        raise ValueError("what no one foresaw")

    monkeypatch.setattr(
        doctor, "CHECKS", (memory, lambda: [("FIX", "disk", "full. Delete something.")])
    )
    assert doctor.main() == 1
    out = capsys.readouterr().out
    assert "could not be looked at: ValueError: what no one foresaw" in out
    assert "1 to put right" in out
    monkeypatch.setattr(doctor, "CHECKS", (memory,))
    assert doctor.main() == 0


def test_neither_a_users_name_nor_a_password_is_shown(doctor, monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "jo.doe")
    monkeypatch.setenv("HOME", "/home/jo.doe")
    monkeypatch.setattr(doctor, "ROOT", "/home/jo.doe/lab")
    monkeypatch.setenv("REDIS_URL", "redis://me:s3cret@somewhere:6379/0")
    text = "in /home/jo.doe/lab/.venv, ~/x, /tmp/jo.doe/y of /home/jo.doe: s3cret, /jo.doer"
    assert doctor.private(text) == "in ./.venv, ~/x, /tmp/<user>/y of ~: ***, /jo.doer"


# What the installed lab tells


def test_another_version_than_the_pinned_one(monkeypatch):
    assert one(inside.pinned, "ok")
    monkeypatch.setattr(inside, "version", lambda name: "5.0.0")
    assert "redis is 5.0.0, not 8.1.0" in one(inside.pinned, "FIX")

    def none(name):
        raise inside.PackageNotFoundError(name)

    monkeypatch.setattr(inside, "version", none)
    assert "tqdm is none" in one(inside.pinned, "FIX")


@pytest.mark.parametrize("name", ["orjson", "roundtrips.traces"])
def test_a_package_that_cannot_be_imported(monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    assert name in one(inside.imports, "FIX")


def test_widgets(monkeypatch, tmp_path):
    assert one(inside.widgets, "ok")
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *_: [str(tmp_path)])
    assert "the map" in one(inside.widgets, "FIX")


def test_a_server_that_does_not_start(monkeypatch):
    assert "starts and answers" in one(inside.server, "ok")
    monkeypatch.setenv("LAB_REDIS_SERVER", "/nowhere/redis-server")
    [(mark, name, text)] = inside.found(inside.server)
    assert (mark, name) == ("FIX", "server") and "LAB_REDIS_SERVER" in text


@pytest.mark.parametrize(
    "measured, taken, mark, name, said",
    [
        (1.004, 0, "ok", "link", "1.004"),
        (1.4, 0, "note", "link", "plug the machine in"),
        (1.0, 0.4, "note", "calm", "other programs took 40% of the time"),
    ],
)
def test_the_link_and_whether_the_machine_is_calm(monkeypatch, measured, taken, mark, name, said):
    monkeypatch.setattr("lab_utils.testbed.fingerprints.distance_ms", lambda: measured)
    monkeypatch.setattr(
        "lab_utils.compare", lambda *_, **__: calm.note(calm.Calm(1, 9, taken)), raising=False
    )
    assert said in next(text for found, of, text in inside.link() if (found, of) == (mark, name))


def test_a_server_of_ones_own_that_is_not_there(monkeypatch):
    """The finding says so, and no password."""
    monkeypatch.setenv("REDIS_URL", "redis://:s3cret@127.0.0.1:9/0")
    # as in a kernel that has none yet
    monkeypatch.setattr(chosen_server, "server", living(chosen_server.server.__wrapped__))
    [(mark, name, text)] = inside.found(inside.own_server)
    assert (mark, name) == ("FIX", "own server")
    assert "No answer from redis://:***@127.0.0.1:9/0" in text and "s3cret" not in text
