"""Start the board: `make board`, or as a service of the room's hub (room/jupyterhub_config.py).

python -m room.board                     on this machine only, http://127.0.0.1:8010
python -m room.board --open              for the network this machine is in
"""

import argparse
import asyncio
import os
import signal
import sys
from pathlib import Path

from room.entrance import kept_passwords, own_address, write_leaders_page

from .app import Board, application

ROOT = Path(__file__).resolve().parents[2]
PORT = 8010
LONGEST_POST = 200_000  # bytes


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m room.board", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--open", action="store_true", help="listen on all of its addresses")
    parser.add_argument("--port", type=int, default=PORT, help=f"{PORT} if not said")
    parser.add_argument("--folder", type=Path, default=ROOT / ".board", help=".board if not said")
    options = parser.parse_args(arguments)
    try:
        asyncio.run(serve(options, options.folder.absolute()))
    except (OSError, OverflowError, ValueError) as error:
        sys.exit(
            f"The board does not start: {error}. If something else has the port {options.port}, "
            "stop that, or choose another: make board PORT=8011"
        )


async def serve(options: argparse.Namespace, folder: Path) -> None:
    """Serve the board until the process gets SIGINT or SIGTERM.

    `options` are those of the command line, of which `open` and `port` are used. The board stores
    its files in `folder`.
    """
    passwords = kept_passwords(folder)
    address = "0.0.0.0" if options.open else "127.0.0.1"
    prefix = os.environ.get("JUPYTERHUB_SERVICE_PREFIX", "/")  # of a hub's board
    app = application(Board(folder, passwords), prefix)
    server = app.listen(options.port, address, max_body_size=LONGEST_POST)
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    if prefix == "/":
        print(welcome(options, folder, passwords), flush=True)
    await ended.wait()
    server.stop()


def welcome(options: argparse.Namespace, folder: Path, passwords: dict[str, str]) -> str:
    """Return the text that is printed when the board has started, without the leader's password.

    That password is only in a page of `folder`, which other users can't read, since the leader's
    screen may be projected. `options` are those of the command line, `passwords` is {"learner":
    text, "leader": text}.
    """
    page = write_leaders_page(folder, f"http://127.0.0.1:{options.port}/")
    seen = own_address() if options.open else "127.0.0.1"
    where = (
        "It is open to your network, over plain HTTP: use it in a network that you trust. Who can "
        "listen there can read names, guesses and the password."
        if options.open
        else "It listens on this machine only. make board OPEN=1 opens it to your network."
    )
    return f"""The board is open. For you, the leader: {page}
  That page opens the board, and only you can read it. Do not project it.
For learners, on their own laptops: make lab BOARD=http://{seen}:{options.port} NAME=theirs
  The room's password: {passwords["learner"]}
{where}
Ctrl-C ends it. What was posted is kept in {folder}: delete that folder for an empty board."""


if __name__ == "__main__":
    main(sys.argv[1:])
