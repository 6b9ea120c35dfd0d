"""docker-compose.yml: valid, pinned, on loopback only, healthy, and keeping nothing. No Docker is needed to check it."""

import re
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
import yaml
from helpers import ROOT

FILE = ROOT / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]

every_service = pytest.mark.parametrize("service", SERVICES.values(), ids=SERVICES)


def test_it_follows_the_compose_specification():
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, FILE], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_specification_refuses_what_is_wrong(tmp_path):
    """So that the test above can fail."""
    broken = tmp_path / "docker-compose.yml"
    broken.write_text(FILE.read_text(encoding="utf-8").replace("interval:", "intervall:"), encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    assert subprocess.run([*command, broken], capture_output=True).returncode != 0


def test_no_obsolete_version_key():
    assert "version" not in COMPOSE


@every_service
def test_ports_are_published_on_loopback_only(service):
    assert service["ports"] and all(str(port).startswith("127.0.0.1:") for port in service["ports"])


@every_service
def test_the_image_is_pinned(service):
    assert re.fullmatch(r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*", service["image"])


@every_service
def test_it_tells_when_it_is_ready_and_has_a_memory_limit(service):
    assert service["healthcheck"]["test"]
    assert re.fullmatch(r"\d+m", service["mem_limit"])


def test_redis_keeps_nothing():
    command = SERVICES["redis"]["command"]
    settings = dict(zip(command[1::2], command[2::2], strict=True))
    assert settings["--save"] == "" and settings["--appendonly"] == "no"
    assert "volumes" not in COMPOSE and not any("volumes" in service for service in SERVICES.values())


def test_the_host_is_answered():
    """A client from the host comes from another address than 127.0.0.1, which protected mode refuses without a password."""
    command = SERVICES["redis"]["command"]
    assert "--requirepass" in command or command[command.index("--protected-mode") + 1] == "no"


def test_redis_has_less_room_than_its_container():
    command = SERVICES["redis"]["command"]
    inside = command[command.index("--maxmemory") + 1]
    assert int(inside.removesuffix("mb")) < int(SERVICES["redis"]["mem_limit"].removesuffix("m"))


def test_the_command_works_with_a_real_server(another_server):
    """Each of its settings is one that Redis knows."""
    command = SERVICES["redis"]["command"]
    pairs = zip(command[1::2], command[2::2], strict=True)
    settings = [f'{name.removeprefix("--")} {value or chr(34) * 2}' for name, value in pairs]
    client = another_server(*settings).connect()
    assert client.config_get("maxmemory")["maxmemory"] == str(256 << 20)


def test_the_address_it_mentions_is_the_one_it_publishes():
    url = re.search(r"REDIS_URL=(\S+)", FILE.read_text(encoding="utf-8"))[1]
    parts = urlsplit(url)
    assert f"{parts.hostname}:{parts.port}:6379" in SERVICES["redis"]["ports"]
