"""Use the server that REDIS_URL names: check it, and reserve one of its databases.

Nothing is written to the server before one of its databases is found empty and reserved for this
process (see `held_database`). Every failure is a LabError that says what to do next.
"""

import re
from urllib.parse import urlsplit

import hiredis
import redis

from ..errors import LabError
from .held_database import OWN_INSTEAD, HeldDatabase, one_line
from .private_server import refuse_old
from .server import Server

FORM = (
    "The lab cannot use REDIS_URL as it is. Write it like redis://:password@127.0.0.1:6379/15 or "
    "redis://user:password@host/15: it begins with redis:// (the lab's link speaks plain TCP "
    "alone), ends with the number of a database, has no options after a question mark, and each "
    f"space or / ? # @ : % in a password is percent-encoded, as %20; {OWN_INSTEAD}."
)


def server_from_url(url: str) -> Server:
    """Reserve an empty database on the learner's own server, at `url`; return this Server.

    The Server's address is the IP address at which the database is reserved, even if `url` has a
    host name: that might lead to several servers. Raises LabError if the lab can't use the server,
    or must not, as when no database is empty.
    """
    if not is_usable(url):
        raise LabError(FORM)  # never quoted: any part may belong to the password
    shown = without_password(url)
    options = {"db": 0, "host": "localhost", "port": 6379, **redis.connection.parse_url(url)}
    try:
        held = HeldDatabase(options)
        try:
            check_server(held.info(), shown)
            options["db"] = held.hold(options["db"], shown)
        except BaseException:
            held.let_go()
            raise
    except hiredis.ReplyError as error:
        # some servers repeat the password
        text = one_line(f"{error}".replace(options.get("password") or "\0", "***"))
        raise LabError(
            f"The server at {shown} refused what the lab needs: {text}. Mend that: write user and "
            "password into REDIS_URL as the server wants them, and let an administrator allow this "
            f"user all commands and keys; {OWN_INSTEAD}."
        ) from None
    except hiredis.HiredisError:
        raise LabError(
            f"What answers at {shown} does not speak the protocol of Redis. Check the host and the "
            f"port, {OWN_INSTEAD}."
        ) from None
    except OSError as error:
        raise LabError(
            f"No answer from {shown}: {one_line(error)}. Start that server, check host, port and "
            f"firewall (one that takes TLS only, the lab cannot use), {OWN_INSTEAD}."
        ) from None
    host, port = held.sock.getpeername()[:2]  # an address that no other server shares
    return Server((host, port), {**options, "host": host, "port": port}, held=held)


def is_usable(url: str) -> bool:
    """Return whether the lab can use this text as REDIS_URL; nothing is connected.

    It must begin with redis://, end with a database's number or without one, and have no options. A
    URL that redis-py would read otherwise than its author meant is refused.
    """
    if not url.startswith("redis://") or not url.isprintable() or re.search("[ #?]", url):
        return False
    try:
        parts = urlsplit(url)
        (parts.hostname or "localhost").encode("idna")
        redis.connection.parse_url(url)
        return parts.port != 0 and bool(re.fullmatch("/?[0-9]{0,9}", parts.path))
    except ValueError:  # no number of a port, no name of a host
        return False


def without_password(url: str) -> str:
    return re.sub("(://(?:[^:@/?]*:)?).*@", r"\1***@", url)


def check_server(info: dict, shown: str) -> None:
    """Raise LabError for a server on which the chapters don't work.

    `info` is the server's reply to INFO, {name: value} as texts. The message calls the server
    `shown`.
    """
    version = re.match(r"(\d+)\.(\d+)", info.get("redis_version", "")) or ("", 0, 0)
    evicts = info.get("maxmemory", "0") != "0" and info.get("maxmemory_policy") != "noeviction"
    what = None
    if info.get("redis_mode") == "cluster" or info.get("cluster_enabled") == "1":
        what = "is a node of a cluster, which has one database. Set REDIS_URL to a standalone one"
    elif info.get("role") == "slave":
        primary = f"{info.get('master_host')}:{info.get('master_port')}"
        what = f"is a replica, which takes no writes. Set REDIS_URL to its primary, {primary}"
    elif evicts and any(re.fullmatch(r"db\d+", name) for name in info):
        what = (
            f"holds keys and deletes some when it is full ({info.get('maxmemory_policy')}), so "
            "the lab's could push them out. Set REDIS_URL to a server that holds none"
        )
    if what:
        raise LabError(f"The server at {shown} {what}, {OWN_INSTEAD}.")
    refuse_old((int(version[1]), int(version[2])), f"The server at {shown}")
