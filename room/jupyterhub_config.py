"""The hub of a room. tools/room.py starts it, and says in ROOM which file has the room's settings.

All learners are one system user here: each has files and a server, and could read the others'.
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from room.names import RoomAuthenticator  # noqa: E402

c = get_config()  # noqa: F821
room = json.loads(Path(os.environ["ROOM"]).read_text(encoding="utf-8"))
folder = Path(os.environ["ROOM"]).parent
board = f"http://127.0.0.1:{room['ports']['board']}"  # kernels post there, past the proxy
tied = [sys.executable, str(ROOT / "room" / "tied.py")]
python = [*tied, sys.executable]

# What listens: the proxy where learners come in, everything else on loopback.
c.JupyterHub.bind_url = room["bind_url"]
c.JupyterHub.hub_ip = "127.0.0.1"
c.JupyterHub.hub_port = room["ports"]["hub"]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{room['ports']['proxy']}"
c.ConfigurableHTTPProxy.command = [*python, str(ROOT / "room" / "proxy.py")]
c.ConfigurableHTTPProxy.pid_file = str(folder / "proxy.pid")
c.JupyterHub.db_url = f"sqlite:///{folder / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(folder / "cookie_secret")
c.JupyterHub.template_paths = [str(ROOT / "room" / "templates")]

# Who comes in.
c.JupyterHub.authenticator_class = RoomAuthenticator
c.RoomAuthenticator.user_password = room["password"]
c.RoomAuthenticator.admin_password = room["leaders_password"]
c.RoomAuthenticator.admin_users = {room["leader"]}
c.RoomAuthenticator.allow_all = True

# A server for each.
c.JupyterHub.spawner_class = "simple"
home = str(folder / "learners").replace("{", "{{").replace("}", "}}")
c.SimpleLocalProcessSpawner.home_dir_template = home + "/{username}"
scope = ["--scope"] if room["limited_by"] == "systemd" else []
lab = [sys.executable, str(ROOT / "tools" / "lab.py")]
c.Spawner.cmd = [*tied, "--mb", str(room["process_mb"]), *scope, *lab]
# Kernels take no ports: where many begin at once, one that was free when it was chosen is
# another's when the kernel is there.
c.Spawner.args = ["--KernelManager.transport=ipc"]
c.LocalProcessSpawner.interrupt_timeout = 10  # tied.py has ended it before
c.Spawner.environment = {
    "LAB_WORK": lambda spawner: f"{spawner.home_dir}/work",
    "LAB_STATE": lambda spawner: f"{spawner.home_dir}/work/.lab",
    "LAB_BOARD_URL": board + "/services/board",
    "JUPYTER_RUNTIME_DIR": lambda spawner: f"{room['sockets']}/{spawner.user.id}",
    "JUPYTER_CONFIG_PATH": str(ROOT / "room" / "jupyter"),
    "MPLCONFIGDIR": str(folder / "matplotlib"),  # its list of fonts is made once, not by thirty
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_TRIM_THRESHOLD_": "1000000",  # bytes: what was drawn is given back, 25 MB a learner
}
c.Spawner.env_keep = [
    "PATH",
    "LANG",
    "LC_ALL",
    "PYTHONPATH",
    "PYTHONUTF8",
    "VIRTUAL_ENV",
    "TMPDIR",
    "LAB_SCALE",
    "LAB_REDIS_SERVER",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # thirty that begin wait for each other
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0}  # so that who waits sees that
c.JupyterHub.active_server_limit = room["learners"]
c.JupyterHub.concurrent_spawn_limit = 0

# Who has gone makes room; the files stay. What the room guesses is on the leader's screen.
passed = "ROOM", "ROOM_BOARD_ANONYMOUS", "ROOM_BOARD_URL", "LAB_REDIS_SERVER", "PYTHONUTF8"
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [*python, "-m", "jupyterhub_idle_culler", f"--timeout={room['idle_s']}"],
    },
    {
        "name": "board",
        "url": board,
        "command": [*python, "-m", "room.board"],
        "cwd": str(ROOT),
        "environment": {name: os.environ[name] for name in passed if name in os.environ},
        "oauth_no_confirm": True,
        "display": False,
    },
]
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "services": ["culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
