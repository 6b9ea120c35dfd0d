"""The image, without a container engine: its steps in a clean folder, not as root; what it runs.

What the Dockerfile does as root, Debian's packages and the user, is left out. So is the cluster's
network: its nodes run here.
"""

import contextlib
import http.client
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import pytest
import yaml
from helpers import ROOT, wait_until
from machine import lacks
from redis import RedisCluster

from lab_utils.testbed.private_server import free_port

LAB = "/home/learner/lab"
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
# A step goes on where its line ends with a backslash.
STEPS = re.findall(r"(?ms)^([A-Z]+) (.*?[^\\])$", DOCKERFILE)


@pytest.fixture(scope="module")
def image(request):
    """run(command): that command where the Dockerfile's steps have been taken, not as root."""
    place = Path(tempfile.mkdtemp(prefix="lab-image-"))
    request.addfinalizer(lambda: shutil.rmtree(place))
    folder, home, temporary = place / "lab", place / "home", place / "tmp"
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    leave_out = [line.removeprefix("**/") for line in ignored if not line.startswith("#")]
    somebody, python = unprivileged()
    environment = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_")) or "proxy" in name
    }
    environment |= {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(home),
        "PYTHON": python,
        "TMPDIR": str(temporary),
    }
    for made in (place, home, temporary):
        made.mkdir(exist_ok=True)

    def run(command, **more):
        return subprocess.Popen(
            ["sh", "-c", command.replace(LAB, str(folder))],
            cwd=folder,
            env={**environment, **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **somebody,
        )

    stage = DOCKERFILE.index("AS lab")
    for word, rest in STEPS:
        if word == "COPY":
            assert rest == "--chown=learner:learner . ."
            shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*leave_out))
            for path in (place, *place.rglob("*")):
                if somebody:
                    os.chown(path, somebody["user"], somebody["group"], follow_symlinks=False)
        elif word == "ENV":
            environment |= dict(setting.split("=", 1) for setting in rest.split())
        elif word == "RUN" and DOCKERFILE.index(rest) > stage:
            ran = run(rest)
            said = ran.communicate(timeout=800)[0]
            assert ran.returncode == 0, said[-2000:]
    return run


def unprivileged():
    """(Popen's options for a user who is not root, a Python of theirs); root if there is none."""
    if os.geteuid() != 0:
        return {}, sys._base_executable
    nobody = pwd.getpwnam("nobody")
    somebody = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    able = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    for python in (sys._base_executable, "/usr/local/bin/python3", "/usr/bin/python3"):
        with contextlib.suppress(OSError):
            tried = subprocess.run([python, "-c", able], capture_output=True, cwd="/", **somebody)
            if tried.returncode == 0:
                return somebody, python
    return {}, sys._base_executable


def step(word):
    """What the Dockerfile's one step of that name runs, in one line."""
    [found] = [rest for name, rest in STEPS if name == word]
    return found.replace("\\\n", " ")


def test_the_lab_answers_and_is_healthy_then(image):
    port = free_port()
    check = step("HEALTHCHECK").split("CMD ", 1)[1]

    def healthy():
        asked = image(check, LAB_PORT=str(port))
        asked.communicate()
        return asked.returncode == 0

    assert not healthy()
    lab = image(step("CMD"), LAB_PORT=str(port))
    try:
        printed = ""
        while "token=" not in printed and (line := lab.stdout.readline()):
            printed += line
        link = rf"http://127\.0\.0\.1:{port}/lab\S*[?&]token=([0-9a-f]{{48}})"
        token = re.search(link, printed)[1]
        assert wait_until(healthy, 30)
        assert status(port) == 403 and status(port, token) == 200
    finally:
        lab.send_signal(signal.SIGTERM)
        lab.communicate(timeout=60)
    assert not healthy()


def status(port, token=""):
    """What the lab answers to a request for chapter 00."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/api/contents/00_start_here.ipynb?content=0&token={token}")
    return connection.getresponse().status


def test_doctor_finds_nothing_to_put_right(image):
    """With a kernel, a server and the link: all that a chapter needs."""
    asked = image(". ./.venv/bin/activate; make doctor")
    said, _ = asked.communicate(timeout=200)
    assert asked.returncode == 0 and "Nothing to put right." in said, said
    for line in (
        "kernel      starts and answers",
        "packages    installed in .venv",
        "widgets",
        "calm",
    ):
        assert line in said, said
    assert str(ROOT) not in said


def test_a_client_on_the_host_follows_the_clusters_nodes(tmp_path):
    """The cluster's command, on other ports: three nodes that lead a client to 127.0.0.1."""
    if not (shutil.which("redis-server") and shutil.which("redis-cli")):
        lacks(
            "redis-server and redis-cli are not on PATH; `apt-get install redis-server` brings them"
        )
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    service, base = compose["services"]["cluster"], free_ports()

    def moved(text):
        there = re.sub(r"\b700([123])\b", lambda port: str(base + int(port[1])), text)
        return there.replace("$$", "$")

    *command, check = map(moved, [*service["command"][1:], service["healthcheck"]["test"][1]])
    nodes = subprocess.Popen(
        ["sh", *command],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
    )

    def healthy():
        return subprocess.run(["sh", "-c", check], capture_output=True).returncode == 0

    try:
        assert wait_until(healthy, 30)
        client = RedisCluster(host="127.0.0.1", port=base + 1)
        assert {client.set(f"key:{number}", number) for number in range(100)} == {True}
        found = {(node.host, node.port) for node in client.get_nodes()}
        assert found == {("127.0.0.1", base + node) for node in (1, 2, 3)}
        client.close()
    finally:
        os.killpg(nodes.pid, signal.SIGTERM)
        nodes.wait(10)


def free_ports():
    """A number after which three ports are free, and those of the nodes' own bus, 10,000 above."""
    for base in range(21000, 29000, 10):
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            for node, bus in product((1, 2, 3), (0, 10000)):
                held.enter_context(socket.create_server(("127.0.0.1", base + node + bus)))
            return base
    raise AssertionError("no free ports")
