"""The image, without a container engine: its steps in a clean folder, not as root; what it runs.

What the Dockerfile does as root, Debian's packages and the user, is left out.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
import requests
from helpers import ROOT, wait_until
from machine import unprivileged

from lab_utils.testbed.private_server import free_port

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def step(word):
    """Return what follows `word`, such as "RUN", in the Dockerfile's last step of that kind."""
    return re.findall(rf"(?m)^ *{word} (.*)", DOCKERFILE)[-1]


@pytest.fixture(scope="module")
def image():
    """Run the Dockerfile's steps in a clean folder; yield a function `run(command, port=0)`.

    The function starts a shell command there, not as root, and returns its Popen.
    """
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    leave_out = [line.removeprefix("**/") for line in ignored if not line.startswith("#")]
    user, python = unprivileged()
    with tempfile.TemporaryDirectory(prefix="lab-image-") as place:  # short, for sockets
        lab = Path(place) / "lab"
        shutil.copytree(ROOT, lab, ignore=shutil.ignore_patterns(*leave_out))
        for path in (lab.parent, lab, *lab.rglob("*")) if user else ():
            os.chown(path, user["user"], user["group"], follow_symlinks=False)
        kept = {name: os.environ[name] for name in os.environ if name.startswith(("PIP_", "SSL_"))}
        own = {"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHON": python, "HOME": place}

        def run(command, port=0):
            return subprocess.Popen(
                ["sh", "-c", command],
                cwd=lab,
                env={**kept, **own, "LAB_PORT": str(port)},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
                **user,
            )

        installing = run(step("RUN"))
        said = installing.communicate(timeout=800)[0]
        assert installing.returncode == 0, said[-2000:]
        yield run


def test_the_lab_answers_and_is_healthy_then(image):
    port = free_port()

    def healthy():
        asked = image(step("HEALTHCHECK").split("CMD ", 1)[1], port)
        asked.communicate()
        return asked.returncode == 0

    assert not healthy()
    lab = image(step("CMD"), port)
    try:
        printed = ""
        while "token=" not in printed and (line := lab.stdout.readline()):
            printed += line
        link = rf"http://127\.0\.0\.1:{port}/lab\S*[?&]token=([0-9a-f]{{48}})"
        token = re.search(link, printed)[1]
        assert wait_until(healthy)
        assert status(port) == 403 and status(port, token) == 200
    finally:
        lab.send_signal(signal.SIGTERM)
        lab.communicate(timeout=60)
    assert not healthy()


def status(port, token=""):
    """Return the HTTP status with which the lab at `port` answers a request for chapter 00."""
    address = f"http://127.0.0.1:{port}/api/contents/00_start_here.ipynb?content=0&token={token}"
    return requests.get(address, timeout=60).status_code


def test_doctor_finds_nothing_to_put_right(image):
    """Doctor starts all that a chapter needs: a kernel, a server and the link."""
    asked = image(". ./.venv/bin/activate; make doctor")
    said, _ = asked.communicate(timeout=200)
    assert asked.returncode == 0 and "Nothing to put right." in said, said
    assert str(ROOT) not in said
