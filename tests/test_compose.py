"""docker-compose.yml and the Dockerfile: valid, pinned, on loopback, healthy, keeping nothing.

No Docker is needed to check them. A drill runs the steps of the image, and what the container runs
(tests/drills/test_image.py).
"""

import re
import subprocess
from urllib.parse import urlsplit

import pytest
import yaml
from helpers import ROOT
from schemas import follow

FILE = ROOT / "docker-compose.yml"
COMPOSE = yaml.safe_load(FILE.read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
IMAGE = r"[\w./-]+:\d+\.\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}"


def whole(service):
    """A service with what it extends."""
    return {**SERVICES.get(service.get("extends", {}).get("service"), {}), **service}


def test_it_follows_the_compose_specification():
    follow("compose-spec", FILE)


@pytest.mark.parametrize("service", [*map(whole, SERVICES.values())], ids=SERVICES)
def test_a_service_is_on_loopback_pinned_limited_and_no_root(service):
    """Its image by a tag, which tells the version, and a digest, of the bytes; or built here."""
    # What is exposed is reached by the service before it.
    published = service.get("ports", []) if "expose" in service else service["ports"]
    assert all(
        str(port).startswith(("127.0.0.1:", "${ROOM_ADDRESS:-127.0.0.1}:")) for port in published
    )
    assert re.fullmatch(r"(\$\{LAB_MEMORY:-)?\d+m\}?", service["mem_limit"])
    assert re.fullmatch(r"(\$\{LAB_CPUS:-)?\d\}?", service["cpus"])
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    if "build" in service:
        assert re.search(r"(?m)^HEALTHCHECK ", DOCKERFILE)
        assert re.findall(r"(?m)^USER (\w+)$", DOCKERFILE) == ["learner"]
    else:
        assert re.fullmatch(IMAGE, service["image"]) and service["healthcheck"]["test"]
        assert re.fullmatch(r"[1-9]\d*:\d+", service["user"]) and service["read_only"]


def test_what_the_image_is_built_on_is_pinned_and_compose_up_brings_the_lab_alone():
    bases = re.findall(r"(?m)^FROM (\S+)(?: AS (\w+))?$", DOCKERFILE)
    stages = [name for _, name in bases]
    assert bases and all(base in stages or re.fullmatch(IMAGE, base) for base, _ in bases)
    assert SERVICES["lab"]["build"]["target"] in stages
    assert [name for name, service in SERVICES.items() if "profiles" not in service] == ["lab"]


def test_nothing_is_kept_unless_asked():
    command = SERVICES["redis"]["command"]
    settings = dict(zip(command[1::2], command[2::2], strict=True))
    assert settings["--save"] == "" and settings["--appendonly"] == "no"
    kept = {
        name: [volume for volume in service["volumes"] if not volume.endswith(":ro")]
        for name, service in SERVICES.items()
        if "volumes" in service
    }
    assert list(kept) == ["kept", "hub", "room"]
    assert kept["room"] == [] and kept["kept"] == ["work:/home/learner/lab/work"]


def test_the_address_that_jupyterlab_prints_is_the_one_that_is_published():
    port = "${LAB_PORT:-8888}"
    assert SERVICES["lab"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert SERVICES["lab"]["environment"] == {"LAB_PORT": port}
    assert "--port=$LAB_PORT" in DOCKERFILE
    assert "custom_display_url=http://127.0.0.1:$LAB_PORT" in DOCKERFILE
    assert "token" not in re.search(r"(?ms)^CMD .*", DOCKERFILE)[0]  # so it is random, and printed


def test_cluster_nodes_announce_the_ports_that_are_published():
    service = SERVICES["cluster"]
    script = service["command"][-1].replace("$$", "$")
    assert service["ports"] == ["127.0.0.1:7001-7003:7001-7003"]
    assert script.count("7001 7002 7003") == 2 and "--cluster-announce-ip 127.0.0.1" in script
    assert subprocess.run(["sh", "-n"], input=script, text=True).returncode == 0


def test_an_image_gets_what_a_clone_holds():
    """What git leaves out, the image's build leaves out too."""

    def left_out(name):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        return {
            line.strip("/").removeprefix("**/")
            for line in lines
            if line and not line.startswith("#")
        }

    assert left_out(".dockerignore") == left_out(".gitignore") | {".git"}


def test_redis_answers_the_host_within_its_container_and_knows_its_settings(another_server):
    """A client from the host is not on 127.0.0.1, and protected mode refuses it."""
    service = SERVICES["redis"]
    settings = dict(zip(service["command"][1::2], service["command"][2::2], strict=True))
    assert settings["--protected-mode"] == "no"
    most, limit = settings["--maxmemory"].removesuffix("mb"), service["mem_limit"].removesuffix("m")
    assert int(most) < int(limit)
    client = another_server(
        *(f"{name.removeprefix('--')} {value or chr(34) * 2}" for name, value in settings.items())
    ).connect()
    assert client.config_get("maxmemory")["maxmemory"] == str(256 << 20)
    url = urlsplit(re.search(r"REDIS_URL=(\S+)", FILE.read_text(encoding="utf-8"))[1])
    assert f"{url.hostname}:{url.port}:6379" in service["ports"]


def test_the_room_and_its_board_are_two_origins_of_one_certificate():
    """A page of a learner's reads nothing of the board's; the second port passes nothing else."""
    hub, room = SERVICES["hub"]["environment"], SERVICES["room"]
    ports = dict(port.rsplit(":", 1)[::-1] for port in room["ports"])
    for url, inside in (("ROOM_URL", "8443"), ("ROOM_BOARD_URL", "8444")):
        assert ports[inside].endswith(hub[url].removeprefix("https://${ROOM_NAME:-localhost}:"))
    sites = dict(
        re.findall(
            r"(?ms)^https://:(\d+) \{\n(.*?)^\}",
            (ROOT / "room" / "Caddyfile").read_text(encoding="utf-8"),
        )
    )
    proxied = {
        port: re.findall(r"(?:handle (\S+) \{\s*)?reverse_proxy (.*)", site)
        for port, site in sites.items()
    }
    assert proxied == {"8443": [("", "hub:8000")], "8444": [("/services/board/*", "hub:8000")]}
    assert all("import certificate" in site for site in sites.values())
    assert f"tls:{hub['ROOM_TLS']}" in SERVICES["hub"]["volumes"]
    assert "tls:/tls:ro" in room["volumes"]
    # So that the volume is the learner's.
    assert f"mkdir -p .room {hub['ROOM_TLS'].rsplit('/', 1)[1]}\n" in DOCKERFILE
