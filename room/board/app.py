"""The board over HTTP: learners post events, the leader's page shows them.

Learners say who they are with a token; what they post is answered when it is on disk. All that
tells of others is the leader's, who comes in with the key, or as the hub's admin, who is given it.
"""

import asyncio
import contextlib
import json
import os
import secrets
import time
from pathlib import Path

from tornado import web

from . import people
from .book import Book
from .questions import course
from .stream import Stream, Unavailable

PAGE = Path(__file__).parent / "page"
LARGEST_POST = 200_000  # bytes
READ_PAST = 100 << 20  # bytes: a longer post is read so far, and held by nobody, to be answered
MOST_EVENTS = 3_000  # of one learner; the whole course makes some hundred
LONGEST_TOKEN = 200  # letters
LONGEST_AGE_S = 30 * 24 * 3600
SMALLEST, LARGEST = 1e-6, 1e12  # of a guess, as lab.guess has it
CALM_S = 0.25  # what comes within so short a time is one view
LONGEST_WAIT_S = 10  # for news; a proxy gives up on an answer later than that
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; "
        "form-action 'self'; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Room:
    """The book, its stream, and who waits for news. `anonymous` keeps no name of anybody."""

    def __init__(self, folder, secret, anonymous=False):
        self.book, self.secret, self.anonymous = Book(), secret, anonymous
        self.stream = Stream(folder, self.book.take)
        self.hub, self.began = None, secrets.token_hex(4)
        self.changed, self.wrong = asyncio.Event(), people.WrongPasswords()
        self.joining = set()  # names that are being written down
        if os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):  # else there may be no jupyterhub
            from jupyterhub.services.auth import HubAuth

            self.hub = HubAuth()

    async def add(self, entry):
        """Write an entry to disk, and into the book. Raises Unavailable where it may not be."""
        if not self.book.has(entry):
            await self.stream.append(entry)
            self.book.take(entry)
            self.changed.set()
            self.changed = asyncio.Event()

    async def person(self, token):
        """Return the Person with that token, or None. Raises HTTPError 503: a silent hub."""
        if len(token) > LONGEST_TOKEN:
            return None
        joined = self.book.joined.get(people.digest(token))
        if joined:
            return people.Person(joined["person"], joined["who"])
        if self.hub and token:
            try:
                user = await self.hub.user_for_token(token, sync=False)
            except web.HTTPError as error:
                raise web.HTTPError(503, "The hub does not answer; try again.") from error
            if user and user.get("kind", "user") == "user":
                return people.Person(f"hub:{user['name']}", people.tidy(user["name"]) or None)
        return None

    def view(self, name, names):
        """Return what the leader's page shows: the question `name`, or the one guessed at last."""
        if name not in course().questions:
            name = self.book.latest or next(iter(course().questions))
        return {
            "version": self.version(),
            **self.book.overview(names, time.time()),
            "question": self.book.question(name, names),
        }

    def version(self):
        """Return a text that is another after every entry, and after a restart."""
        return f"{self.began} {len(self.book.entries)}"


@web.stream_request_body
class Handler(web.RequestHandler):
    """What all routes have: the room, a body of a bearable length, errors as JSON."""

    def initialize(self):
        self.posted = bytearray()

    def data_received(self, chunk):
        if len(self.posted) <= LARGEST_POST:
            self.posted += chunk

    @property
    def room(self):
        return self.settings["room"]

    def set_default_headers(self):
        for name, value in HEADERS.items():
            self.set_header(name, value)

    def write_error(self, status_code, **about):
        error = about.get("exc_info", (None, None))[1]
        said = getattr(error, "log_message", None) or self._reason
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"error": said}))

    def body(self):
        """Return the posted JSON object. Raises HTTPError: 413 too long, 400 none."""
        if len(self.posted) > LARGEST_POST:
            raise web.HTTPError(413, f"Post at most {LARGEST_POST:,} bytes.")
        try:
            found = json.loads(self.posted)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise web.HTTPError(400, "Post a JSON object.")
        return found


class Health(Handler):
    def get(self):
        self.write({"status": "ok"})


class Nothing(Handler):
    """All that is no route."""

    def answer(self):
        raise web.HTTPError(404, "There is nothing here.")

    get = head = post = put = patch = delete = options = answer


@web.stream_request_body
class File(web.StaticFileHandler):
    """The page's scripts and style."""

    def data_received(self, chunk):
        """Read past what is posted here."""


# For learners


class Join(Handler):
    """{"password", "name"} → {"token"}, for a laptop. The first to use a name has it."""

    async def post(self):
        body = self.body()
        if not people.same(str(body.get("password", "")), self.room.secret["password"]):
            await self.room.wrong.hold()
            raise web.HTTPError(
                403, "This is not the room's password. Ask the leader for it; capitals count."
            )
        name = people.tidy(body.get("name") or "")
        if body.get("name") and not name:
            raise web.HTTPError(
                400, "A name has 1 to 32 letters or digits; between them spaces, dots, hyphens."
            )
        looks = people.looks(name)
        if looks in people.RESERVED:
            raise web.HTTPError(400, f"The name {name} is the room's own. Choose another.")
        held = {people.looks(entry["name"]) for entry in self.room.book.joined.values()}
        if name and looks in held | self.room.joining:
            raise web.HTTPError(
                409, f"There is a {name} here already. Choose another name, such as {name} 2."
            )
        token, name = secrets.token_urlsafe(32), "" if self.room.anonymous else name
        known_as = f"laptop:{looks}" if name else f"nobody:{secrets.token_hex(8)}"
        # Nobody is taken for one who came in by the hub.
        shown = f"{name} (laptop)" if name and self.room.hub else name
        known_by = people.digest(token)
        self.room.joining.add(looks)  # nobody else takes it while it is written down
        try:
            await self.room.add(
                {
                    "kind": "joined",
                    "id": known_by,
                    "digest": known_by,
                    "name": name,
                    "person": known_as,
                    "who": shown or None,
                    "at": time.time(),
                }
            )
        except Unavailable as error:
            raise web.HTTPError(
                503, "The board cannot write at the moment. Try again in a minute."
            ) from error
        finally:
            self.room.joining.discard(looks)
        self.write({"token": token, "name": name})


class Events(Handler):
    """{"events": […]} → {"taken": [id], "refused": {id: why}}, when what is taken is on disk."""

    async def post(self):
        token = self.request.headers.get("Authorization", "").removeprefix("token ")
        person = await self.room.person(token)
        if not person:
            raise web.HTTPError(401, "The board does not know this token. Join the room again.")
        events = self.body().get("events")
        if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
            raise web.HTTPError(400, 'Post {"events": [...]}.')
        taken, refused = {}, {}
        for event in events:
            sender = person  # without a name where the learner or the leader wants none
            if event.get("anonymous") is True or self.room.anonymous:
                sender = people.without_name(person, self.room.secret["salt"])
            name, why = str(event.get("id"))[:100], self.wrong_with(event, sender)
            if why:
                refused[name] = why
            else:
                taken[name] = self.entry(event, sender)
        try:
            await asyncio.gather(*map(self.room.add, taken.values()))
        except Unavailable:
            raise web.HTTPError(503, "The board cannot write now. Post it again later.") from None
        self.write({"taken": list(taken), "refused": refused})

    def entry(self, event, person):
        """Return what the stream keeps. Who it is from is the board's to say, never the event's."""
        found = {
            "kind": event["kind"],
            "id": event["id"],
            "name": event["name"],
            "person": person.known_as,
            "who": person.who,
            "at": time.time() - event["age_s"],
        }
        keys = ("solved",) if event["kind"] == "check" else ("value", "unit")
        return found | {key: event[key] for key in keys}

    def wrong_with(self, event, person):
        """Return why the board does not take an event, or ""."""
        question, known_by = course().questions.get(str(event.get("name"))), event.get("id")
        if not (isinstance(known_by, str) and 0 < len(known_by) <= 100 and known_by.isprintable()):
            return "an id is a text of up to 100 letters"
        if not is_number(event.get("age_s"), 0, LONGEST_AGE_S):
            return "age_s is in seconds, up to 30 days"
        if len(self.room.book.ids[person.known_as]) > MOST_EVENTS:
            return "this learner has posted more than the whole course makes"
        if event.get("kind") in ("guess", "measured"):
            number = is_number(event.get("value"), SMALLEST, LARGEST)
            fits = number and question and question.unit == event.get("unit")
            return "" if fits else "no question of the course, not in its unit, or no number"
        if event.get("kind") == "check":
            fits = event.get("name") in course().exercises and isinstance(event.get("solved"), bool)
            return "" if fits else "no exercise of the course, or neither solved nor not"
        return "a kind is guess, measured or check"


def is_number(value, least, most):
    return type(value) in (int, float) and least <= value <= most


# For the leader


class LeaderHandler(Handler):
    """Ask for the leader's key in a header, once the body is there: earlier cuts the connection.

    A cookie would go along with what any page of this host asks for, whatever its port. The key is
    read by pages of the board's own origin alone, and no other site can send the header.
    """

    def need_key(self):
        said = self.request.headers.get("Authorization", "")
        if not people.same(said, f"leader {self.room.secret['key']}"):
            raise web.HTTPError(
                401, "This is not the leader's key. It stands where the board was started."
            )

    async def note(self, **what):
        """Write down what the leader did. Raises HTTPError 503 where that is not possible."""
        what |= {"id": secrets.token_hex(8), "person": "leader", "who": None, "at": time.time()}
        try:
            await self.room.add(what)
        except Unavailable:
            raise web.HTTPError(503, "The board cannot write now. Try again.") from None
        self.write({})

    def asks_names(self):
        return self.get_query_argument("names", "0") == "1"


class Home(Handler):
    """The page; it holds nothing of anybody."""

    def get(self):
        self.render("index.html", by_hub=self.settings["by_hub"])


class View(LeaderHandler):
    """The view; with the version that a page has `seen`, once it is old, or after a while."""

    async def get(self):
        self.need_key()
        changed = self.room.changed
        if self.get_query_argument("seen", "") == self.room.version():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), LONGEST_WAIT_S)
                await asyncio.sleep(CALM_S)
        self.write(self.room.view(self.get_query_argument("question", ""), self.asks_names()))


class Reveal(LeaderHandler):
    async def post(self):
        self.need_key()
        body = self.body()
        known = str(body.get("name")) in course().questions
        if not known or not isinstance(body.get("shown"), bool):
            raise web.HTTPError(400, 'Post {"name": a question, "shown": true or false}.')
        await self.note(kind="reveal", name=body["name"], shown=body["shown"])


class Remove(LeaderHandler):
    """Takes the guess of one learner, known by their number, off the board."""

    async def post(self):
        self.need_key()
        body = self.body()
        person = self.room.book.guesser(str(body.get("name")), body.get("number"))
        if not person:
            raise web.HTTPError(404, "There is no such guess on the board.")
        await self.note(kind="removed", name=body["name"], of=person)


class Csv(LeaderHandler):
    def get(self):
        self.need_key()
        self.set_header("Content-Type", "text/csv; charset=utf-8")
        self.set_header("Content-Disposition", 'attachment; filename="board.csv"')
        self.write(self.room.book.csv(self.asks_names()))


def application(room, prefix="/"):
    """Return the tornado application below `prefix`, which begins and ends with a slash."""
    routes = [
        ("", Home),
        ("health", Health),
        ("api/join", Join),
        ("api/events", Events),
        ("view", View),
        ("reveal", Reveal),
        ("remove", Remove),
        ("board.csv", Csv),
    ]
    found = [(f"{prefix}{path}", handler) for path, handler in routes]
    # Where the board has an origin of its own, no page of the hub's may get the key, as it could
    # where the leader is signed in.
    by_hub = bool(room.hub) and not os.environ.get("ROOM_BOARD_URL")
    if by_hub:
        from .hub_login import HubLogin, OAuthCallback

        found += [(f"{prefix}hub", HubLogin), (f"{prefix}oauth_callback", OAuthCallback)]
    found.append((f"{prefix}(board\\.js|board\\.css|chart\\.js)", File, {"path": str(PAGE)}))
    return web.Application(
        found,
        room=room,
        prefix=prefix,
        by_hub=by_hub,
        cookie_secret=room.secret["cookie"],
        template_path=str(PAGE),
        default_handler_class=Nothing,
    )
