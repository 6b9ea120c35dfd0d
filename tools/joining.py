"""Joins a room's board with a laptop of one's own: `make lab BOARD=http://… NAME=…`.

It asks for the room's password once. The board gives a token for it, which stands in a file that only you can read and which
posts under your name from then on; the password is not kept.
"""

import contextlib
import getpass
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request

ANSWER_S = 5
ASKED = 3  # times for a password
PLACES = "", "/services/board"  # a board alone, and one beside a hub
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the room is no place beyond a proxy


def join(address, name, folder):
    """Sets what the lab's kernels need to post to the board at `address`; `folder` keeps the token. Exits with advice."""
    url = found(address if "://" in address else f"http://{address}")
    path = folder / f"board-{hashlib.sha256(url.encode()).hexdigest()[:12]}.token"
    if not is_known(url, path):
        token, name = asked(url, name)
        keep(path, token)
        print(f"You are on the board at {url}, {f'as {name}' if name else 'without a name'}. The leader sees there what you "
              "guess and measure, and which exercises you try. `make lab` without BOARD= posts nothing.")
    os.environ["LAB_BOARD_URL"], os.environ["LAB_BOARD_TOKEN_FILE"] = url, str(path)


def found(address):
    """The address of the board itself."""
    tried = ""
    for place in PLACES:
        url = address.rstrip("/") + place
        try:
            if call(f"{url}/health").get("status") == "ok":
                return url
        except (OSError, ValueError, AttributeError) as error:
            tried = tried or str(error)
    sys.exit(f"There is no board at {address} ({tried or 'something else answers'}). Check the address with the leader. "
             "Without a board, start the lab with `make lab`.")


def is_known(url, path):
    """True where the token of an earlier time is still good."""
    try:
        call(f"{url}/api/events", {"events": []}, path.read_text(encoding="utf-8"))
    except urllib.error.HTTPError as error:
        return error.code != 401  # a board that is away for a moment still knows it
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return path.is_file()
    return True


def asked(url, name):
    """(token, name), for the room's password."""
    if not sys.stdin.isatty():
        sys.exit("The board asks for the room's password, and here is no terminal to type it. Run `make lab BOARD=…` in one.")
    for _ in range(ASKED):
        password = getpass.getpass("The room's password: ").strip()
        with contextlib.suppress(PermissionError):
            return joined(url, name, password)
        print("This is not the room's password. Ask the leader for it; capitals count.")
    sys.exit("Start again when you have the room's password, or without a board: make lab")


def joined(url, name, password):
    """(token, name) for a name that nobody has. Raises PermissionError where the password is wrong."""
    while True:
        try:
            return call(f"{url}/api/join", {"password": password, "name": name})["token"], name
        except urllib.error.HTTPError as error:
            if error.code == 403:
                raise PermissionError from None
            if error.code not in (400, 409):
                sys.exit(f"{said(error)} Try again later, or start the lab without a board: make lab")
            print(said(error))
            name = input("Your name on the board (empty: none): ").strip()


def said(error):
    with contextlib.suppress(ValueError):
        return json.load(error)["error"]
    return f"The board answered {error.code}."


def call(url, body=None, token=""):
    """The board's answer, a dict. Raises OSError where there is none, ValueError where it is no board's."""
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(),
                                     {"Content-Type": "application/json", "Authorization": f"token {token}"})
    with DIRECT.open(request, timeout=ANSWER_S) as reply:
        return json.loads(reply.read(100_000))


def keep(path, token):
    """The token in a file that only its owner can read, from its first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(token)
