"""The hub of a room with a container for each learner, as docker-compose.yml starts it; `make room` is what it begins with.

The hub may start containers, so whoever takes it over has the machine. Learners' containers may not.
"""

import json
import os
from pathlib import Path

load_subconfig("jupyterhub_config.py")  # noqa: F821
c = get_config()  # noqa: F821
room = json.loads(Path(os.environ["ROOM"]).read_text(encoding="utf-8"))

LAB = "/home/learner/lab"  # in the image
CPUS = 2  # of a learner: in some chapters client and server compute at the same time


def host_config(number, cpus):
    """What a learner's container may do. Learners are dealt out over the machine's CPUs, two by two."""
    first = number * CPUS % cpus
    mine = sorted({(first + place) % cpus for place in range(CPUS)})
    return {"cap_drop": ["ALL"], "security_opt": ["no-new-privileges"], "pids_limit": 1024, "init": True,
            "cpuset_cpus": ",".join(map(str, mine))}


def confine(spawner):
    spawner.extra_host_config = host_config(spawner.user.id, os.cpu_count())


# Learners' servers reach the hub by its name in their network.
c.JupyterHub.hub_ip = "0.0.0.0"
c.JupyterHub.hub_connect_url = f"http://hub:{room['ports']['hub']}"

c.JupyterHub.spawner_class = "docker"
c.DockerSpawner.image = os.environ["ROOM_IMAGE"]
c.DockerSpawner.network_name = os.environ["ROOM_NETWORK"]
c.DockerSpawner.name_template = "redis-round-trip-lab-room-{username}"
c.DockerSpawner.volumes = {"redis-round-trip-lab-room-{username}": f"{LAB}/work"}
c.DockerSpawner.remove = True  # the container; the volume stays until the room's end
c.DockerSpawner.mem_limit = f"{room['container_mb']}M"
c.DockerSpawner.extra_create_kwargs = {"healthcheck": {"test": ["NONE"]}}  # the image's asks for a lab without a hub
c.Spawner.pre_spawn_hook = confine
c.Spawner.cmd = [f"{LAB}/.venv/bin/python", f"{LAB}/tools/lab.py"]
c.Spawner.env_keep = ["LAB_SCALE"]
c.Spawner.environment = {
    "LAB_BOARD_URL": f"http://hub:{room['ports']['room']}/services/board",
    "JUPYTER_CONFIG_PATH": f"{LAB}/room/jupyter",
    "OPENBLAS_NUM_THREADS": "1",
}
