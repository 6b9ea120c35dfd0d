"""`make room`, without opening one: what it promises, refuses and deletes, and who may come in."""

import asyncio
import contextlib
import ipaddress
import json
import os
import re
import resource
import runpy
import signal
import socket
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import docker
import psutil
import pytest
import requests
import yaml
from boards import Answering, serving
from dockerspawner import DockerSpawner
from helpers import ROOT, running, wait_until
from tornado.web import HTTPError
from traitlets.config.loader import PyFileConfigLoader

from room import names
from room.board import people
from tools import room as command

TIED = [sys.executable, str(ROOT / "room" / "tied.py")]
PASSWORD, LEADERS = "abcd-efgh-jkmn", "l" * 32


@pytest.fixture
def room(tmp_path, monkeypatch):
    """tools/room.py, whose folder is the test's own."""
    monkeypatch.setattr(command, "FOLDER", tmp_path / "a room ü")
    return command


def settled(room, *options, address="127.0.0.1"):
    return room.settled(ipaddress.ip_address(address), room.parsed(["--port", "0", *options]))


# Opening


def test_passwords_are_long_stay_and_are_for_the_leaders_eyes(room):
    with room.kept_folder():
        first = settled(room)
        (room.FOLDER / "room.json").write_text("of others too")
        (room.FOLDER / "room.json").chmod(0o644)
        room.write_private(room.FOLDER / "room.json", json.dumps(first))
        again = settled(room)
        with pytest.raises(SystemExit, match="open already"), room.kept_folder():
            pass
    # Learners' servers find the hub again.
    assert {**first["ports"], "room": 0} == {**again["ports"], "room": 0}
    assert len(first["password"].replace("-", "")) == 12 and len(first["leaders_password"]) == 32
    assert all(again[name] == first[name] for name in ("password", "leaders_password"))
    assert stat.S_IMODE(room.FOLDER.stat().st_mode) == 0o700
    assert stat.S_IMODE((room.FOLDER / "room.json").stat().st_mode) == 0o600


def test_root_stays_on_loopback(room, monkeypatch):
    monkeypatch.setattr(room.os, "geteuid", lambda: 0)
    for options in (["--open"], ["--address", "192.0.2.7"]):
        with pytest.raises(SystemExit, match=r"would be root here\. Run it as another user"):
            room.main(options)
    assert not room.FOLDER.exists()


def test_a_port_that_is_taken_is_left_to_who_has_it(room):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert room.free_port("127.0.0.1", port) not in (0, port)
    with pytest.raises(SystemExit, match="make room ADDRESS="):
        room.free_port("192.0.2.7")
    assert room.free_port("127.0.0.1") in room.PORTS  # others are lent to whoever connects


@pytest.mark.parametrize(
    "options, memory_mb, cores, learners, limit",
    [
        ([], 64_000, 2, 30, "2 CPUs, 15 learners each"),
        ([], 4000, 16, 14, "4000 MB of free memory, 250 MB each"),
        ([], 100, 16, 1, "100 MB"),
        (["--containers"], 64 << 10, 16, 8, "16 CPUs, 2 for each learner"),
        (["--containers"], 64 << 10, 256, 64, "65536 MB of free memory, 1024 MB each"),
    ],
)
def test_how_many_learners_fit(room, monkeypatch, options, memory_mb, cores, learners, limit):
    """Containers stand beside the hub's, so what limits that one does not limit them."""
    here, beside = (0, memory_mb << 20) if options else (memory_mb << 20, 0)
    monkeypatch.setattr(room, "free_memory", lambda: here)
    monkeypatch.setattr(room.psutil, "virtual_memory", lambda: SimpleNamespace(available=beside))
    allowed = {} if options else dict.fromkeys(range(cores))
    monkeypatch.setattr(room.cpus, "cores", lambda _: allowed)
    monkeypatch.setattr(room.os, "cpu_count", lambda: cores)
    found, why = room.capacity(bool(options))
    assert found == learners == settled(room, *options)["learners"] and limit in why


def test_a_room_is_warmed_by_what_a_kernel_does_or_says_that_it_was_not(room, capsys, monkeypatch):
    room.warm()
    assert capsys.readouterr().out == "Warming up …\n"
    monkeypatch.setattr(room, "WARMING", "raise OSError('no server')")
    room.warm()
    assert "Run make doctor" in capsys.readouterr().out


def test_what_opening_means_is_said(room):
    alone = room.welcome(settled(room), ipaddress.ip_address("127.0.0.1"))
    assert "this machine only" in alone and "each can read the others' files" in alone
    opened = room.welcome(settled(room, "--learners", "7"), ipaddress.ip_address("0.0.0.0"))
    assert "plain HTTP" in opened and "TLS" in opened and "//0.0.0.0" not in opened
    assert "Learners at once: 7" in opened


def test_the_hub_takes_the_settings_and_listens_where_it_was_told(room, monkeypatch, tmp_path):
    settings = settled(room) | {"sockets": "/tmp/lab-12345678"}
    (tmp_path / "room.json").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setenv("ROOM", str(tmp_path / "room.json"))
    config = PyFileConfigLoader("jupyterhub_config.py", path=str(ROOT / "room")).load_config()
    hub = config.JupyterHub
    assert hub.bind_url == settings["bind_url"] and hub.hub_ip == "127.0.0.1"
    assert hub.active_server_limit == settings["learners"]
    home = config.SimpleLocalProcessSpawner.home_dir_template.format(username="ana")
    folders = config.Spawner.environment
    ana = SimpleNamespace(home_dir=home, user=SimpleNamespace(id=999))
    assert Path(folders["LAB_WORK"](ana)) == tmp_path / "learners" / "ana" / "work"
    socket_path = folders["JUPYTER_RUNTIME_DIR"](ana) + "/kernel--ipc-5"
    assert len(socket_path) + 36 < 104  # of a Unix socket's path, on macOS
    assert "REDIS_URL" not in config.Spawner.env_keep  # sixteen databases, thirty learners


# Ending


def test_ending_asks_and_deletes_only_a_room(room, monkeypatch, capsys):
    room.FOLDER.mkdir()
    (room.FOLDER / "thesis.txt").touch()
    room.main(["--end", "--sure"])
    assert (room.FOLDER / "thesis.txt").exists()
    assert "There is no room to end" in capsys.readouterr().out
    for name in ("bob", "ana"):
        (room.FOLDER / "learners" / name).mkdir(parents=True)
    (room.FOLDER / "room.json").touch()
    monkeypatch.setattr("builtins.input", lambda _: "no")
    with pytest.raises(SystemExit, match="Nothing is deleted"):
        room.main(["--end"])
    with room.kept_folder(), pytest.raises(SystemExit, match="open already"):
        room.end(sure=True)
    monkeypatch.setattr("builtins.input", lambda _: "yes")
    room.main(["--end"])
    assert "2 learners: ana, bob" in capsys.readouterr().out and not room.FOLDER.exists()
    room.FOLDER.mkdir()
    (room.FOLDER / "room.json").touch()
    monkeypatch.setattr("builtins.input", lambda _: "no")
    room.main(["--end", "--sure"])
    assert not room.FOLDER.exists()


# Who is who


class Handler:
    """As much of a hub's page as the authenticator sees."""

    hub = SimpleNamespace(base_url="/hub/")

    def __init__(self, users=()):
        self.users, self.cookies = dict.fromkeys(users, SimpleNamespace(active=True)), {}
        self.find_user = self.users.get

    def get_secure_cookie(self, name, max_age_days):
        return self.cookies.get(name)

    def set_secure_cookie(self, name, value, **_):
        self.cookies[name] = value


@pytest.fixture
def door(monkeypatch):
    monkeypatch.setattr(people, "WRONG_S", 0)
    monkeypatch.setattr(names, "names_in_hub", lambda handler: list(handler.users))
    return names.RoomAuthenticator(
        user_password=PASSWORD, admin_password=LEADERS, admin_users={"leader"}, allow_all=True
    )


async def enter(door, handler, name, password=PASSWORD):
    found = await door.authenticate(handler, {"username": name, "password": password})
    handler.users[found["name"]] = SimpleNamespace(active=True)
    return found["name"], found["admin"]


def entered(*arguments):
    return asyncio.run(enter(*arguments))


def refused(*arguments):
    with pytest.raises(HTTPError) as caught:
        entered(*arguments)
    assert caught.value.status_code == 403
    return caught.value.log_message


def test_a_name_stays_as_it_was_typed(door):
    kept = {"Ana": "Ana", "  Jo\u0308rg   Müller ": "Jörg Müller", "O'Neil": "O'Neil"}
    for typed, name in kept.items():
        assert entered(door, Handler(), typed) == (name, False)
        assert door.normalize_username(name) == name


@pytest.mark.parametrize(
    "name, said",
    [
        *(
            (other, "Ana is at work right now")
            for other in ("ANA", "\u0410na", "an\u0430", "\uff21na", "\u0391na")
        ),
        *((own, "the room's own") for own in ("board", "Culler", "b\u043eard")),
        *(
            (none, "1 to 32 letters")
            for none in ("", " ", "..", "../ana", "a\\b", "x" * 33, "<b>", "{x}", "a%2fb")
        ),
    ],
    ids=ascii,
)
def test_a_name_that_is_anothers_the_rooms_or_none_is_refused(door, name, said):
    """Or that only looks like it."""
    assert said in refused(door, Handler(users=["Ana"]), name)


def test_who_guesses_passwords_waits_and_many_are_sent_away(door, monkeypatch):
    monkeypatch.setattr(people, "WRONG_S", 30)

    async def many():
        guesses = [
            asyncio.create_task(enter(door, Handler(), "ana", "guess"))
            for _ in range(people.MOST_WRONG)
        ]
        await asyncio.sleep(0)
        with pytest.raises(HTTPError) as caught:
            await enter(door, Handler(), "ana", "guess")
        [name, _] = await enter(door, Handler(), "bob")
        assert name == "bob"  # who has the password does not wait
        waiting = sum(not guess.done() for guess in guesses)
        for guess in guesses:
            guess.cancel()
        return caught.value.status_code, waiting

    assert asyncio.run(many()) == (429, people.MOST_WRONG)


def test_a_name_belongs_to_the_browser_that_took_it(door):
    mine = Handler()
    assert entered(door, mine, "Ana") == ("Ana", False)
    assert entered(door, mine, "ana") == ("Ana", False)  # she comes back
    another = Handler(users=["Ana"])
    another.users["Ana"].active = False
    assert "came in as Ana before" in refused(door, another, "ANA")
    assert entered(door, another, "Ana 2") == ("Ana 2", False)
    another.cookies[names.COOKIE] = "no JSON"
    assert "Ana 2" in refused(door, another, "Ana 2")


def test_each_password_opens_its_own_door(door):
    assert entered(door, Handler(), "Leader", LEADERS) == ("leader", True)
    assert "kept for the leader" in refused(door, Handler(), "leader")
    assert "goes with the name leader" in refused(door, Handler(), "ana", LEADERS)
    for wrong in ("", "guess", "ü" * 12):
        assert "not the room's password" in refused(door, Handler(), "ana", wrong)


# What runs for the room


def printed(*command, before=()):
    """What a command prints that tied.py runs."""
    return subprocess.run([*before, *TIED, *command], capture_output=True, text=True).stdout


def test_a_process_is_kept_to_its_memory():
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    said = printed("--mb", "1024", sys.executable, "-c", code)
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    assert int(said) == 1 << 30 or most != resource.RLIM_INFINITY


HOGS = """
import subprocess, sys
each = [sys.executable, "-c", "held = bytearray(200 << 20); print(flush=True); input()"]
hogs = [subprocess.Popen(each, stdin=-1, stdout=-1) for _ in range(4)]
[hog.stdout.readline() for hog in hogs]  # each holds its memory until all do, or is killed
print(*[hog.communicate(b"go") and hog.returncode for hog in hogs])
"""


def test_all_processes_together_are_kept_to_their_memory_where_the_system_allows_it(room):
    if room.limited_by() != "cgroup":
        pytest.skip("this user may make no cgroup with a limit of memory")
    tied = subprocess.Popen(
        [*TIED, "--mb", "512", sys.executable, "-c", HOGS], stdout=subprocess.PIPE, text=True
    )
    killed = tied.communicate()[0].split().count("-9")
    assert killed in (1, 2, 3)  # 800 MB: who is more than 512 is killed, the others go on
    group, _ = next(room.tied.own_groups())
    assert not (group / f"room-{tied.pid}").exists()


def test_systemd_limits_all_together_where_cgroups_are_its_own(room, monkeypatch, tmp_path):
    """It is a systemd-run of the test's own, which limits nothing: so it is not believed."""
    monkeypatch.setattr(room, "TIED", [sys.executable, str(tmp_path / "tied.py")])
    (tmp_path / "tied.py").write_text("print(1)", encoding="utf-8")
    assert room.limited_by() == ""
    code = f"import sys; print({room.PROCESS_MB << 20} if '--scope' in sys.argv else '')"
    (tmp_path / "tied.py").write_text(code, encoding="utf-8")
    assert room.limited_by() == "systemd"
    assert f"MemoryMax={room.PROCESS_MB}M" in room.tied.scope(room.PROCESS_MB)


needs_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="others tell of no parent's end, and of orphans"
)


@needs_linux
def test_a_process_ends_with_its_parent_however_that_ends():
    starts = (
        "import subprocess, sys; print(subprocess.Popen(sys.argv[1:]).pid, flush=True); input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", starts, *TIED, "--grace=99", "sleep", "99"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    child = int(parent.stdout.readline())
    below = psutil.Process(child).children
    assert wait_until(lambda: [each.name() for each in below()] == ["sleep"])
    [sleeping] = below()
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not running(child) and not running(sleeping.pid), 5)
    assert not os.path.exists(f"/proc/{parent.pid}")


def test_it_ends_by_ctrl_c_where_a_shell_had_that_ignored():
    """As behind a shell's &: hub and services would wait for each other until SIGTERM."""
    code = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    said = printed(sys.executable, "-c", code, before=ignoring)
    assert said == "True\n"


@needs_linux
@pytest.mark.parametrize("ends", ["by itself", "told"])
def test_what_a_learner_has_detached_ends_too(ends, tmp_path):
    code = (
        "trap '' HUP INT TERM; "
        'setsid sh -c \'trap "" HUP INT TERM; echo $$ > $0; sleep 1000 & wait\' "$0" & '
        'while [ ! -s "$0" ]; do sleep 0.05; done; '
        f"{'exit 7' if ends == 'by itself' else 'sleep 1000'}"
    )
    file = tmp_path / "pid"
    tied = subprocess.Popen([*TIED, "--grace", "1", "sh", "-c", code, str(file)])
    assert wait_until(lambda: file.exists() and file.read_text().strip())
    detached = int(file.read_text())  # killed by now, it may be
    if ends == "told":
        tied.send_signal(signal.SIGINT)  # which the command ignores, as it may
    assert tied.wait(10) == (7 if ends == "by itself" else -signal.SIGKILL & 0xFF)
    assert not running(detached)


@needs_linux
def test_who_tidies_up_after_a_kernel_gets_a_moment_for_it(tmp_path):
    """As a server's keeper does, which ignores signals and ends by itself."""
    keeper = [
        "sh",
        "-c",
        "trap '' TERM; echo; read -r nothing; sleep 0.2; rm \"$0\"",
        str(kept := tmp_path / "kept"),
    ]
    code = (
        f"import subprocess as s; keeper = s.Popen({keeper}, stdin=s.PIPE, stdout=s.PIPE); "
        "keeper.stdout.readline()"
    )
    tied = (
        "import sys, tied; assert tied.MOMENT_S > 0.2; tied.MOMENT_S = tied.KILLED_S = 20; "
        "tied.main(sys.argv[1:])"
    )  # 0.2 s may take longer than 0.5 s
    kept.touch()
    subprocess.run(
        [sys.executable, "-c", tied, sys.executable, "-c", code],
        cwd=ROOT / "room",
        check=True,
        timeout=60,
    )
    assert not kept.exists()


def test_what_is_left_over_is_told_with_its_number(room):
    work = room.FOLDER / "learners" / "Ana" / "work", f"{room.FOLDER}2/work"
    left, other = (
        subprocess.Popen(["sleep", "1000"], env={**os.environ, "LAB_WORK": str(each)})
        for each in work
    )
    [told] = room.left_over()
    for process in (left, other):
        process.kill()
        process.wait()
    assert told.endswith(f"kill -9 {left.pid}") and "of Ana: sleep 1000" in told


# Before it all, the proxy


class Target(Answering):
    """A learner's server: it tells how long a body was, and answers a GET with 64 MB."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("X-Of-The-Target", "1")
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(64):
                self.wfile.write(bytes(1 << 20))

    def do_POST(self):
        length = left = int(self.headers["Content-Length"])
        while left:
            left -= len(self.rfile.read(min(left, 1 << 16)))
        self.answer(201, str(length).encode())


@pytest.fixture
def proxy():
    """(address, process) of room/proxy.py; /user/ana is a Target, all else a hub: one too."""
    port, api = (command.free_port("127.0.0.1") for _ in range(2))
    routes = f"http://127.0.0.1:{api}/api/routes/user/ana"
    with serving(Target) as target:
        process = subprocess.Popen(
            [
                *TIED,
                sys.executable,
                str(ROOT / "room" / "proxy.py"),
                "--ip",
                "127.0.0.1",
                "--port",
                str(port),
                "--api-ip",
                "127.0.0.1",
                "--api-port",
                str(api),
                "--log-level",
                "error",
                "--default-target",
                target,
            ],
            env={**os.environ, "CONFIGPROXY_AUTH_TOKEN": "secret"},
        )
        route = {"json": {"target": target}, "headers": {"Authorization": "token secret"}}

        def is_up():
            with contextlib.suppress(requests.ConnectionError):
                return requests.post(routes, **route, timeout=30).status_code == 201

        assert wait_until(is_up, 30)
        yield f"http://127.0.0.1:{port}", psutil.Process(process.pid).children()[0]
        process.terminate()
        process.wait(30)


def test_bodies_go_through_the_proxy_in_pieces_and_none_is_held(proxy):
    address, process = proxy
    assert requests.post(f"{address}/hub/login", data=b"x" * 1000, timeout=30).text == "1000"
    before = process.memory_info().rss
    with ThreadPoolExecutor(8) as several:
        for path, size, status in (
            ("/hub/login", 5 << 20, 413),
            ("/user/ana/x", 40 << 20, 413),
            ("/user/ana/x", 19 << 20, 201),
        ):
            post = partial(requests.post, f"{address}{path}", data=bytes(size), timeout=60)
            answers = list(several.map(lambda _, post=post: post(), range(8)))
            assert [answer.status_code for answer in answers] == [status] * 8
    assert {answer.text for answer in answers} == {str(19 << 20)}
    get = partial(requests.get, f"{address}/user/ana/x", stream=True, timeout=60)
    with get() as answer:  # read slowly: it waits
        time.sleep(0.5)
        assert answer.headers["X-Of-The-Target"] == "1"
        assert sum(map(len, answer.iter_content(1 << 20))) == 64 << 20
    get().close()  # who asked hangs up
    assert requests.post(f"{address}/user/ana/x", data=b"x", timeout=30).text == "1"
    assert process.memory_info().rss - before < 20 << 20


# Containers


@pytest.fixture
def in_containers(room, monkeypatch, tmp_path):
    """The hub's config as docker-compose.yml's hub loads it."""
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    service = compose["services"]["hub"]
    for name, value in service["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+:-(.*?)\}", r"\1", value))
    monkeypatch.setenv("ROOM_TLS", str(tmp_path / "tls"))
    with room.kept_folder():
        settings = settled(room, "--containers", address="0.0.0.0")
    (tmp_path / "room.json").write_text(json.dumps(settings), encoding="utf-8")
    monkeypatch.setenv("ROOM", str(tmp_path / "room.json"))
    monkeypatch.chdir(tmp_path)  # the hub does not run in the folder of its config
    return settings, PyFileConfigLoader(str(ROOT / "room" / "containers_config.py")).load_config()


def test_each_learner_has_a_container_of_their_own(in_containers, monkeypatch):
    settings, config = in_containers
    assert config.RoomAuthenticator.user_password == settings["password"]
    assert config.JupyterHub.hub_bind_url == f"http://0.0.0.0:{settings['ports']['hub']}"
    # Caddy is believed about where somebody came from.
    assert config.ConfigurableHTTPProxy.command[-1] == "--no-x-forward"
    assert config.JupyterHub.spawner_class == "docker"
    assert config.JupyterHub.active_server_limit == settings["learners"]
    asked = {}

    async def engine(spawner, method, *_, **options):
        asked[method] = options
        return {"Id": "1"}

    monkeypatch.setattr(DockerSpawner, "docker", engine)
    client = docker.APIClient("http://127.0.0.1:9", version="1.45")  # never connects
    monkeypatch.setattr(DockerSpawner, "client", client)
    monkeypatch.setattr(DockerSpawner, "get_env", lambda spawner: dict(spawner.environment))
    learner = SimpleNamespace(name="jörg müller", id=3, escaped_name="jorg", url="/user/jorg/")
    hub = SimpleNamespace(public_host="", server=None)
    spawner = DockerSpawner(config=config, user=learner, hub=hub)
    spawner.pre_spawn_hook(spawner)
    asyncio.run(spawner.create_object())
    created = asked["create_container"]
    assert created["image"] == "redis-round-trip-lab-room"
    lab = "/home/learner/lab"
    assert created["command"][:2] == [f"{lab}/.venv/bin/python", f"{lab}/tools/lab.py"]
    board = f"http://hub:{settings['ports']['room']}/services/board"
    assert created["environment"]["LAB_BOARD_URL"] == board
    limits = created["host_config"]
    assert limits["Memory"] == settings["container_mb"] << 20 and limits["CapDrop"] == ["ALL"]
    assert limits["NetworkMode"] == "redis-round-trip-lab-room"
    assert len(limits["CpusetCpus"].split(",")) in (1, 2)
    [volume] = limits["Binds"]
    assert re.fullmatch(r"redis-round-trip-lab-room-\S+:/home/learner/lab/work:rw", volume)
    assert "docker.sock" not in str(created) and settings["password"] not in str(created)


def test_who_comes_gets_the_cpus_that_fewest_have(in_containers):
    loader = {"load_subconfig": lambda *_: None, "get_config": MagicMock}  # a hub's has them
    containers = runpy.run_path(str(ROOT / "room" / "containers_config.py"), loader)
    places = containers["Places"](5, 2)
    learners = "ana", "bob", "cyd", "dan"
    assert [places.take(name) for name in learners] == ["0,1", "2,3", "0,1", "2,3"]
    places.leave("bob")
    places.leave("dan")
    assert places.take("eve") == "2,3" and places.take("ana") in ("0,1", "2,3")
    alone = [containers["Places"](cpus, 2).take("ana") for cpus in (1, 2, 3)]
    assert alone == ["0", "0,1", "0,1"]


def test_the_leader_of_containers_reads_where_the_board_is_and_the_certificates_code(
    in_containers, room, monkeypatch
):
    settings, _ = in_containers
    code = room.made_certificate()
    assert room.made_certificate() == code and re.fullmatch(r"(\w{4}-){3}\w{4}", code)
    monkeypatch.setattr(room.os, "cpu_count", lambda: 4)
    everywhere = ipaddress.ip_address("0.0.0.0")
    told = room.welcome(settings | {"learners": 2}, everywhere, code)
    board = f"https://localhost:8444/services/board/#key={settings['boards_key']}"
    assert board in told and code in told
    assert "make lab BOARD=https://localhost:8444\n" in told and "some share theirs" not in told
    assert "some share theirs" in room.welcome(settings | {"learners": 3}, everywhere, code)
    monkeypatch.setenv("ROOM_NAME", "192.0.2.7")  # an address will do
    assert room.made_certificate() != code
