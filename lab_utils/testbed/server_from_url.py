"""The server that REDIS_URL names: whether the lab can use it, and which of its databases.

Nothing is written to it before one of its databases is found empty and reserved for this kernel
(see `reservation.py`). Whatever is wrong ends in a LabError that says what to do next.
"""

import re
from urllib.parse import urlsplit

import redis

from ..errors import LabError
from .private_server import refuse_old
from .reservation import Reservation

FORM = "redis://:password@127.0.0.1:6379/15"
OWN_INSTEAD = "or unset REDIS_URL: the lab then starts a server of its own"
SHOWN_CHARACTERS = 150  # of what a server said


def reserve_from_url(url: str, again: bool = False) -> tuple[dict, Reservation]:
    """Return (redis-py's options, Reservation) of an empty database on the server at `url`.

    `again`: this kernel had one there and lost it, so if keys stand in the database, the next empty
    one is taken. Raises LabError where the lab can't use that server, or may not.
    """
    if why := fault_of(url):  # never quoted: any part may belong to the password
        raise LabError(f"The lab cannot use REDIS_URL as it is: {why}. Write it like {FORM}.")
    shown = without_password(url)
    options = {"db": 0, "host": "localhost", "port": 6379, **redis.connection.parse_url(url)}
    reservation = Reservation()
    try:
        check_answer(reservation.reserve(options, again), shown, options)
    except BaseException:
        reservation.end(empty=False)
        raise
    return {**options, "db": reservation.database}, reservation


def fault_of(url: str) -> str | None:
    """Return what is wrong with a URL, also where redis-py would read it as another, or None."""
    encode = "a space or one of / ? # @ in a password must be percent-encoded, as %20"
    if not url.startswith("redis://"):
        return "it does not begin with redis://, and the lab's link speaks plain TCP alone"
    if not url.isprintable() or " " in url or "#" in url:
        return encode
    try:
        parts = urlsplit(url)
        parts.port, (parts.hostname or "").encode("idna")  # each may be refused
        if parts.query:
            return f"no options may stand after a question mark, so write /5 for ?db=5; {encode}"
        if not re.fullmatch("/?[0-9]{0,9}", parts.path):
            return "what should be the number of a database is none; there are 16, from 0 to 15"
        redis.connection.parse_url(url)
    except ValueError:  # no number of a port or of seconds, no name of a host
        return f"its parts make no sense; {encode}"
    return None


def without_password(url: str) -> str:
    """Return a URL as it may be shown, without the password before the @."""
    return re.sub("(://(?:[^:@/?]*:)?).*@", r"\1***@", url)


def check_answer(answer: dict, shown: str, options: dict):
    """Raise LabError where no database was reserved, by the answer of the process that tried."""
    if "info" in answer:
        check_server(answer["info"], shown)
    if "error" in answer:
        raise LabError(advice(answer["error"], answer["text"], shown, options))
    if "no_database" in answer:
        raise LabError(
            f"The server at {shown} has no database {answer['no_database']}. Choose a smaller "
            f"number, by default there are 16, from 0 to 15, {OWN_INSTEAD}."
        )
    if "all_taken" in answer:
        raise LabError(
            f"Database {answer['all_taken']} at {shown} is reserved by another kernel of the lab "
            f"({said('; '.join(answer['holders']))}), and every higher one is reserved or holds "
            f"keys. Choose a smaller number that is empty, {OWN_INSTEAD}."
        )
    if "keys" in answer:
        raise LabError(
            f"The database at {shown} holds {answer['keys']:,} keys that are not the lab's, so the "
            "lab leaves it alone: its chapters write and delete. Choose an empty database by its "
            f"number, as in redis://127.0.0.1:6379/15, {OWN_INSTEAD}. If you know them for what a "
            "killed kernel of the lab left, delete them yourself, with redis-cli and FLUSHDB."
        )


def check_server(info: dict, shown: str):
    """Raise LabError for a server that the chapters don't work on, by what INFO says of it."""
    version = re.match(r"(\d+)\.(\d+)", info.get("redis_version", ""))
    what = None
    if not version:
        what = "does not say which Redis it is. Check the host and the port"
    elif info.get("redis_mode") == "sentinel":
        what = "is a Sentinel. Set REDIS_URL to the primary that it names (SENTINEL MASTERS tells)"
    elif info.get("redis_mode") == "cluster" or info.get("cluster_enabled") == "1":
        what = (
            "is a node of a cluster, where MSET and a second database do not work. Set REDIS_URL "
            "to a standalone server; the chapter on clusters starts nodes of its own"
        )
    elif info.get("role") == "slave":
        primary = f"{info.get('master_host')}:{info.get('master_port')}"
        what = f"is a replica, which takes no writes. Set REDIS_URL to its primary, {primary}"
    if what or not version:
        raise LabError(f"The server at {shown} {what}, {OWN_INSTEAD}.")
    refuse_old((int(version[1]), int(version[2])), shown)


# Signs of an error, or of its class: what is wrong, and what to do.
ADVICE = {
    "without any password configured": "has no password, and REDIS_URL brings one. Write it "
    "without: redis://host:6379/15",
    "AuthenticationError|WrongNumberOfArgsError|NOAUTH|WRONGPASS": "refused the password, or wants "
    "one. Write it into REDIS_URL: redis://:password@host:6379/15, or "
    "redis://user:password@host:6379/15",
    "NoPermissionError": "does not give this user the rights that the chapters need ({text}). Let "
    "an administrator allow it all commands, all keys and &redis-round-trip-lab*",
    "InvalidResponse|Protocol |UnicodeDecode|ValueError": "does not speak the protocol of Redis. "
    "Check the host and the port",
}


def advice(kind: str, text: str, shown: str, options: dict) -> str:
    """Return one paragraph: what the server said, and what to do.

    `kind` is the class of redis-py's error, `text` its words.
    """
    text = said(text.replace(options.get("password") or "\0", "***"))  # some servers repeat it
    for signs, what in ADVICE.items():
        if any(sign in f"{kind} {text}" for sign in signs.split("|")):
            return f"The server at {shown} {what.replace('{text}', text)}, {OWN_INSTEAD}."
    if "Connection" in kind or kind in ("TimeoutError", "BrokenPipeError", "gaierror", "OSError"):
        what = f"No answer from {shown}: {text or kind}."
        if re.search("closed by server|reset by peer", text, re.I):
            what += " It may take TLS only, and such a server the lab cannot use."
        return f"{what} Start that server, check host and firewall, {OWN_INSTEAD}."
    what = f"The server at {shown} refused what the lab needs: {text or kind}."
    return f"{what} Mend that and run the cell again, {OWN_INSTEAD}."


def said(text: str) -> str:
    """Return a server's own words, short and in one line."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text[:SHOWN_CHARACTERS].strip().rstrip(".")
