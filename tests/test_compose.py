"""docker-compose.yml and the Dockerfile: valid, pinned, on loopback only, healthy, and keeping nothing unless asked.

No Docker is needed to check them. A drill runs the steps of the image, and what the container runs (tests/drills/test_image.py).
"""

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

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IMAGE = r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}"

every_service = pytest.mark.parametrize("service", [{**SERVICES.get(service.get("extends", {}).get("service"), {}), **service}
                                                    for service in SERVICES.values()], ids=list(SERVICES))


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
    published = service.get("ports", []) if "expose" in service else service["ports"]  # or reached by the service before it
    assert all(str(port).startswith(("127.0.0.1:", "${ROOM_ADDRESS:-127.0.0.1}:")) for port in published)


@every_service
def test_the_image_is_pinned(service):
    """To a tag, which tells the version, and a digest, which tells the bytes; or it is built here."""
    assert "build" in service or re.fullmatch(IMAGE, service["image"])


def test_what_the_image_is_built_on_is_pinned():
    bases = re.findall(r"(?m)^FROM (\S+)(?: AS (\w+))?$", DOCKERFILE)
    stages = [name for _, name in bases]
    assert bases and all(base in stages or re.fullmatch(IMAGE, base) for base, _ in bases)
    assert SERVICES["lab"]["build"]["target"] in stages


@every_service
def test_it_tells_when_it_is_ready_and_has_limits(service):
    if "build" in service:
        assert re.search(r"(?m)^HEALTHCHECK ", DOCKERFILE)
    else:
        assert service["healthcheck"]["test"]
    assert re.fullmatch(r"(\$\{LAB_MEMORY:-)?\d+m\}?", service["mem_limit"])
    assert re.fullmatch(r"(\$\{LAB_CPUS:-)?\d\}?", service["cpus"])


@every_service
def test_it_is_no_root_and_cannot_become_it(service):
    if "build" in service:
        assert re.findall(r"(?m)^USER (\w+)$", DOCKERFILE) == ["learner"]
    else:
        assert re.fullmatch(r"[1-9]\d*:\d+", service["user"]) and service["read_only"]
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]


def test_compose_up_brings_the_lab_alone():
    assert [name for name, service in SERVICES.items() if "profiles" not in service] == ["lab"]


def test_nothing_is_kept_unless_asked():
    command = SERVICES["redis"]["command"]
    settings = dict(zip(command[1::2], command[2::2], strict=True))
    assert settings["--save"] == "" and settings["--appendonly"] == "no"
    kept = {name: [volume for volume in service["volumes"] if not volume.endswith(":ro")]
            for name, service in SERVICES.items() if "volumes" in service}
    assert list(kept) == ["kept", "hub", "room"] and kept["room"] == [] and kept["kept"] == ["work:/home/learner/lab/work"]


def test_the_address_that_jupyterlab_prints_is_the_one_that_is_published():
    port = "${LAB_PORT:-8888}"
    assert SERVICES["lab"]["ports"] == [f"127.0.0.1:{port}:{port}"] and SERVICES["lab"]["environment"] == {"LAB_PORT": port}
    assert "--port=$LAB_PORT" in DOCKERFILE and "custom_display_url=http://127.0.0.1:$LAB_PORT" in DOCKERFILE
    assert "token" not in re.search(r"(?ms)^CMD .*", DOCKERFILE)[0]  # so it is random, and printed


def test_an_image_gets_what_a_clone_holds():
    """What git leaves out, the image's build leaves out too."""
    def left_out(name):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        return {line.strip("/").removeprefix("**/") for line in lines if line and not line.startswith("#")}
    assert left_out(".dockerignore") == left_out(".gitignore") | {".git"}


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


def test_the_room_and_its_board_are_two_origins_of_one_certificate():
    """A page of a learner's reads nothing of the board's; the second port passes nothing else."""
    hub, room = SERVICES["hub"]["environment"], SERVICES["room"]
    ports = dict(port.rsplit(":", 1)[::-1] for port in room["ports"])
    for url, inside in (("ROOM_URL", "8443"), ("ROOM_BOARD_URL", "8444")):
        assert ports[inside].endswith(hub[url].removeprefix("https://${ROOM_NAME:-localhost}:"))
    sites = dict(re.findall(r"(?ms)^https://:(\d+) \{\n(.*?)^\}", (ROOT / "room" / "Caddyfile").read_text(encoding="utf-8")))
    proxied = {port: re.findall(r"(?:handle (\S+) \{\s*)?reverse_proxy (.*)", site) for port, site in sites.items()}
    assert proxied == {"8443": [("", "hub:8000")], "8444": [("/services/board/*", "hub:8000")]}
    assert all("import certificate" in site for site in sites.values())
    assert f"tls:{hub['ROOM_TLS']}" in SERVICES["hub"]["volumes"] and "tls:/tls:ro" in room["volumes"]
    assert f"mkdir -p .room {hub['ROOM_TLS'].rsplit('/', 1)[1]}\n" in DOCKERFILE  # so that the volume is the learner's


def test_cluster_nodes_announce_the_ports_that_are_published():
    service = SERVICES["cluster"]
    script = service["command"][-1].replace("$$", "$")
    assert service["ports"] == ["127.0.0.1:7001-7003:7001-7003"]
    assert script.count("7001 7002 7003") == 2 and "--cluster-announce-ip 127.0.0.1" in script
    assert subprocess.run(["sh", "-n"], input=script, text=True).returncode == 0
