"""Configure a stock JupyterHub that serves the lab to people who trust each other.

tools/room.py starts it. All learners are one user of the system: each has files and a server of
their own, and could read those of the others.
"""

import os
import resource
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from room.entrance import kept_passwords  # noqa: E402

c = get_config()  # noqa: F821
folder = Path(os.environ["ROOM_FOLDER"])
port = int(os.environ["ROOM_PORT"])
board = f"http://127.0.0.1:{port + 3}"
MEMORY = 2 << 30  # bytes that one process of a learner's may fill; more is a MemoryError there

# The proxy listens where learners come in, everything else on loopback.
c.JupyterHub.bind_url = f"http://{os.environ['ROOM_ADDRESS']}:{port}"
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = port + 2
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{port + 1}"
c.ConfigurableHTTPProxy.command = [sys.executable, str(ROOT / "room" / "proxy.py")]
# Its database, its secret and its proxy's pid stand where it is started: in the folder.

# Who comes in: anybody with the password, under a name of their choice.
passwords = kept_passwords(folder)
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = passwords["learner"]
c.SharedPasswordAuthenticator.admin_password = passwords["leader"]
c.Authenticator.admin_users = {"leader"}
c.Authenticator.allow_all = True

# A server for each, with a folder of its own.
c.JupyterHub.spawner_class = "simple"
home = str(folder / "learners").replace("{", "{{").replace("}", "}}")
c.SimpleLocalProcessSpawner.home_dir_template = home + "/{username}"
c.LocalProcessSpawner.popen_kwargs = {
    "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
}
c.Spawner.cmd = [sys.executable, str(ROOT / "tools" / "lab.py")]
# Kernels by sockets in the file system: where many begin at once, a port that was free when it was
# chosen is another's when the kernel is there. Paths of sockets must be short.
c.Spawner.args = ["--KernelManager.transport=ipc"]
passed_on = "ROOM_FOLDER", "LAB_SCALE", "LAB_REDIS_SERVER", "TMPDIR"
c.Spawner.environment = {
    **{name: os.environ[name] for name in passed_on if name in os.environ},
    "LAB_WORK": lambda spawner: f"{spawner.home_dir}/work",
    "LAB_STATE": lambda spawner: f"{spawner.home_dir}/work/.lab",
    "LAB_BOARD_URL": f"{board}/services/board",
    "JUPYTER_RUNTIME_DIR": lambda spawner: f"{os.environ['ROOM_SOCKETS']}/{spawner.user.id}",
    "JUPYTER_CONFIG_PATH": str(ROOT / "room" / "jupyter"),
    # The list of fonts is made once for all.
    "MPLCONFIGDIR": str(folder / "matplotlib"),
    "OPENBLAS_NUM_THREADS": "1",
}
c.LocalProcessSpawner.interrupt_timeout = 1
c.Spawner.start_timeout = c.Spawner.http_timeout = 300
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0}

# What the room guesses, on the leader's screen.
c.JupyterHub.services = [
    {
        "name": "board",
        "url": board,
        "cwd": str(ROOT),
        "display": False,
        "command": [
            sys.executable,
            "-m",
            "room.board",
            f"--folder={folder}",
            f"--port={port + 3}",
        ],
        "environment": {"ROOM_FOLDER": str(folder), "PYTHONUTF8": "1"},
    }
]
