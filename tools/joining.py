"""Joins a room's board with a laptop of one's own: `make lab BOARD=http://… NAME=…`.

It asks for the room's password once. The board gives a token for it, which stands in a file that
only you can read and which posts under your name from then on; the password is not kept. A board
behind TLS whose certificate is the room's own is believed once you have typed the certificate's
code, which stands on the leader's screen: the password goes nowhere before.
"""

import contextlib
import getpass
import hashlib
import http.client
import json
import os
import socket
import ssl
import sys
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from lab_utils.course.certificates import code, trust

ANSWER_S = 5
ASKED = 3  # times for a password, or a certificate's code
WITHOUT = "Without a board, start the lab with `make lab`."
PLACES = "", "/services/board"  # a board alone, and one beside a hub


def join(address, name, folder):
    """Set what kernels need to post to the board at `address`, or exit with advice.

    `folder` keeps the token.
    """
    address = address if "://" in address else f"http://{address}"
    secure = address.startswith("https:")
    certificate = believed(address, kept(folder, address, "pem")) if secure else ""
    os.environ["LAB_BOARD_CERTIFICATE"] = certificate
    url = found(address)
    path = kept(folder, url, "token")
    if not is_known(url, path):
        token, name = asked(url, name)
        write(path, token)
        print(
            f"You are on the board at {url}, {f'as {name}' if name else 'without a name'}. The "
            "leader sees there what you guess and measure, and which exercises you try. `make "
            "lab` without BOARD= posts nothing."
        )
    os.environ["LAB_BOARD_URL"], os.environ["LAB_BOARD_TOKEN_FILE"] = url, str(path)


def kept(folder, url, kind):
    """Return where something of this board stands."""
    return folder / f"board-{hashlib.sha256(url.encode()).hexdigest()[:12]}.{kind}"


def believed(address, path):
    """Return the file with the certificate of the board at an https address.

    It is "" where authorities vouch for it. Exits with advice where the person does not either.
    """
    for certificate in [str(path), ""] if path.is_file() else [""]:
        try:
            shake_hands(address, trust(certificate))
            return certificate
        except ssl.SSLCertVerificationError:
            continue
        except (OSError, ValueError):
            return certificate  # what is wrong there, the next request tells
    try:
        pem = ssl.get_server_certificate(place_of(address), timeout=ANSWER_S)
    except OSError as error:
        sys.exit(no_board(address, error))
    confirm(pem)
    write(path, pem)
    return str(path)


def confirm(pem):
    """Ask for the code on the leader's screen; exit with advice where it is not typed."""
    need_terminal("the code of the room's certificate")
    print(
        "The room's certificate is its own. Its code stands on the leader's screen, four times "
        "four letters."
    )
    for _ in range(ASKED):
        if input("The certificate's code: ").strip().lower().replace(" ", "-") == code(pem):
            return
        print("This is not the code of the certificate that came.")
    sys.exit(
        "If you typed what the leader's screen shows, somebody stands between you and the "
        f"board: tell the leader. {WITHOUT}"
    )


def shake_hands(address, context):
    """Raise ssl.SSLCertVerificationError where nobody vouches for an address's certificate."""
    place = place_of(address)
    with (
        socket.create_connection(place, ANSWER_S) as plain,
        context.wrap_socket(plain, server_hostname=place[0]),
    ):
        pass


def place_of(address):
    parts = urlsplit(address)
    return parts.hostname, parts.port or 443


def no_board(address, why):
    return f"There is no board at {address} ({why}). Check the address with the leader. {WITHOUT}"


def need_terminal(what):
    if not sys.stdin.isatty():
        sys.exit(
            f"The board asks for {what}, and here is no terminal to type it. Run `make lab "
            "BOARD=…` in one."
        )


def found(address):
    """Return the address of the board itself; exit with advice where there is none."""
    tried = ""
    for place in PLACES:
        url = address.rstrip("/") + place
        try:
            if call(f"{url}/health").get("status") == "ok":
                return url
        except (OSError, ValueError, AttributeError) as error:
            tried = tried or str(error)
    sys.exit(no_board(address, tried or "something else answers"))


def is_known(url, path):
    """Return True where the token of an earlier time is still good."""
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
    """Ask for the room's password; return (token, name)."""
    need_terminal("the room's password")
    for _ in range(ASKED):
        password = getpass.getpass("The room's password: ").strip()
        with contextlib.suppress(PermissionError):
            return joined(url, name, password)
        print("This is not the room's password. Ask the leader for it; capitals count.")
    sys.exit("Start again when you have the room's password, or without a board: make lab")


def joined(url, name, password):
    """Return (token, name) for a name that nobody has. A wrong password is a PermissionError."""
    while True:
        try:
            return call(f"{url}/api/join", {"password": password, "name": name})["token"], name
        except urllib.error.HTTPError as error:
            if error.code == 403:
                raise PermissionError from None
            if error.code not in (400, 409):
                sys.exit(
                    f"{said(error)} Try again later, or start the lab without a board: make lab"
                )
            print(said(error))
            name = input("Your name on the board (empty: none): ").strip()


def said(error):
    with contextlib.suppress(ValueError):
        return json.load(error)["error"]
    return f"The board answered {error.code}."


def call(url, body=None, token=""):
    """Return the board's answer, a dict.

    Raises OSError where there is none, ValueError where it is no board's.
    """
    request = urllib.request.Request(
        url,
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": f"token {token}"},
    )
    context = trust(os.environ.get("LAB_BOARD_CERTIFICATE"))
    no_proxy = urllib.request.ProxyHandler({})  # the room is no place beyond one
    direct = urllib.request.build_opener(no_proxy, urllib.request.HTTPSHandler(context=context))
    try:
        with direct.open(request, timeout=ANSWER_S) as reply:
            return json.loads(reply.read(100_000))
    except http.client.HTTPException as error:  # no address, or something that speaks no HTTP
        raise ValueError(str(error) or type(error).__name__) from None


def write(path, text):
    """Write a file that only its owner can read, from its first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with open(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8"
    ) as file:
        file.write(text)
