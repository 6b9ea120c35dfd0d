"""Run a lab for everyone in a room: `make room`.

    python tools/room.py             on this machine only, http://127.0.0.1:8000
    python tools/room.py --open      for the network this machine is in

A JupyterHub (room/jupyterhub_config.py) asks each learner for a name and the room's password, and
starts a JupyterLab for them. All files of the room are in .room/, which only you can read: the
learners' files, the passwords, the guesses, the hub's database and log. Delete that folder to
delete the room.
"""

import argparse
import contextlib
import fcntl
import getpass
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # before this folder, whose room.py would be taken for the package

from room.entrance import kept_passwords, own_address, write_leaders_page  # noqa: E402

PORT, PORTS = 8000, 4  # of the room, the proxy's own, the hub, the board
LEARNER_MB, LEARNERS_A_CPU = 250, 15
START_S, END_S = 60, 30  # the hub has so long to come up, and to end with all learners' servers


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="make room", description=__doc__.split("\n\n")[0])
    parser.add_argument("--open", action="store_true", help="listen on all of its addresses")
    parser.add_argument("--port", type=int, default=PORT, help=f"{PORT} if not said")
    parser.add_argument("--folder", type=Path, default=ROOT / ".room", help=".room if not said")
    options = parser.parse_args(arguments)
    if options.open and os.geteuid() == 0:
        sys.exit(
            "You are root, and in a room every learner runs programs as you: open to the network, "
            "everyone with the password would be root here. Run it as another user."
        )
    try:
        open_room(options, options.folder.absolute())
    except (OSError, ValueError) as error:
        sys.exit(f"The room does not open: {error}")


def open_room(options: argparse.Namespace, folder: Path) -> None:
    passwords = kept_passwords(folder)
    # Paths of sockets must be short.
    with (
        open(folder / "room.lock", "w", encoding="utf-8") as held,
        tempfile.TemporaryDirectory(prefix="lab-", dir="/tmp") as sockets,
    ):
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("The room is open already, in another terminal. Ctrl-C there closes it.")
        end_processes(folder)  # of a room that was killed
        need_ports(options.port)
        hub = start_hub(options, folder, sockets)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)
        try:
            wait_until_open(hub, options.port, folder)
            print(welcome(options, folder, passwords), flush=True)
            hub.wait()
            status = f"The hub ended by itself. Its log says why: {folder / 'hub.log'}"
        except KeyboardInterrupt:
            print("\nClosing the room: notebooks are saved as their browsers saved them last.")
            status = 0
        finally:
            close(hub, folder)
    print(f"The room is closed. Its files stay in {folder}: `make room` opens it again.")
    sys.exit(status)


def need_ports(first: int) -> None:
    """Exit with advice if a port from `first` to `first` + 3, which the room needs, is in use."""
    for port in range(first, first + PORTS):
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except (OSError, OverflowError) as error:
            sys.exit(
                f"Port {port} is not to be had: {error}. A room needs {PORTS} in a row; name "
                "others: make room PORT=9000"
            )


def start_hub(options: argparse.Namespace, folder: Path, sockets: str) -> subprocess.Popen:
    print("Opening the room …", flush=True)
    environment = {
        **os.environ,
        "PYTHONUTF8": "1",
        "ROOM_FOLDER": str(folder),
        "ROOM_PORT": str(options.port),
        "ROOM_ADDRESS": "0.0.0.0" if options.open else "127.0.0.1",
        "ROOM_SOCKETS": sockets,
    }
    config = str(ROOT / "room" / "jupyterhub_config.py")
    with open(folder / "hub.log", "ab") as log:
        # In a session of its own, so that Ctrl-C reaches this process alone, which ends the hub.
        return subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "-f", config],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def wait_until_open(hub: subprocess.Popen, port: int, folder: Path) -> None:
    """Wait until the room's hub answers at `port`; exit with advice if it does not start.

    `hub` is the hub's process, `folder` the one with its log.
    """
    # No proxy is asked for this machine's own page.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_S
    while hub.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            direct.open(f"http://127.0.0.1:{port}/hub/health", timeout=2).close()
            return
        time.sleep(0.1)
    sys.exit(f"The hub did not open the room. The end of {folder / 'hub.log'} says why.")


def close(hub: subprocess.Popen, folder: Path) -> None:
    """Stop the hub with the learners' servers, then every other process of the room.

    `hub` is the hub's process, `folder` is the room's.
    """
    # Who presses Ctrl-C once more would leave half of it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    hub.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        hub.wait(END_S)
    end_processes(folder)


def processes_of(folder: Path) -> list[psutil.Process]:
    """Return all processes of the room but this one.

    They have the room's `folder` in their environment variable ROOM_FOLDER. So programs that a
    learner started are found too, even in another session.
    """
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get("ROOM_FOLDER") == str(folder) and process.pid != os.getpid():
                found.append(process)
    return found


def end_processes(folder: Path) -> None:
    """Stop all processes of the room with this `folder`, again and again until none is left.

    One pass is not enough, since a hub that is ending may start its proxy once more. The first pass
    asks the processes to end, later ones kill them.
    """
    end = psutil.Process.terminate
    while left := processes_of(folder):
        for process in left:
            with contextlib.suppress(psutil.Error):
                end(process)
        psutil.wait_procs(left, timeout=3)
        end = psutil.Process.kill  # for who is deaf to that


def welcome(options: argparse.Namespace, folder: Path, passwords: dict[str, str]) -> str:
    """Return the text that is printed when the room is open, without the leader's password.

    The leader's screen may be projected. `options` are those of the command line, `folder` is the
    room's, `passwords` is {"learner": text, "leader": text}.
    """
    url = f"http://{own_address() if options.open else '127.0.0.1'}:{options.port}"
    page = write_leaders_page(folder, f"{url}/services/board/", f"{url}/hub/login")
    free_mb = psutil.virtual_memory().available >> 20
    where = (
        "It is open to the network over plain HTTP: whoever listens there sees the password and "
        "what learners do."
        if options.open
        else "It listens on this machine only. `make room OPEN=1` opens it to the network."
    )
    return f"""
The room is open. Learners type a name (first name and initial) and the password.

  {url}
  password  {passwords["learner"]}

For you, the leader: {page}
  It opens the board and tells your own password. Only you can read it; do not project it.
Who has the lab on a laptop joins the board: make lab BOARD={url}/services/board NAME=theirs

For each learner it takes {LEARNER_MB} MB, of {free_mb:,} that are free here.
Some {LEARNERS_A_CPU} share a CPU, of {os.cpu_count()} that are here.
All of them run programs as {getpass.getuser()}: each can read the others' files and yours.
{where}

Ctrl-C closes the room. Files stay in {folder}; delete that folder to end it."""


if __name__ == "__main__":
    main(sys.argv[1:])
