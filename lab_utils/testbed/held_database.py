"""Reserve a database on REDIS_URL's server for this process, by giving a connection a name.

CLIENT LIST shows the name to every process that runs the lab, on other machines too. A connection's
name is not a key: DBSIZE does not count it, and FLUSHDB does not delete it. The name vanishes with
its connection, so a dead Jupyter kernel reserves nothing. The connection is a plain socket:
redis-py's would reconnect by itself, and its next command might reach a database that somebody else
uses.
"""

import atexit
import contextlib
import os
import re
import secrets
import socket
import threading

import hiredis

from ..errors import LabError
from ..interrupts import uninterrupted

OWN_INSTEAD = "or unset REDIS_URL: the lab then starts a server of its own"
SHOWN_CHARACTERS = 150  # of a server's error message
ANSWER_S = 4  # for each answer of the server
PREFIX = "redis-round-trip-lab:"  # begins a connection's name; database and holder follow
LOST = (
    "The lab no longer holds its database on the server of REDIS_URL: the connection broke, or the "
    "server was restarted. Somebody else may use that database now, so nothing is written there. "
    "Run r = lab.connect() again: it holds one anew, or says what stands in the way."
)


class HeldDatabase:
    """A connection by which this process reserves a database, after `hold` has given it a name.

    `options` are redis-py's, with the server's "host" and "port". Other processes of the lab leave
    the database alone as long as the connection is open. Its methods raise OSError if the
    connection breaks.
    """

    def __init__(self, options: dict) -> None:
        self.options = {**options, "db": 0}
        self.owner = os.getpid()
        self.name = ""
        self.asking = threading.Lock()
        self.reader = hiredis.Reader()
        self.sock = socket.create_connection((options["host"], options["port"]), ANSWER_S)
        # A forked child's copy of the connection would hold the database after the kernel's end.
        os.register_at_fork(after_in_child=self.sock.close)

    def info(self) -> dict[str, str]:
        """Log in and return the server's reply to INFO, {name: value}, both as text."""
        *_, text = self.ask(*log_in(self.options), ["INFO"])
        lines = text.decode(errors="replace").splitlines() if isinstance(text, bytes) else []
        return dict(line.split(":", 1) for line in lines if ":" in line)

    def hold(self, first: int, shown: str) -> int:
        """Reserve the first empty, free database from number `first` on; return its number.

        Checking and naming are one transaction: if two processes want one database, one of them
        gets it. Raises LabError if number `first` has keys and no process has reserved it, and if
        no database is left. The message calls the server `shown`.
        """
        database, first_holders = first, ""
        while True:
            try:
                self.ask(["SELECT", f"{database}"])
            except hiredis.ReplyError as error:
                raise LabError(
                    f"No database at {shown}, from that number on, is empty and nobody's: "
                    f"{one_line(f'{first_holders}{error}')}. Choose a smaller number that is "
                    f"empty, {OWN_INSTEAD}."
                ) from None
            name = f"{PREFIX}{database}:{holder()}"
            keys, holders = self.look_and_name(database, name)
            if not keys and not holders:
                self.name = name
                atexit.register(self.end)
                return database
            self.ask(["CLIENT", "SETNAME", ""])
            if database == first:
                if keys and not holders:
                    raise LabError(
                        f"Database {first} at {shown} holds {keys:,} keys, and no kernel of the "
                        "lab holds it, so the lab leaves it alone: its chapters write and delete. "
                        f"Choose an empty database by its number, {OWN_INSTEAD}. If these keys are "
                        "what a killed kernel of the lab left, delete them yourself: redis-cli -n "
                        f"{first} FLUSHDB."
                    )
                first_holders = f"number {first} is held by {', '.join(holders)}; "
            database += 1

    def look_and_name(self, database: int, name: str) -> tuple[int, list[str]]:
        """Name the connection `name`; return (number of keys, names of other processes).

        These processes have reserved the same database. `database` is the number of the database,
        which the connection has selected.
        """
        *_, seen = self.ask(
            ["MULTI"], ["DBSIZE"], ["CLIENT", "LIST"], ["CLIENT", "SETNAME", name], ["EXEC"]
        )
        keys, clients, _ = seen
        names = re.findall(rf" name={PREFIX}{database}:(\S+)", clients.decode(errors="replace"))
        return keys, names

    def ask(self, *commands: list) -> list:
        """Send commands at once and return their replies, decoded by hiredis, in order.

        Each command is a list of words. Raises the first reply that is an error, a
        hiredis.ReplyError. The connection is closed if it does not answer in time, or not in
        Redis's protocol.
        """
        try:
            self.sock.sendall(b"".join(hiredis.pack_command(tuple(each)) for each in commands))
            replies = [self.reply() for _ in commands]
        except BaseException:
            self.sock.close()
            raise
        for reply in replies:
            if isinstance(reply, hiredis.ReplyError):
                raise reply
        return replies

    def reply(self) -> object:
        """Read the next reply and return it as hiredis decodes it.

        An error reply is returned, not raised. Raises ConnectionError if the server has closed the
        connection.
        """
        # None is a reply as well, and False stands for "not all of it is here"
        while (reply := self.reader.gets()) is False:
            data = self.sock.recv(65_536)
            if not data:
                raise ConnectionError("Connection closed by server")
            self.reader.feed(data)
        return reply

    def alive(self) -> bool:
        """Return whether the connection still seems open, without sending anything.

        Returns False in a forked child.
        """
        return self.owner == os.getpid() and self.sock.fileno() >= 0

    def stands(self) -> bool:
        """Return whether the database is still reserved: the server knows the connection's name.

        This asks the server: a connection can end unnoticed, as when a laptop sleeps.
        """
        try:
            return self.alive() and self.ask_again(["CLIENT", "GETNAME"]) == self.name.encode()
        except (OSError, hiredis.HiredisError):
            return False

    def empty(self) -> None:
        """Delete all keys of the database; raise LabError if it is no longer reserved."""
        try:
            self.ask_again(["FLUSHDB"])
        except (OSError, hiredis.HiredisError):
            raise LabError(LOST) from None

    def ask_again(self, command: list) -> object:
        """Send one command, a list of words, and return its reply; any thread may call this."""
        with uninterrupted(), self.asking:
            [reply] = self.ask(command)
        return reply

    def end(self) -> None:
        """Delete all keys of the database, close the connection; do nothing in a forked child."""
        if self.name and self.alive():
            with contextlib.suppress(LabError):
                self.empty()
        atexit.unregister(self.end)
        self.let_go()

    def let_go(self) -> None:
        """Close the connection, so that any process may use the database; its keys stay."""
        self.sock.close()


def one_line(words: object) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in str(words))
    return " ".join(text.split())[:SHOWN_CHARACTERS].strip().rstrip(".")


def holder() -> str:
    """Return the name by which this process reserves a database: 'ada@laptop:pid-4711:0f3a…'.

    It is the user, the machine and the process, and contains no spaces.
    """
    person = os.environ.get("USER", os.getuid())
    whole = f"{person}@{socket.gethostname()}:pid-{os.getpid()}:{secrets.token_hex(4)}"
    return re.sub(r"[^!-~]", "-", whole)


def log_in(options: dict) -> list[list]:
    """Return the commands by which a new connection logs in: AUTH and SELECT, lists of words.

    `options` are redis-py's; without a password or a database the list has no command for it.
    """
    user = [options["username"]] if options.get("username") else []
    password = [["AUTH", *user, options["password"]]] if options.get("password") else []
    return password + ([["SELECT", str(options["db"])]] if options.get("db") else [])
