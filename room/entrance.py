"""Find addresses and passwords for `make room` and `make board`, and write the leader's page."""

import json
import secrets
import socket

LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none looks like another one on a whiteboard
PAGE = """<!doctype html>
<meta charset="utf-8">
<title>For the leader</title>
<p><b>Do not project this page.</b></p>
<p><a href="{board}#key={leader}">The board</a>: what the room guesses, and who is stuck</p>
"""
HUB = """<p><a href="{hub}">The hub</a>: sign in as <code>leader</code> with
<code>{leader}</code></p>"""


def own_address() -> str:
    """Return this machine's IP address in its network, 127.0.0.1 without one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return "127.0.0.1"
        return probe.getsockname()[0]


def kept_passwords(folder) -> dict[str, str]:
    """Return {"learner": password, "leader": password} of `folder`; the first call makes them.

    `folder` is a Path, which is made so that only this user can read it. The leader's password
    opens the board and signs in to the hub. Raises OSError if the file can't be written, ValueError
    if its content is damaged.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    path = folder / "passwords.json"
    if not path.exists():
        parts = ("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(3))
        made = {"learner": "-".join(parts), "leader": secrets.token_hex(16)}
        write_private(path, json.dumps(made, indent=1))
    return json.loads(path.read_text(encoding="utf-8"))


def write_leaders_page(folder, board: str, hub: str = "") -> str:
    """Write leader.html, with a link to the board that has the leader's password; return its URL.

    The URL is that of the file: file://…. `folder` is the Path of the folder for leader.html,
    `board` the board's URL, `hub` the URL of the hub's login, or "" if there is no hub. With this
    page, the password need not be printed on a screen that learners may see.
    """
    leader = kept_passwords(folder)["leader"]
    path = folder / "leader.html"
    page = PAGE + HUB if hub else PAGE
    write_private(path, page.format(board=board, leader=leader, hub=hub))
    return path.as_uri()


def write_private(path, text: str) -> None:
    """Write `text` to the Path `path`, a file that only this user can read."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
