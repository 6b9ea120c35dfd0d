"""Serve the board over HTTP: learners' Jupyter kernels post events, the leader's page shows them.

A learner with a server of the hub is known by that server's token. A learner on a laptop joins with
the room's password, and gets a token for it. The leader's page, and every request for other
people's data, needs the leader's password. Nothing is encrypted: use the board only in a network
that the leader trusts.
"""

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import time
from pathlib import Path

from tornado import web

from .book import Book
from .questions import course

PAGE = Path(__file__).parent / "page"
LONGEST_NAME = 32
SMALLEST, LARGEST = 1e-6, 1e12  # of a guess, as lab.guess has it


class Board:
    """All events of a room, in memory as a Book and on disk in `folder`/events.jsonl.

    An event is a dict about one thing that a learner or the leader did. The file has one JSON
    object a line. An event in the Book is on disk already. `passwords` is {"learner": text,
    "leader": text}.
    """

    def __init__(self, folder: Path, passwords: dict[str, str]):
        self.path = folder / "events.jsonl"
        self.passwords = passwords
        self.book = Book()
        self.hub = None
        for event in read_events(self.path):
            self.book.take(event)
        if os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):
            # Here, as a board alone has no jupyterhub beside it.
            from jupyterhub.services.auth import HubAuth

            self.hub = HubAuth()

    def add(self, *events: dict) -> None:
        """Store events, dicts, in the file and then in the Book.

        If the file cannot be written, raise OSError and store none.
        """
        append_events(self.path, events)
        for event in events:
            self.book.take(event)

    async def learner(self, token: str) -> tuple[str, str] | None:
        """Return (person's id, name) of the learner with this token, or None if nobody has it.

        The token is that of a laptop that joined, or of a server of the hub.
        """
        known = self.book.joined.get(digest(token))
        if not known and self.hub and token:
            user = await self.hub.user_for_token(token, sync=False)
            known = user and (f"hub:{user['name']}", user["name"])
        return known


def read_events(path: Path):
    """Yield the events in the file `path`, as dicts, oldest first; none if there is no file.

    A line that was written only in part is skipped.
    """
    if path.exists():
        for line in path.read_bytes().splitlines():
            with contextlib.suppress(ValueError):
                yield json.loads(line)


def append_events(path: Path, events: tuple[dict, ...]) -> None:
    """Append events, dicts, to the file `path`, and return once they are on disk.

    Raises OSError if that fails.
    """
    # The first begins a line, so that one which broke off spoils no other.
    text = "\n" + "".join(f"{json.dumps(event)}\n" for event in events)
    with open(path, "ab") as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Return whether two texts are equal, without telling by the time taken where they differ.

    So nobody can find a password letter by letter.
    """
    return hmac.compare_digest(one.encode(errors="replace"), other.encode())


class Handler(web.RequestHandler):
    """The common part of all request handlers: the Board, posted JSON, and errors as JSON.

    `board` is the Board, `known_by` the Authorization header of the request.
    """

    def initialize(self, board):
        self.board = board
        self.known_by = self.request.headers.get("Authorization", "")

    def write_error(self, status_code, **about):
        error = about.get("exc_info", (None, None))[1]
        self.finish({"error": getattr(error, "log_message", None) or self._reason})

    def posted(self, **kinds: type) -> list:
        """Return the values that the posted JSON object has for the names in `kinds`, in order.

        `kinds` is {name: type}. Raises HTTPError 400 if a value is missing or of another type.
        """
        try:
            body = json.loads(self.request.body)
            values = [body[name] for name in kinds]
        except (ValueError, TypeError, LookupError, RecursionError):
            values = [None] * len(kinds)
        if not all(map(isinstance, values, kinds.values())):
            raise web.HTTPError(400, f"Post a JSON object with {' and '.join(kinds)}.")
        return values


class Join(Handler):
    """POST api/join: a laptop sends {"password", "name"}, all texts, and gets {"token"}.

    The password is the room's; a wrong one gets error 403.
    """

    def post(self):
        password, name = self.posted(password=str, name=str)
        if not same(password, self.board.passwords["learner"]):
            raise web.HTTPError(403, "This is not the room's password. Ask the leader for it.")
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise web.HTTPError(400, f"A name has up to {LONGEST_NAME} letters.")
        token = secrets.token_urlsafe(32)
        known_by = digest(token)
        # Who joins again under a name goes on as the same person.
        person = f"laptop:{name.strip() or known_by}"
        self.board.add({"kind": "joined", "token": known_by, "person": person, "who": name.strip()})
        self.write({"token": token})


class Events(Handler):
    """POST api/events: a learner's Jupyter kernel sends {"events": […]}, to be stored.

    The reply is {"taken": number of events stored}, sent once they are on disk. Invalid events are
    skipped; a token that the board does not know gets error 401.
    """

    async def post(self):
        learner = await self.board.learner(self.known_by.removeprefix("token "))
        if not learner:
            raise web.HTTPError(401, "The board does not know this token. Join the room again.")
        [events] = self.posted(events=list)
        # Who it is from, and when, is the board's to say.
        person, who = learner
        known = {"person": person, "who": who, "at": time.time()}
        taken = [{**event, **known} for event in map(as_kept, events) if event]
        self.board.add(*taken)
        self.write({"taken": len(taken)})


def as_kept(event) -> dict | None:
    """Return the fields of a learner's event that are stored, or None if the event is invalid.

    `event` is what was posted, of any type. It is invalid unless it is a guess, a measured value or
    a check of an exercise, with a question, exercise and unit of the course.
    """
    if not isinstance(event, dict):
        return None
    kind, name, value = event.get("kind"), event.get("name"), event.get("value")
    if kind == "check" and name in course().exercises and isinstance(event.get("solved"), bool):
        return {"kind": kind, "name": name, "solved": event["solved"]}
    asked = kind in ("guess", "measured") and course().questions.get(str(name))
    number = type(value) in (int, float) and SMALLEST <= value <= LARGEST
    if asked and number and event.get("unit") == asked.unit:
        return {"kind": kind, "name": name, "value": value}
    return None


class Leader(Handler):
    """The common part of handlers that need the leader's password; without it: error 401."""

    def prepare(self):
        if not same(self.known_by, f"leader {self.board.passwords['leader']}"):
            raise web.HTTPError(401, "Open the board by the link in the leader's page.")


class View(Leader):
    """GET view?question=…&names=1: reply with all data that the leader's page shows, as JSON.

    `question` is the name of the question whose guesses are shown, by default the one guessed last.
    Without `names=1` learners are shown by numbers in place of names.
    """

    def get(self):
        names = self.get_query_argument("names", "0") == "1"
        question = self.get_query_argument("question", "")
        self.write(self.board.book.view(question, names, time.time()))


class Reveal(Leader):
    """POST reveal: {"name", "shown"} shows or hides the measured values of the question `name`."""

    def post(self):
        name, shown = self.posted(name=str, shown=bool)
        self.board.add({"kind": "reveal", "name": name, "shown": shown, "at": time.time()})
        self.write({})


class Remove(Leader):
    """POST remove: {"name", "number"} deletes one learner's guess at the question `name`.

    `number` is the learner's on the board.
    """

    def post(self):
        name, number = self.posted(name=str, number=int)
        self.board.add({"kind": "removed", "name": name, "number": number})
        self.write({})


def application(board: Board, prefix: str = "/") -> web.Application:
    """Return the board's tornado application.

    Its addresses begin with `prefix`, a text that begins and ends with a slash.
    """
    routes = {
        "api/join": Join,
        "api/events": Events,
        "view": View,
        "reveal": Reveal,
        "remove": Remove,
    }
    handlers = [(f"{prefix}{path}", handler, {"board": board}) for path, handler in routes.items()]
    files = {"path": str(PAGE), "default_filename": "index.html"}
    handlers.append((f"{prefix}(.*)", web.StaticFileHandler, files))
    return web.Application(handlers, log_function=lambda handler: None)
