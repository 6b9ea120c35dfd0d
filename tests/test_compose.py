"""docker-compose.yml and the Dockerfile: valid, patched, on loopback, healthy, keeping nothing.

No Docker is needed to check them. A drill runs the steps of the image (tests/drills/test_image.py).
"""

import os
import re
import shlex
import subprocess

import pytest
import redis
import yaml
from fakes import is_up
from helpers import ROOT, wait_until
from schemas import follow

from lab_utils.testbed import private_server

FILE = ROOT / "docker-compose.yml"
SERVICES = yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_it_follows_the_compose_specification():
    follow("compose-spec", FILE)


@pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)
def test_a_service_is_on_loopback_limited_healthy_and_no_root(service):
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert re.fullmatch(r"(\$\{LAB_MEMORY:-)?\d+m\}?", service["mem_limit"])
    assert re.fullmatch(r"(\$\{LAB_CPUS:-)?\d\}?", service["cpus"])
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert "volumes" not in service, "nothing is kept"
    assert service["logging"]["options"]["max-size"]
    if "build" in service:
        assert re.search(r"(?m)^HEALTHCHECK ", DOCKERFILE)
        assert re.findall(r"(?m)^USER (\w+)$", DOCKERFILE) == ["learner"]
    else:
        assert service["healthcheck"]["test"] and service["read_only"]
        assert re.fullmatch(r"[1-9]\d*:\d+", service["user"])


def test_the_address_that_jupyterlab_prints_is_the_one_that_is_published():
    port = "${LAB_PORT:-8888}"
    assert SERVICES["lab"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert SERVICES["lab"]["environment"] == {"LAB_PORT": port}
    assert "--port=$LAB_PORT" in DOCKERFILE
    assert "custom_display_url=http://127.0.0.1:$LAB_PORT" in DOCKERFILE
    assert "token" not in re.search(r"(?ms)^CMD .*", DOCKERFILE)[0]  # so it is random, and printed


def test_redis_asks_for_the_password_that_it_prints_and_for_another_at_each_start(tmp_path):
    # The container's command runs here with the lab's own server, on a port of its own.
    program = tmp_path / "redis-server"
    port = private_server.free_port()
    binary = shlex.quote(private_server.find_binary())
    program.write_text(f'#!/bin/sh\nexec {binary} "$@" --port {port}\n')
    program.chmod(0o755)
    command = [word.replace("$$", "$") for word in SERVICES["redis"]["command"]]
    passwords = set()
    for _ in range(2):
        server = subprocess.Popen(
            command,
            cwd=tmp_path,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            printed = server.stdout.readline()
            password = re.fullmatch(r"REDIS_URL=redis://:(\w+)@127\.0\.0\.1:6379/0\n", printed)[1]
            passwords.add(password)
            options = {"port": port, "password": password}
            assert wait_until(lambda: is_up(options))  # noqa: B023 it is called at once
            assert redis.Redis(**options).config_get("save") == {"save": ""}
            with pytest.raises(redis.AuthenticationError):
                redis.Redis(port=port).ping()
        finally:
            server.terminate()
            server.communicate(timeout=30)
    assert len(passwords) == 2 and min(map(len, passwords)) == 48
