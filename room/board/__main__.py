"""Starts the board: `make board`, or as a service of the room's hub (room/jupyterhub_config.py).

python -m room.board                     on this machine only, http://127.0.0.1:8010
python -m room.board --open              for the network this machine is in
python -m room.board --anonymous         keeps no name of anybody
"""

import argparse
import asyncio
import contextlib
import fcntl
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from tornado.httpserver import HTTPServer

from lab_utils.errors import LabError

from . import after, people
from .app import READ_PAST, Room, application
from .stream import Unavailable

ROOT = Path(__file__).resolve().parents[2]
PORT = 8010
LOCK_S = 10  # for a board that is ending
WATCH_S = 1  # how often the board looks whether its hub is still there


def main(arguments):
    options = parsed(arguments)
    try:
        own, known = ROOT / ".board", {}
        if room := os.environ.get("ROOM"):  # what `make room` has settled
            settled = json.loads(Path(room).read_text(encoding="utf-8"))
            own = Path(room).parent / "board"
            known = {"password": settled["password"], "key": settled["boards_key"]}
        folder = Path(options.folder or own).absolute()
        secret = people.settled(folder, known)
        with locked(folder):
            asyncio.run(serve(options, folder, secret))
    except (OSError, ValueError, KeyError, LabError, Unavailable) as error:
        sys.exit(f"The board does not start: {error}")


def parsed(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m room.board", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="listen on all addresses of this machine, not on 127.0.0.1 only",
    )
    parser.add_argument(
        "--port", type=port, default=PORT, help=f"the port to listen on, {PORT} if not said"
    )
    parser.add_argument(
        "--folder", help="where the board keeps its stream and its secrets, .board if not said"
    )
    parser.add_argument("--anonymous", action="store_true", help="keep no name of anybody")
    return parser.parse_args(arguments)


def port(text):
    number = int(text)
    if not 0 < number < 65_536:
        raise ValueError
    return number


@contextlib.contextmanager
def locked(folder):
    """Hold the folder: no second board writes its stream. Raises OSError where another has it."""
    deadline = time.monotonic() + LOCK_S
    with open(folder / "lock", "w", encoding="utf-8") as held:
        while True:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise OSError(
                        f"another board is running with {folder}. Stop it first, or name "
                        "another --folder."
                    ) from None
                time.sleep(0.1)
        yield


async def serve(options, folder, secret):
    """Serve the board until it is told to end, or its hub is gone."""
    anonymous = options.anonymous or os.environ.get("ROOM_BOARD_ANONYMOUS", "") not in ("", "0")
    room = Room(folder, secret, anonymous)
    room.stream.open()
    address, port, prefix = where(options)
    server = HTTPServer(application(room, prefix), max_body_size=READ_PAST)
    try:
        server.listen(port, address)
    except OSError as error:
        raise OSError(
            f"port {port} is not to be had ({error.strerror}). Stop what uses it, or "
            "choose another: make board PORT=8011"
        ) from None
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    if not room.hub:
        say(port, secret, options)
    jobs = [room.stream.write(), room.stream.watch(), *([watch_hub(ended)] if room.hub else [])]
    tasks = [asyncio.create_task(each) for each in jobs]
    await ended.wait()
    server.stop()
    for task in tasks:
        task.cancel()
    room.stream.close()
    try:
        beside = Path(os.environ["ROOM"]).parent if room.hub else folder
        path = after.keep(room.book, beside.parent)
        if path and not room.hub:
            print(f"What the room guessed, without names: {path}", flush=True)
    except OSError as error:
        print(f"What the room guessed cannot be kept: {error}", flush=True)


def where(options):
    """Return (address, port, prefix); as a service of a hub, the hub's."""
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX")
    if prefix:
        url = urlsplit(os.environ["JUPYTERHUB_SERVICE_URL"])
        return url.hostname, url.port, prefix
    return "0.0.0.0" if options.open else "127.0.0.1", options.port, "/"


async def watch_hub(ended):
    """Set `ended` when the hub is gone: one that was killed cannot end its services."""
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(WATCH_S)
    ended.set()


def say(port, secret, options):
    seen = own_address() if options.open else "127.0.0.1"
    print(
        f"The board, for the leader: http://127.0.0.1:{port}/#key={secret['key']}\n"
        f"For learners, on their own laptops: make lab BOARD=http://{seen}:{port} NAME=theirs\n"
        f"The room's password: {secret['password']}"
    )
    if options.open:
        print(
            "It is open to your network, without TLS: who can read the network's traffic can "
            "read names and password."
        )
    print("Ctrl-C ends it; what was posted is kept.", flush=True)


def own_address():
    """Return this machine's address in its network. Nothing is sent to find out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


if __name__ == "__main__":
    main(sys.argv[1:])
