"""`make doctor`: each thing that can be wrong is found, and it is said what to do. Drills run all of it on broken labs."""

import ast
import importlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import namedtuple
from types import SimpleNamespace

import pytest
from helpers import NEXT_STEPS, ROOT

FREE = namedtuple("FREE", "total used free")
STEPS = (*NEXT_STEPS, "Install ", "Open ", "open ", "Use ", "Close ", "Delete ", "Move ", "move ", "Rename ", "Clone ", "Put ",
         "apt install", "make UV=", "If ", "keeps such a file aside", "the lab's own")


@pytest.fixture
def doctor(tmp_path, monkeypatch):
    """tools/doctor.py, looking at a lab in a folder of the test's own."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    for name in ("doctor", "install"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    module = importlib.import_module("doctor")
    (tmp_path / "roundtrips").mkdir()
    for name in ("requirements.txt", "pyproject.toml", "roundtrips/pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    install = module.install
    for changed, name, value in ((module, "ROOT", tmp_path), (module, "WORK", tmp_path / "work"), (install, "ROOT", tmp_path),
                                 (install, "VENV", tmp_path / ".venv"), (install, "WHEELHOUSE", tmp_path / "wheelhouse"),
                                 (install, "PYTHON", tmp_path / ".venv" / "bin" / "python")):
        monkeypatch.setattr(changed, name, value)
    for name in ("LAB_STATE", "PYTHONHOME", "PYTHONPATH", "PIP_USER", "REDIS_URL", "SSH_CONNECTION", "UV", "NO_UV"):
        monkeypatch.delenv(name, raising=False)
    yield module
    for name in ("doctor", "install"):
        sys.modules.pop(name, None)


def one(check, mark):
    """The text of the one finding of that mark, which says what to do."""
    texts = [text for found, _, text in check() if found == mark]
    assert len(texts) == 1, list(check())
    assert mark == "ok" or any(step in texts[0] for step in STEPS), f"it does not say what to do: {texts[0]}"
    return texts[0]


def test_an_installation_that_is_running_is_all_that_is_said_of_packages(doctor, capsys):
    with doctor.install.alone():
        assert "an installation is running" in one(doctor.packages, "note")
        assert list(doctor.installed()) == []
    assert "running" not in str(list(doctor.packages()))


def test_two_installations_wait_for_each_other(doctor, monkeypatch):
    done = []
    monkeypatch.setattr(doctor.install, "installed", lambda name: name in done)
    monkeypatch.setattr(doctor.install, "install", lambda name: (time.sleep(0.2), done.append(name)))
    both = [threading.Thread(target=doctor.install.main, args=(["requirements.txt"],)) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert done == ["requirements.txt"]


def test_what_an_installation_by_pip_left_in_the_clone(doctor, tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "said", lambda *command: "")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    (tmp_path / "build").mkdir()
    (tmp_path / "redis_round_trip_lab.egg-info").mkdir()
    assert "rm -r build redis_round_trip_lab.egg-info" in one(doctor.leftovers, "note")


@pytest.mark.parametrize("name", ["doctor.py", "install.py"])
def test_an_old_python_can_read_it(name):
    text = (ROOT / "tools" / name).read_text(encoding="utf-8")
    ast.parse(text, feature_version=(3, 8))
    assert "removeprefix" not in text and "|=" not in text.replace("`|=`", "")  # of strings and dicts: Python 3.9


# The machine


@pytest.mark.parametrize("of, value, mark, said", [
    ("sys.platform", "win32", "FIX", "WSL"),
    ("platform.libc_ver", lambda: ("", ""), "FIX", "docker compose up"),
    ("platform.libc_ver", lambda: ("glibc", "2.36"), "ok", " CPUs"),
], ids=["Windows", "musl", "glibc"])
def test_the_system(doctor, monkeypatch, of, value, mark, said):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(of, value)
    assert said in one(doctor.system, mark)


def test_a_windows_drive_and_a_translated_python(doctor, monkeypatch):
    monkeypatch.setattr("platform.libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.setattr("platform.release", lambda: "5.15-microsoft-standard-WSL2")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(doctor, "ROOT", "/mnt/c/lab")
    assert "Windows drive" in one(doctor.system, "note")
    monkeypatch.setattr("platform.release", lambda: "24.6.0")
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(doctor, "said", lambda *command: "1")
    assert "arm64" in one(doctor.system, "note")


@pytest.mark.parametrize("version, mark", [((3, 8, 10), "FIX"), ((3, 10, 2), "FIX"), ((3, 11, 0), "ok"), ((3, 14, 9), "ok"),
                                           ((3, 15, 0), "FIX")], ids=lambda value: str(value))
def test_python(doctor, monkeypatch, version, mark):
    monkeypatch.setattr(sys, "version_info", version)
    assert one(doctor.python, mark)


def test_a_python_that_cannot_make_a_venv(doctor, monkeypatch):
    monkeypatch.setattr(doctor, "importable", lambda name: name != "ensurepip")
    text = one(doctor.python, "FIX")
    assert "lacks ensurepip" in text and "-venv" in text
    assert not doctor.importable("ensurepip")


def test_what_else_it_takes_to_install(doctor, monkeypatch):
    assert doctor.said("sh", "-c", "exit 1") is doctor.said("/nowhere/uv") is None and doctor.said("echo", "here") == "here"
    for lacking, said in (("make", "apt install make"), ("uv", "make UV= lab")):
        monkeypatch.setenv("UV", "uv")
        monkeypatch.setattr(doctor, "said", lambda *command, lacking=lacking: None if command[0] == lacking else "there")
        assert said in one(doctor.tools, "note")
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert "procps" in one(doctor.tools, "FIX")


def test_memory_and_disk(doctor, monkeypatch):
    monkeypatch.setattr(doctor, "read", lambda path: "MemTotal: 8 kB\nMemAvailable:     102400 kB\n")
    assert "100 MB are free; a chapter needs 300" in one(doctor.memory, "FIX")
    monkeypatch.setattr(doctor, "read", lambda path: "")
    assert "in all" in one(doctor.memory, "ok")
    monkeypatch.setattr("shutil.disk_usage", lambda path: FREE(0, 0, 80 << 20))
    texts = [text for mark, _, text in doctor.disk() if mark == "FIX"]
    assert "it needs 700" in texts[0] and "TMPDIR" in texts[1]
    monkeypatch.setattr(doctor.install, "installed", lambda name: True)
    assert "it needs 100" in next(text for _, _, text in doctor.disk())


def test_no_temporary_folder(doctor, monkeypatch):
    def none():
        raise FileNotFoundError(2, "No usable temporary directory found")
    monkeypatch.setattr("tempfile.gettempdir", none)
    assert "TMPDIR" in one(doctor.disk, "FIX")


# The lab's folder


def test_the_folder(doctor, monkeypatch, tmp_path):
    assert one(doctor.folder, "ok")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "cannot be written" in one(doctor.folder, "FIX")
    monkeypatch.setattr("os.access", lambda *_: True)
    monkeypatch.setattr(doctor, "ROOT", f"{tmp_path}{os.pathsep}lab")
    assert "Rename the folder" in one(doctor.folder, "FIX")


@pytest.mark.skipif(not hasattr(os, "ST_NOEXEC"), reason="this system does not tell")
def test_a_disk_without_programs(doctor, monkeypatch):
    monkeypatch.setattr("os.statvfs", lambda path: SimpleNamespace(f_flag=os.ST_NOEXEC))
    assert "noexec" in one(doctor.folder, "FIX")


def test_work_that_is_roots(doctor, monkeypatch):
    assert one(doctor.work, "ok") == "not there yet"
    (doctor.WORK / ".lab").mkdir(parents=True)
    assert one(doctor.work, "ok") == "0 chapters of yours"
    monkeypatch.setattr(doctor, "writable", lambda path: path.name != ".lab")
    assert ".lab cannot be written" in one(doctor.work, "FIX")


def test_a_memory_that_cannot_be_read(doctor):
    (doctor.WORK / ".lab").mkdir(parents=True)
    (doctor.WORK / ".lab" / "state.json").write_text("{", encoding="utf-8")
    (doctor.WORK / ".lab" / "copies.json").write_text("{}", encoding="utf-8")
    assert one(doctor.work, "note").startswith("state.json cannot be read")


@pytest.mark.parametrize("name", ["redis.py", "json.py", "lab_utils/__init__.py", "roundtrips/__init__.py"])
def test_a_file_that_hides_a_package(doctor, name):
    (doctor.WORK / name).parent.mkdir(parents=True)
    (doctor.WORK / name).touch()
    (doctor.WORK / "my_page.py").touch()
    text = one(doctor.work, "FIX")
    assert name.split("/")[-1] in text and "my_page" not in text


@pytest.mark.parametrize("name, value, mark", [("PYTHONHOME", "/usr", "FIX"), ("PYTHONPATH", "/elsewhere", "note"),
                                               ("PIP_USER", "1", "FIX")])
def test_variables(doctor, monkeypatch, name, value, mark):
    monkeypatch.setattr(doctor, "said", lambda *command: "")
    assert list(doctor.variables()) == []
    monkeypatch.setenv(name, value)
    assert one(doctor.variables, mark)


def test_a_setting_of_pips(doctor, monkeypatch):
    monkeypatch.setattr(doctor, "said", lambda *command: "global.user='true'")
    assert "PIP_USER=0" in one(doctor.variables, "FIX")


# Packages


def test_packages(doctor, monkeypatch):
    monkeypatch.setattr(doctor, "running_elsewhere", lambda: False)
    for answers, mark in ((True, "ok"), (False, "FIX")):
        monkeypatch.setattr(doctor, "index_answers", lambda answers=answers: answers)
        assert "not installed yet" in one(doctor.packages, mark)
    monkeypatch.setattr(doctor.install, "installed", lambda name: True)
    assert "no internet is needed" in one(doctor.packages, "ok")


def test_a_wheelhouse(doctor, tmp_path):
    (tmp_path / "requirements.txt").write_text("redis==8.1.0  # the client\nhiredis==3.5.0  # its parser\n", encoding="utf-8")
    place = tmp_path / "wheelhouse"
    place.mkdir()
    (place / "redis-8.1.0-py3-none-any.whl").touch()
    (place / "hiredis-3.5.0-cp39-cp39-manylinux_2_17_x86_64.whl").touch()  # for another Python
    assert "lacks hiredis 3.5.0 for this Python" in one(doctor.packages, "FIX")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    (place / f"hiredis-3.5.0-{tag}-{tag}-manylinux_2_17_x86_64.whl").touch()
    assert "offline" in one(doctor.packages, "ok")


# The network of this machine


def test_loopback(doctor, monkeypatch):
    assert one(doctor.loopback, "ok")
    found = socket.getaddrinfo
    monkeypatch.setattr("socket.getaddrinfo", lambda host, *more, **options: (
        [(2, 1, 6, "", ("203.0.113.7", 8888))] if host == "localhost" else found(host, *more, **options)))
    assert "/etc/hosts" in one(doctor.loopback, "FIX")

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")
    monkeypatch.setattr("socket.create_connection", refused)
    assert "firewall" in one(doctor.loopback, "FIX")


def test_proxies(doctor, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    assert one(doctor.proxies, "ok")
    monkeypatch.setenv("http_proxy", "http://somebody:secret@127.0.0.1:9")
    assert "no_proxy=localhost,127.0.0.1" in one(doctor.proxies, "FIX")
    monkeypatch.setenv("no_proxy", "localhost,127.0.0.1")
    text = one(doctor.proxies, "note")
    assert "HTTP_PROXY" in text and "secret" not in text


def test_the_browser(doctor, monkeypatch):
    monkeypatch.setattr("webbrowser.get", lambda: SimpleNamespace(name="firefox"))
    assert one(doctor.browser, "ok") == "firefox"

    def none():
        raise doctor.webbrowser.Error("could not locate runnable browser")
    monkeypatch.setattr("webbrowser.get", none)
    assert "open the address" in one(doctor.browser, "note")
    monkeypatch.setenv("SSH_CONNECTION", "203.0.113.7 1 203.0.113.8 22")
    assert "ssh -L 8888:127.0.0.1:8888" in one(doctor.browser, "note")


def test_leftovers(doctor, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    rows = {"of a living kernel": f"31 30 {os.getuid()} python /lab/_link_process.py 5",
            "somebody else's": "32 1 99999 python /lab/_link_process.py 5",
            "lost": f"33 1 {os.getuid()} python /lab/_link_process.py 5",
            "a server's": f"34 30 {os.getuid()} sh -c trap {tmp_path}/redis-round-trip-lab-0a 10 redis-server -",
            "the lab": f"35 1 {os.getuid()} python -m jupyterlab --ServerApp.root_dir={doctor.WORK}"}
    told = []
    monkeypatch.setattr(doctor, "said", lambda *command: "\n".join(told))
    (tmp_path / "redis-round-trip-lab-0a").mkdir()
    told += [rows[name] for name in ("of a living kernel", "somebody else's", "a server's")]
    assert one(doctor.leftovers, "ok")
    told += [rows["lost"]]
    assert one(doctor.leftovers, "FIX").endswith("kill -9 33.")
    (tmp_path / "redis-round-trip-lab-gone").mkdir()
    told[:] = [rows["a server's"], rows["the lab"]]
    texts = [text for mark, _, text in doctor.leftovers() if mark == "note"]
    assert texts[0].startswith("folders of servers that are gone: 1. Run rm -r ") and "process 35" in texts[1]
    assert "lab-gone" in texts[0] and "lab-0a" not in texts[0]


# The installed lab


def test_where_nothing_is_installed_it_says_so(doctor, monkeypatch):
    monkeypatch.setattr(doctor, "running_elsewhere", lambda: False)
    assert "make lab" in one(doctor.installed, "note")


@pytest.mark.parametrize("program, said", [
    ("raise ImportError('no libssl')", "no libssl"),
    ("import time\nprint('[\"ok\", \"server\", \"Redis\"]', flush=True)\ntime.sleep(60)", "not done after 0.4 s"),
], ids=["broken", "hanging"])
def test_an_installation_that_does_not_run(doctor, monkeypatch, tmp_path, program, said):
    (tmp_path / "doctor_installed.py").write_text(program, encoding="utf-8")
    monkeypatch.setattr(doctor, "__file__", str(tmp_path / "doctor.py"))
    monkeypatch.setattr(doctor, "lab_python", lambda: sys.executable)
    monkeypatch.setattr(doctor, "INSTALLED_S", 0.4)
    text = one(doctor.installed, "FIX")
    assert said in text and "make clean" in text
    assert "time" not in program or ("ok", "server", "Redis") in list(doctor.installed())


def test_a_check_that_fails_stops_no_other(doctor, monkeypatch, capsys):
    def memory():
        raise ValueError("what no one foresaw")
    monkeypatch.setattr(doctor, "CHECKS", (memory, lambda: [("FIX", "disk", "full. Delete something.")]))
    assert doctor.main() == 1
    out = capsys.readouterr().out
    assert "could not be looked at: ValueError: what no one foresaw" in out and "1 to put right" in out
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


@pytest.fixture
def inside(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    monkeypatch.delitem(sys.modules, "doctor_installed", raising=False)
    yield importlib.import_module("doctor_installed")
    sys.modules.pop("doctor_installed", None)


def test_another_version_than_the_pinned_one(inside, monkeypatch):
    assert one(inside.pinned, "ok")
    monkeypatch.setattr(inside, "version", lambda name: "5.0.0")
    assert "redis is 5.0.0, not 8.1.0" in one(inside.pinned, "FIX")

    def none(name):
        raise inside.PackageNotFoundError(name)
    monkeypatch.setattr(inside, "version", none)
    assert "tqdm is none" in one(inside.pinned, "FIX")


@pytest.mark.parametrize("name", ["orjson", "roundtrips.traces"])
def test_a_package_that_cannot_be_imported(inside, monkeypatch, name):
    monkeypatch.setitem(sys.modules, name, None)
    assert name in one(inside.imports, "FIX")


def test_a_lab_of_another_folder(inside, monkeypatch, tmp_path):
    monkeypatch.setattr(inside, "ROOT", tmp_path)
    assert next(iter(inside.imports()))[0] == "note"


def test_widgets(inside, monkeypatch, tmp_path):
    assert one(inside.widgets, "ok")
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *_: [str(tmp_path)])
    assert "sliders" in one(inside.widgets, "FIX")


def test_settings_of_ones_own(inside, monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    assert one(inside.jupyter, "ok")
    (tmp_path / "jupyter_server_config.py").touch()
    assert "jupyter_server_config.py" in one(inside.jupyter, "note")


def test_a_server_that_does_not_start(inside, monkeypatch):
    assert "starts and answers" in one(inside.server, "ok")
    monkeypatch.setenv("LAB_REDIS_SERVER", "/nowhere/redis-server")
    [(mark, name, text)] = inside.found(inside.server)
    assert (mark, name) == ("FIX", "server") and "LAB_REDIS_SERVER" in text


@pytest.mark.parametrize("measured, mark, said", [(1.004, "ok", "1.004"), (1.4, "note", "plug the machine in"),
                                                  (None, "note", "the lab's own")])
def test_the_link(inside, monkeypatch, measured, mark, said):
    monkeypatch.setattr("lab_utils.testbed.fingerprints.distance_ms", lambda: measured)
    monkeypatch.setattr("lab_utils.compare", lambda *_, **__: None, raising=False)
    assert said in next(text for found, name, text in inside.link() if (found, name) == (mark, "link"))


def test_a_busy_machine_is_told(inside, monkeypatch):
    from lab_utils import calm

    monkeypatch.setattr("lab_utils.testbed.fingerprints.distance_ms", lambda: 1.0)
    monkeypatch.setattr("lab_utils.compare", lambda *_, **__: calm.note(calm.Calm(1, 9, 0.4)), raising=False)
    [text] = [text for mark, name, text in inside.link() if (mark, name) == ("note", "calm")]
    assert "other programs took 40% of the time" in text and "Close what else computes" in text


def test_a_server_of_ones_own_that_is_not_there(tmp_path):
    """The whole of it, as doctor.py runs it, with REDIS_URL leading nowhere: the finding says so, and no password."""
    environment = {**os.environ, "REDIS_URL": "redis://:s3cret@127.0.0.1:9/0", "PYTHONPATH": str(ROOT)}
    code = "import doctor_installed as inside; print([*inside.found(inside.own_server)])"
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True,
                         env={**environment, "PYTHONPATH": os.pathsep.join([str(ROOT / "tools"), str(ROOT)])})
    assert "No connection to redis://:***@127.0.0.1:9/0" in ran.stdout and "s3cret" not in ran.stdout, ran.stderr
    assert json.dumps(["FIX", "own server"])[1:-1].replace('"', "'") in ran.stdout
