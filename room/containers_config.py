"""The hub of a room with a container for each learner: docker-compose.yml's, on `make room`'s base.

It may start containers, so whoever takes it over has the machine. Learners' containers may not.
"""

import json
import os
from pathlib import Path

# What is not found there is left out in silence.
load_subconfig("jupyterhub_config.py", str(Path(__file__).parent))  # noqa: F821
c = get_config()  # noqa: F821
room = json.loads(Path(os.environ["ROOM"]).read_text(encoding="utf-8"))

LAB = "/home/learner/lab"  # in the image


class Places:
    """The machine's CPUs, `each` of them together: who comes gets those that fewest have."""

    def __init__(self, cpus, each):
        firsts = range(0, max(1, cpus - each + 1), each)
        self.places = [range(first, min(first + each, cpus)) for first in firsts]
        self.taken = {}  # {learner: place}

    def take(self, learner):
        """Return the learner's CPUs, as the engine wants them: "2,3"."""
        self.leave(learner)
        held = list(self.taken.values())
        self.taken[learner] = min(self.places, key=held.count)
        return ",".join(map(str, self.taken[learner]))

    def leave(self, learner):
        self.taken.pop(learner, None)


places = Places(os.cpu_count() or 1, room["container_cpus"])


def confine(spawner):
    """Limit what a learner's container may do."""
    spawner.extra_host_config = {
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "pids_limit": 1024,
        "init": True,
        "cpuset_cpus": places.take(spawner.user.name),
    }


# Caddy, before the hub, says by which address and protocol somebody came; this proxy would say
# its own.
c.ConfigurableHTTPProxy.command = [*c.ConfigurableHTTPProxy.command, "--no-x-forward"]

# Learners' servers reach the hub by its name in their network. Without the first line it would
# listen by that name alone, which here is that of its address in another one.
c.JupyterHub.hub_bind_url = f"http://0.0.0.0:{room['ports']['hub']}"
c.JupyterHub.hub_connect_url = f"http://hub:{room['ports']['hub']}"

c.JupyterHub.spawner_class = "docker"
c.DockerSpawner.image = os.environ["ROOM_IMAGE"]
c.DockerSpawner.network_name = os.environ["ROOM_NETWORK"]
c.DockerSpawner.name_template = "redis-round-trip-lab-room-{username}"
c.DockerSpawner.volumes = {"redis-round-trip-lab-room-{username}": f"{LAB}/work"}
c.DockerSpawner.remove = True  # the container; the volume stays until the room's end
c.DockerSpawner.mem_limit = f"{room['container_mb']}M"
# The image's own healthcheck asks for a lab without a hub.
c.DockerSpawner.extra_create_kwargs = {"healthcheck": {"test": ["NONE"]}}
c.Spawner.pre_spawn_hook = confine
c.Spawner.post_stop_hook = lambda spawner: places.leave(spawner.user.name)
c.Spawner.cmd = [f"{LAB}/.venv/bin/python", f"{LAB}/tools/lab.py"]
c.Spawner.args, c.Spawner.env_keep = [], ["LAB_SCALE"]  # each has a network, so all ports, alone
c.Spawner.environment = {
    "LAB_BOARD_URL": f"http://hub:{room['ports']['room']}/services/board",
    "JUPYTER_CONFIG_PATH": f"{LAB}/room/jupyter",
    "OPENBLAS_NUM_THREADS": "1",
}
