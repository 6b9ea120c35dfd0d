"""The server that REDIS_URL names: whether the lab can use it, and which of its databases.

Nothing is written to it before one of its databases is found empty and reserved for this kernel
(see `reservation.py`). Everything that can be wrong ends in a LabError that says what to do next,
within about 5 seconds.
"""

import math
import re
from urllib.parse import parse_qsl, unquote, urlsplit

import redis

from ..errors import LabError
from .reservation import ANSWER_S, Reservation
from .versions import refuse_old

FORM = "redis://:password@127.0.0.1:6379/15, or rediss:// for TLS"
PLAIN = "write redis:// instead of rediss://"
OWN_INSTEAD = "or unset REDIS_URL: the lab then starts a server of its own"
SECONDS_OPTIONS = "socket_timeout", "socket_connect_timeout"
OPTIONS = {
    "db",
    "username",
    "password",
    "ssl_ca_certs",
    "ssl_ca_path",
    "ssl_certfile",
    "ssl_keyfile",
}
OPTIONS |= {"ssl_keyfile_password", "ssl_cert_reqs", *SECONDS_OPTIONS}
LONGEST_S = 3600  # of patience that a URL may ask for
SHOWN_CHARACTERS = 150  # of what a server said


def reserve_from_url(url: str, again: bool = False) -> tuple[dict, Reservation]:
    """Return (redis-py's options, Reservation) of an empty database on the server at `url`.

    `again`: this kernel had one there and lost it, so if keys stand in the database, the next empty
    one is taken. Raises LabError where the lab can't use that server, or may not.
    """
    shown = without_password(url)
    options = options_of(url, shown)
    reservation = Reservation()
    try:
        answer = reservation.reserve(options, again)
        check_reserved(answer, shown, options)
    except TimeoutError:
        reservation.abandon()
        raise LabError(advice("TimeoutError", "", [], shown, options)) from None
    except BaseException:
        reservation.abandon()
        raise
    return {**options, "db": reservation.database}, reservation


# The URL


def options_of(url: str, shown: str) -> dict:
    """Return redis-py's options of a URL: those on which no fact of a chapter depends."""
    if why := fault_of(url, shown):
        raise LabError(
            f"REDIS_URL is {shown!r}, which the lab cannot use: {why}. Write it like {FORM}."
        )
    options = redis.connection.parse_url(url)
    kind = options.pop("connection_class", None)
    if kind is redis.UnixDomainSocketConnection:
        return {"db": 0, "unix_socket_path": options.pop("path"), **options}
    tls = {"ssl": True} if kind is redis.SSLConnection else {}
    return {"db": 0, "host": "localhost", "port": 6379, **options, **tls}


def fault_of(url, shown):
    """Return what is wrong with a URL, also where redis-py would read it as another, or None."""

    def quoted(text):  # what is not shown already may be a part of the password
        return repr(text) if text and text in shown else "what stands there"

    if not url.isprintable() or " " in url:
        return "it holds a space or a character that cannot be printed; percent-encode it, as %20"
    if not url.startswith(("redis://", "rediss://", "unix://")):
        return "it begins with neither redis:// nor rediss:// nor unix://"
    if "#" in url:
        return "a # must be percent-encoded, %23"
    try:
        parts = urlsplit(url)
        parts.port, unquote(parts.hostname or "").encode("idna")  # each may be refused
        query = dict(
            parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        )
    except UnicodeError:
        return f"{quoted(parts.hostname)} is no name of a host"
    except ValueError:
        encode = "a / ? # or @ in a password must be percent-encoded"
        return encode if "@" in url else "its parts make no sense"
    path = parts.path.removeprefix("/")
    if parts.scheme == "unix" and not path:
        return "the path of the socket is missing, as in unix:///run/redis.sock?db=15"
    for database in [query.get("db", "0"), path if path and parts.scheme != "unix" else "0"]:
        if not (database.isascii() and database.isdigit() and len(database) < 10):
            return f"{quoted(database)} is no number of a database; there are 16, from 0 to 15"
    for name, text in query.items():
        if name not in OPTIONS:
            return f"the option {quoted(name)} is unknown here or would change facts; leave it out"
        seconds = float(text) if re.fullmatch(r"\d*\.?\d+", text) else math.nan
        if name in SECONDS_OPTIONS and not 0 < seconds <= LONGEST_S:
            return f"{name} is no number of seconds up to {LONGEST_S:,}"
    return None


def without_password(url: str) -> str:
    """Return the URL as it may be shown, however misspelt.

    A password is whatever stands before the last @, or after password=.
    """
    login, at, rest = url.rpartition("@")
    if at:
        begins = re.match(r"\w+://([^:@/?#]*:)?", login)
        url = f"{begins[0] if begins else ''}***@{rest}"
    return re.sub(r"([?&](?:ssl_keyfile_)?password=).*", r"\1***", url, flags=re.DOTALL)


# The server


def check_server(info: dict, shown: str, options: dict):
    """Raise LabError for a server that the chapters don't work on, by what INFO says of it."""
    version = re.match(r"(\d+)\.(\d+)", info.get("redis_version", ""))
    kind, primary = None, f"{info.get('master_host')}:{info.get('master_port')}"
    if not version:
        kind = "no version"
    elif info.get("redis_mode") == "sentinel":
        kind = "mode: sentinel"
    elif info.get("redis_mode") == "cluster" or info.get("cluster_enabled") == "1":
        kind = "CLUSTERDOWN"
    elif info.get("role") == "slave":
        kind = "role: replica"
    elif info.get("loading", "0") != "0":
        kind = "LOADING"
    if version:
        refuse_old((int(version[1]), int(version[2])), shown)
    if kind:
        raise LabError(advice(kind, "", [primary], shown, options))


def check_reserved(answer: dict, shown: str, options: dict):
    """Raise LabError where no database was reserved, by the answer of the process that tried."""
    if "info" in answer:
        check_server(answer["info"], shown, options)
    if "error" in answer:
        raise LabError(advice(answer["error"], answer["text"], answer["commands"], shown, options))
    if "no_database" in answer:
        raise LabError(advice("no database", "", [f"{answer['no_database']}"], shown, options))
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


# What the server refused, where its own words do not say what to do. In the first entry of which a
# sign stands in the error, or its class: what is wrong, and below it what to do.

ADVICE = """
without any password configured = has no password, and REDIS_URL brings one
  Write it without: redis://host:6379/15
AuthenticationError|WrongNumberOfArgsError|NOAUTH|WRONGPASS = refused the password, or wants one
  Write it into REDIS_URL: redis://:password@host:6379/15, or redis://user:password@host:6379/15
access a channel|of the channels = does not let this user use the lab's channels
  Let an administrator run ACL SETUSER name &redis-round-trip-lab*
access a key|keys mentioned = does not let this user use every key
  Let an administrator run ACL SETUSER name allkeys, or name a user who may
NoPermissionError = does not give this user the rights that the chapters need
  Let an administrator allow {refused}, or name a user who has these rights
unknown command = lacks commands that the chapters need, or has them renamed: it refused {refused}
  Set REDIS_URL to a server that has them
BUSY |Busy Redis|busy running a script = is busy with a script that does not end (BUSY)
  Run SCRIPT KILL there and run the cell again
CLUSTERDOWN|ClusterDownError = is a node of a cluster, where MSET and a second database do not work
  Set REDIS_URL to a standalone server; the chapter on clusters starts nodes of its own
mode: sentinel = is a Sentinel: it knows where a Redis is and is none itself
  Set REDIS_URL to the primary it names (SENTINEL MASTERS tells), with an empty database
role: replica = is a replica, which takes no writes of its own
  Set REDIS_URL to its primary, {refused}, with an empty database
LOADING = is still loading its data
  Run the cell again in a while
no version = does not say which Redis it is
  Check the host and the port
no database = has no database {refused}
  Choose a smaller number, by default there are 16, from 0 to 15
protected mode|DENIED = is in protected mode: it lets no other machines in without a password
  Set one there and write it into REDIS_URL
max number of clients|MaxClientsError = has as many clients as it takes
  Close some, or raise its maxclients, and run the cell again
InvalidResponse|Protocol error|Protocol Error|UnicodeDecode = does not speak the protocol of Redis
  Check the host and the port
certificate|CERTIFICATE = has a certificate that this machine does not trust
  Check that it names this host, and if it is your own add ?ssl_ca_certs=/path/to/ca.pem to the URL
Ended = was not asked: the lab's own process that speaks to it ended without a word
  Run the cell again
"""
NO_CONNECTION = (
    "ConnectionError",
    "ConnectionResetError",
    "BrokenPipeError",
    "gaierror",
    "MaxConnectionsError",
)


def advice(kind: str, text: str, commands: list, shown: str, options: dict) -> str:
    """Return one paragraph: what the server said, and what to do.

    `kind` is the class of redis-py's error, `text` its words, and `commands` those that were
    refused.
    """
    if kind == "TimeoutError":
        plain = (
            "If it speaks plain TCP, write redis:// instead of rediss://. "
            if options.get("ssl")
            else ""
        )
        what = f"The server at {shown} did not answer within {ANSWER_S} s."
        return f"{what} {plain}Check the host and the firewall, {OWN_INSTEAD}."
    lines = ADVICE.strip().split("\n")
    for entry, todo in zip(lines[::2], lines[1::2], strict=True):
        signs, _, what = entry.partition(" = ")
        if any(sign in f"{kind}\n{text}" for sign in signs.split("|")):
            told = f"The server at {shown} {what}. {todo.strip()}, {OWN_INSTEAD}."
            return told.replace("{refused}", ", ".join(commands))
    # some servers repeat what they were sent
    text = text.replace(options.get("password") or "\0", "***")
    if kind in NO_CONNECTION:
        hint = tls_hint(text, options)
        what = f"No connection to {shown}: {said(text)}."
        return f"{what} {hint}Start that server, mend REDIS_URL, {OWN_INSTEAD}."
    what = f"The server at {shown} refused what the lab needs: {said(text) or kind}."
    return f"{what} Mend that and run the cell again, {OWN_INSTEAD}."


def said(text: str) -> str:
    """Return a server's own words, short and in one line."""
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text[:SHOWN_CHARACTERS].strip().rstrip(".")


def tls_hint(text, options):
    text = text.lower()
    if options.get("ssl") and ("ssl" in text or "eof occurred" in text):
        return f"The TLS handshake failed: if the server speaks plain TCP, {PLAIN}. "
    if not options.get("ssl") and ("closed by server" in text or "reset by peer" in text):
        return "If the server wants TLS, write rediss:// instead of redis://. "
    return ""
