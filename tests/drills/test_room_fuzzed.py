"""Requests that nobody would make, to every route of an open room.

No answer is the room's own failure (5xx), and no process of it grows. Half of them come from
somebody without a password, the others from a learner, a laptop on the board, the leader.
"""

import json
import random
import re
from urllib.parse import quote

import pytest
import requests
import rooms
from boards import guess
from jupyterhub import apihandlers, handlers
from rooms import Learner
from tries import SEED, tries

room = rooms.room_of_three  # the fixture
REQUESTS = tries(5000)
MOST_MB = 25  # that a process may grow meanwhile
PARTS = (
    "ana",
    "leader",
    "board",
    "0",
    "-1",
    "..",
    "%2e%2e",
    "%00",
    "%ff",
    "%ed%a0%80",
    "ü",
    "a" * 3000,
    "{x}",
    "$(id)",
    "'",
    "\u202e",
    "<b>",
    "00.loop",
    "00_start_here.ipynb",
)
VALUES = (
    None,
    True,
    0,
    -1,
    1e308,
    10**400,
    "",
    "\ud800",
    "x" * 70_000,
    "ana",
    "../ana",
    [],
    {},
    [[]],
    {"a": {}},
    "00.loop",
    "ms",
    float("nan"),
    "1970-01-01T00:00:00Z",
    ["x"] * 1000,
)
KEYS = (
    "password",
    "name",
    "username",
    "_xsrf",
    "events",
    "id",
    "kind",
    "value",
    "unit",
    "age_s",
    "shown",
    "number",
    "solved",
    "note",
    "expires_in",
    "scopes",
    "roles",
    "users",
    "usernames",
    "admin",
    "servers",
    "last_activity",
    "path",
    "type",
    "kernel",
    "anonymous",
    "question",
    "next",
    "state",
    "code",
    "offset",
    "limit",
    "",
)
BOARD = (
    "",
    "health",
    "api/join",
    "api/events",
    "view",
    "reveal",
    "remove",
    "board.csv",
    "board.js",
    "hub",
    "oauth_callback",
    "x",
)
LEARNERS = (
    "",
    "/",
    "/lab",
    "/tree",
    "/api",
    "/api/contents",
    "/api/contents/x",
    "/api/sessions",
    "/api/kernels",
    "/api/status",
    "/api/kernelspecs",
    "/files/x",
    "/view/x",
    "/oauth_callback",
    "/api/kernels/x/channels",
    "/metrics",
)
METHODS = ("GET", "GET", "POST", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")
ENDING = re.compile(r"/hub/api/shutdown|/hub/logout")  # a leader may end it, a browser its login


class Fuzzer:
    """Makes requests by chance; the same ones for the same seed."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        hub = [route[0] for route in [*handlers.default_handlers, *apihandlers.default_handlers]]
        self.routes = (
            [f"/hub{route}" for route in hub]
            + [f"/services/board/{route}" for route in BOARD] * 4
            + [f"/user/ana{route}" for route in LEARNERS]
            + ["/", "/user/bob/lab", "/_chp_healthz", "/services/culler"]
        )

    def path(self):
        """A route's, with something in place of what its pattern leaves open."""
        route = re.sub(
            r"\((?:\?P<\w+>)?[^()]*\)|\[[^\]]*\][+*]?",
            lambda _: quote(self.chance.choice(PARTS), safe="%"),
            self.chance.choice(self.routes),
        )
        route = re.sub(r"[\\^$?()*]", "", route)
        if self.chance.random() < 0.4:
            asked = [
                f"{self.chance.choice(KEYS)}={self.quoted(2000)}"
                for _ in range(self.chance.randint(1, 3))
            ]
            route += "?" + "&".join(asked)
        return route

    def value(self):
        return self.chance.choice(VALUES)

    def quoted(self, most=None):
        return quote(str(self.value())[:most].encode(errors="replace"))

    def body(self):
        kind = self.chance.random()
        if kind < 0.5:
            told = {
                self.chance.choice(KEYS): self.value() for _ in range(self.chance.randint(0, 5))
            }
            if self.chance.random() < 0.3:
                told["events"] = [
                    {**guess(5), self.chance.choice(KEYS): self.value()}
                    for _ in range(self.chance.choice((1, 3, 1500)))
                ]
            return json.dumps(told).encode()
        if kind < 0.6:
            return "&".join(f"{key}={self.quoted()}" for key in KEYS[:4]).encode()
        if kind < 0.7:
            return bytes(self.chance.choice((100_000, 1 << 20, 5 << 20)))
        return self.chance.choice(
            (
                b"",
                b"[",
                b"[" * 100_000,
                b"\xff\xfe",
                b"null",
                b"[]",
                b'"x"',
                b"1" * 5000,
                self.chance.randbytes(100),
            )
        )

    def headers(self):
        pick = self.chance.choice
        found = {
            "Content-Type": pick(
                (
                    "application/json",
                    "application/x-www-form-urlencoded",
                    "multipart/form-data; boundary=x",
                    "multipart/form-data",
                    "\xff",
                )
            )
        }
        if self.chance.random() < 0.3:
            found["Authorization"] = pick(
                ("token x", "leader x", "token " + "x" * 5000, "Basic x", "token \xe9", "x")
            )
        if self.chance.random() < 0.1:
            found |= pick(
                (
                    {"Transfer-Encoding": "chunked"},
                    {"Range": "bytes=5-1"},
                    {"If-Modified-Since": "x"},
                    {"Upgrade": "websocket"},
                    {"Cookie": "_xsrf=x; jupyterhub-session-id=\xff"},
                    {"X-Forwarded-For": "x" * 1000},
                    {"Accept": "text/html;q=x"},
                    {"Referer": "http://["},
                )
            )
        return found


@pytest.fixture(scope="module")
def visitors(room):
    """{who: (session, headers)} of those who are in, and of nobody."""
    ana, leader = Learner(room, "ana"), Learner(room, "leader")
    assert ana.come_in()[0] == 302 and leader.come_in(room.leaders_password)[0] == 302
    ana.start()
    leader.http.get(f"{room.url}/hub/home", timeout=60)
    _, token = room.laptop("laptop")
    return {
        "ana": (ana.http, {"X-XSRFToken": ana.token("/hub/")}),
        "leader": (
            leader.http,
            {"Authorization": f"leader {room.boards_key}", "X-XSRFToken": leader.token("/hub/")},
        ),
        "laptop": (requests.Session(), {"Authorization": f"token {token}"}),
        "nobody": (requests.Session(), {}),
    }


def test_no_request_makes_the_room_fail_or_grow(room, visitors, record_property):
    fuzzer, failed, before = Fuzzer(SEED), {}, {}
    for number in range(REQUESTS):
        if number == REQUESTS // 5:  # by now all that is loaded once is loaded
            before = sizes(room)
        who = fuzzer.chance.choice(("nobody", "nobody", "nobody", "ana", "laptop", "leader"))
        method, path = fuzzer.chance.choice(METHODS), fuzzer.path()
        body, headers = fuzzer.body(), fuzzer.headers()
        if ENDING.match(path) or (who == "leader" and method == "DELETE"):
            continue
        status = ask(room, visitors[who], method, path, body, headers)
        if status >= 500:
            failed.setdefault((who, method, path[:100], status), (body[:200], headers))
    grown = {
        name: size - before[name]
        for name, size in sizes(room).items()
        if size - before.get(name, size) > MOST_MB
    }
    record_property("tries", REQUESTS)
    record_property("failures", len(failed))
    for what in failed.items():
        print(*what)
    assert failed == {}
    assert grown == {}


def ask(room, visitor, method, path, body, headers):
    """The status of the answer; 0 where the connection was cut, as it is for what is no HTTP."""
    session, own = visitor
    sent = {
        name: value.encode("latin-1")
        for name, value in {**headers, **own}.items()
        if body or name != "Transfer-Encoding"
    }  # it would wait
    try:
        answer = session.request(
            method,
            room.url + path,
            data=body,
            headers=sent,
            timeout=60,
            allow_redirects=False,
            stream=True,
        )
        answer.close()
        return answer.status_code
    except (
        requests.ConnectionError,
        requests.exceptions.InvalidURL,
        requests.exceptions.ChunkedEncodingError,
    ):
        return 0


def sizes(room):
    """{process: MB} of all that runs for the room."""
    return {process: process.memory_info().rss / 1e6 for process in room.processes()}
