"""Report guesses, measurements and checks to a room's board, in one POST after each cell.

Nothing is sent unless LAB_BOARD_URL names a board. A thread posts between two cells; the next cell
waits a moment for that thread, so that nothing is sent during a measurement. Events that did not
reach the board are posted again after the next cell, as long as the Jupyter kernel lives. No
failure of the board stops a cell.
"""

import contextlib
import json
import os
import threading
import urllib.request

from .. import notebook

POST_S = 5  # for connecting, and for each part of the answer
HOLD_S = 0.2  # that a cell waits for a post under way

_waiting: list[dict] = []  # events that no board has taken yet
_posts: list[threading.Thread] = []  # the one under way, or the last one


def begin() -> None:
    """Have Jupyter call `before_cell` and `after_cell` around each cell, if a board is named.

    LAB_BOARD_URL names the board, to which these two send what the learner did.
    """
    shell = notebook.shell()
    if shell and os.environ.get("LAB_BOARD_URL"):
        shell.events.register("pre_run_cell", before_cell)
        shell.events.register("post_run_cell", after_cell)


def report(kind: str, name: str, **what: object) -> None:
    """Queue an event to be sent to the room's board; do nothing unless LAB_BOARD_URL names a board.

    The board is a web page for the leader of a course. `kind` is "guess", "measured" or "check",
    `name` the name of a question or an exercise, and `what` are further fields, such as unit="ms".
    """
    if os.environ.get("LAB_BOARD_URL"):
        _waiting.append({"kind": kind, "name": name, **what})


def after_cell(*_: object) -> None:
    """Start a thread that posts the queued events to the board, unless one still runs."""
    if _waiting and not any(post.is_alive() for post in _posts):
        _posts[:] = [threading.Thread(target=post_waiting, daemon=True)]
        _posts[0].start()


def before_cell(*_: object) -> None:
    """Wait up to 0.2 s for a thread that still posts events to the board; Jupyter calls this."""
    for post in _posts:
        post.join(HOLD_S)


def post_waiting() -> None:
    """Post the queued events to the room's board, and remove them from the queue if it took them.

    If the board can't be reached or refuses, nothing is raised and the events stay in the queue.
    """
    batch = _waiting[:]
    token = os.environ.get("LAB_BOARD_TOKEN") or os.environ.get("JUPYTERHUB_API_TOKEN", "")
    # Whatever the board does: a thread's traceback would land in a cell.
    with contextlib.suppress(Exception):
        post(os.environ["LAB_BOARD_URL"], "/api/events", {"events": batch}, token)
        del _waiting[: len(batch)]


def post(board: str, path: str, body: dict, token: str = "") -> dict:
    """Send a POST with a JSON body, and return the board's JSON answer, both dicts.

    `board` is the board's URL, `path` begins with a slash, `token` is the learner's. For events, an
    answer means that the board has them on disk. Raises OSError if there is no board or it refuses,
    and ValueError for an answer that is not the board's.
    """
    headers = {"Content-Type": "application/json", "Authorization": f"token {token}"}
    request = urllib.request.Request(board.rstrip("/") + path, json.dumps(body).encode(), headers)
    # The room is no place beyond a proxy.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=POST_S) as reply:
        return json.load(reply)
