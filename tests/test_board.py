"""The room's board: what it keeps, what it shows to whom, and that no learner's page feels it."""

import ast
import asyncio
import contextlib
import json
import os
import re
import ssl
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from anyio.from_thread import start_blocking_portal
from boards import Answering, Board, Visitor, check, guess, measured, serving
from helpers import ROOT, wait_until
from legible import palette

import lab_utils as lab
from lab_utils.course import certificates, guesses, reporting, state
from lab_utils.figures import style
from room import certificate
from room.board import app
from room.board.book import COLUMNS, Book
from room.board.questions import course, wording
from tools import joining

PAGE = ROOT / "room" / "board" / "page"
TAKEN = (200, {"taken": ["guess 00.loop ms"], "refused": {}})  # a guess(…) of a learner's


# What it keeps


def entry(event, at=0, who="Ada", number=0):
    """What the stream has of an event."""
    return {
        **event,
        "id": f"{event['id']} {number}",
        "person": f"laptop:{who}",
        "who": who,
        "at": at,
    }


def reveal(at=0, shown=True):
    return {
        "id": f"reveal {shown}",
        "kind": "reveal",
        "name": "00.loop",
        "person": "leader",
        "who": None,
        "at": at,
        "shown": shown,
    }


def book(*entries):
    found = Book()
    for each in entries:
        found.take(each)
    return found


def test_a_guess_after_the_reveal_is_late_and_the_last_before_it_of_each_learner_counts():
    found = book(
        entry(guess(2), 1),
        entry(guess(20), 2, number=1),
        reveal(3),
        entry(guess(100), 2.9, "Bob"),  # came in late, was made in time
        entry(guess(101), 4, "Cyd"),
        entry(guess(99), 3.5, number=2),
    )
    dots = found.question("00.loop", True)["dots"]
    assert [(dot["who"], dot["value"], dot["late"]) for dot in dots] == [
        ("Ada", 20, False),
        ("Bob", 100, False),
        ("Cyd", 101, True),
    ]
    # One whose answer its learner has measured stays.
    found = book(entry(guess(20)), entry(measured(105)), entry(guess(105), number=1))
    assert [dot["value"] for dot in found.question("00.loop", False)["dots"]] == [20]


def test_what_was_measured_is_not_sent_until_it_is_revealed():
    entries = [entry(measured(105)), entry(measured(107), who="Bob")]
    for more in ([], [reveal(), reveal(shown=False)]):
        hidden = book(*entries, *more).question("00.loop", True)
        assert "105" not in json.dumps(hidden) and "measured" not in hidden
        assert hidden["measurements"] == 2
    shown = book(*entries, reveal()).question("00.loop", True)
    assert (shown["measured"], shown["median"]) == ([105, 107], 106)


def test_who_tries_again_and_again_is_stuck_until_it_is_solved():
    tries = [entry(check(number), at=60 * number) for number in range(3)]
    found = book(*tries, entry(check(1, name="01.1")))
    assert found.stuck(True, 240) == [{"exercise": "00.1", "who": "Ada", "tries": 3, "minutes": 2}]
    assert found.stuck(False, 240)[0]["who"] == "guest 1"
    found.take(entry(check(3, solved=True), at=200))
    assert found.stuck(True, 240) == []
    assert [(row["solved"], row["here"]) for row in found.chapters()[:2]] == [(1, 1), (0, 0)]


def test_the_csv_has_a_row_for_everything_and_no_formula():
    found = book(
        entry(guess(20.5), 0, "=1+1"),
        entry(measured(105.0), 1, "=1+1"),
        reveal(2),
        entry(guess(4, "01.zones", "x"), 3, None),
        entry(check(1, solved=True), 4, "=1+1"),
    )
    assert found.csv(True).splitlines() == [
        ",".join(COLUMNS),
        "1970-01-01T00:00:00+00:00,'=1+1,00,guess,00.loop,20.5,ms,no,",
        "1970-01-01T00:00:01+00:00,'=1+1,00,measured,00.loop,105.0,ms,,",
        "1970-01-01T00:00:02+00:00,leader,00,reveal,00.loop,,,,",
        "1970-01-01T00:00:03+00:00,guest 2,01,guess,01.zones,4,x,no,",
        "1970-01-01T00:00:04+00:00,'=1+1,00,check,00.1,,,,yes",
    ]
    assert "1+1" not in found.csv(False)


def test_it_knows_every_question_of_the_chapters_with_its_unit_and_words():
    asked = {}
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source = "".join(cell["source"])
            asks = cell["cell_type"] == "code" and "lab.guess(" in source
            for node in ast.walk(ast.parse(source)) if asks else ():
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "lab.guess":
                    asked[node.args[0].value] = node.args[2].value
    assert {name: each.unit for name, each in course().questions.items()} == asked
    assert len(asked) > 40
    for each in course().questions.values():
        assert each.text.endswith(("?", ".")) and 10 < len(each.text) < 250, each
        assert not set("*`") & set(each.text), each
    assert all(title and "?" not in title for title in course().chapters.values())
    asked = "## Who?\n\nWords.\n\n**Guess.** *How* many `GET`s? Replace the three dots, please?"
    assert wording(asked) == "How many GETs?"


def test_its_colours_are_the_labs():
    written = (PAGE / "board.css").read_text(encoding="utf-8")
    assert {color.upper() for color in re.findall(r"#[0-9A-Fa-f]{6}", written)} <= palette()
    assert f"--guess: {style.GUESS}" in written


# Who sees what: a real board


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    started = Board(tmp_path_factory.mktemp("a room für") / "board")
    yield started
    assert "Traceback" not in started.stop()


def test_a_learners_guess_is_kept_once_under_the_name_of_the_token(board):
    ada, bob = board.join("Ada"), board.join("Bob")
    assert board.post(ada, guess(20), guess(20)) == TAKEN
    assert board.post(ada, guess(20, who="Bob", person="laptop:bob"))[0] == 200
    assert board.post(bob, guess(30, anonymous=True), measured(105.5))[0] == 200
    board.let_leader_in()
    assert board.rows() == [
        "Ada,00,guess,00.loop,20,ms,no,",
        "guest 2,00,guess,00.loop,30,ms,no,",
        "Bob,00,measured,00.loop,105.5,ms,,",
    ]
    assert "Ada" not in "".join(board.rows(names=False))


def test_a_name_has_one_owner_and_without_the_password_nobody_joins(board):
    def ask(name, password=board.secrets["password"]):
        status, answer = Visitor(board.url).ask("/api/join", {"password": password, "name": name})
        return status, answer.get("error")

    board.join("Çelik")
    for name in ("Çelik", "ÇELIK ", "çelik", "Ad\u0430"):  # a Cyrillic а
        status, said = ask(name)
        assert status == 409 and "Choose another name" in said
    refused = {"<b>": "1 to 32 letters", "Leader": "the room's own", "bo\u0430rd": "the room's own"}
    for none, why in refused.items():
        status, said = ask(none)
        assert status == 400 and why in said
    with ThreadPoolExecutor(8) as several:  # at once
        assert sorted(status for status, _ in several.map(ask, ["Twin"] * 8)) == [200] + [409] * 7
    assert ask("Cyd", "guessed")[0] == 403
    assert board.post("guessed", guess(1))[0] == board.post("", guess(1))[0] == 401


def test_nobody_reads_names_or_reveals_without_the_leaders_key(board):
    token, stranger = board.join("Dora"), Visitor(board.url)
    for path in ("/view?names=1", "/board.csv?names=1"):
        for known_by in (token, board.secrets["password"], board.secrets["key"]):
            status, answer = stranger.ask(path, token=known_by)
            assert status == 401 and set(answer) == {"error"}
        for key in ("", "guessed", token, "é"):
            stranger.key = key
            assert stranger.ask(path)[0] == 401
            assert stranger.ask("/reveal", {"name": "00.loop", "shown": True})[0] == 401
    assert "Dora" not in str(board.ask("/"))
    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (board.folder, board.folder / "secrets.json")
    ]
    assert modes == [0o700, 0o600]


def test_a_guess_that_was_on_its_way_counts_from_when_it_was_made(board):
    board.let_leader_in()
    assert board.reveal("01.cart") == 200
    for name, age_s in (("Now", 0), ("Before", 600)):
        asked = course().questions["01.cart"]
        assert board.post(board.join(name), guess(5, "01.cart", asked.unit, age_s=age_s))[0] == 200
    rows = [row.split(",") for row in board.rows() if ",guess,01.cart," in row]
    assert {row[0]: row[-2] for row in rows} == {"Now": "yes", "Before": "no"}


def test_the_leader_takes_a_guess_off_and_its_learner_may_guess_again(board):
    asked = list(course().questions.values())[12]
    post = partial(board.post, board.join("Rude"))

    def dots():
        return board.ask(f"/view?question={asked.name}")[1]["question"]["dots"]

    assert post(guess(1e12, asked.name, asked.unit))[0] == 200
    board.let_leader_in()
    [dot] = dots()
    taken_off = {"name": asked.name, "number": dot["number"]}
    assert board.ask("/remove", taken_off | {"number": dot["number"] + 1})[0] == 404
    assert Visitor(board.url).ask("/remove", taken_off)[0] == 401
    assert board.ask("/remove", taken_off) == (200, {}) and dots() == []
    assert f"Rude,{asked.chapter},removed,{asked.name},,,," in board.rows()
    assert post({**guess(7, asked.name, asked.unit), "id": "again"})[0] == 200
    assert [dot["value"] for dot in dots()] == [7]


def test_too_much_and_garbage_are_refused_in_a_sentence(board):
    token = board.join()
    for body in [], {"events": 5}, {"events": [5]}, {}:
        status, answer = board.ask("/api/events", body, token)
        assert status == 400 and answer["error"].startswith("Post ")
    status, answer = board.ask("/api/events", {"x": "x" * (5 << 20)}, token)
    assert status == 413 and "200,000 bytes" in answer["error"]
    for first in range(0, app.MOST_EVENTS + 1000, 1000):
        assert board.post(token, *[check(first + each) for each in range(1000)])[0] == 200
    assert "more than the whole course makes" in str(board.post(token, check(9999))[1]["refused"])


@pytest.mark.parametrize(
    "event",
    [
        guess(5, "00.nothing"),
        guess(5, unit="s"),
        guess("5"),
        guess(-5),
        guess(float("inf")),
        guess(True),
        guess(10**400),
        guess(5, age_s=-1),
        check(1, "yes"),
        check(1, name="99.1"),
        *(
            guess(5) | wrong
            for wrong in (
                {"kind": "joined"},
                {"kind": "reveal"},
                {"id": ""},
                {"id": "x" * 101},
                {"id": "\ud800"},
            )
        ),
        {},
    ],
    ids=ascii,
)
def test_what_is_no_event_of_the_course_is_refused_and_the_others_are_taken(board, event):
    status, answer = board.post(board.join(), event, check(2))
    assert status == 200 and answer["taken"] == ["check 00.1 2"] and len(answer["refused"]) == 1


def test_what_the_room_guessed_is_kept_without_names_when_the_board_ends(tmp_path):
    board = Board(tmp_path / "board")
    empty = board.stop()
    assert "without names" not in empty and not list(tmp_path.glob("*.html"))
    board.start()
    for name, value in (("Heinrich", 20), ("Zoë", 1e12)):
        tries = check(1), check(2), check(3, solved=name == "Zoë")
        assert board.post(board.join(name), guess(value), measured(105), *tries)[0] == 200
    told = board.stop()
    [page] = tmp_path.glob("room-*.html")
    assert f"without names: {page}" in told
    text = page.read_text(encoding="utf-8")
    assert not re.search("Heinrich|Zoë|src=|https?://(?!www.w3.org/)", text)
    [found] = map(json.loads, re.findall(r"const told = (.*);", text))
    [question] = found["questions"]
    assert found["learners"] == 2 and question["measured"] == [105, 105]
    assert question["dots"] == [{"value": value, "late": False} for value in (20, 1e12)]
    assert found["exercises"] == [
        {"exercise": "00.1", "tried": 2, "solved": 1, "median": 2.5, "most": 3}
    ]


def test_a_leader_may_keep_no_name_at_all(tmp_path):
    board = Board(tmp_path, "--anonymous")
    try:
        assert board.post(board.join("Heinrich"), guess(20)) == TAKEN
        board.let_leader_in()
        assert board.rows() == ["guest 1,00,guess,00.loop,20,ms,no,"]
    finally:
        board.stop()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"00.loop" in kept and b"heinrich" not in kept.lower()


# A laptop joins


@pytest.fixture
def laptop(monkeypatch, tmp_path):
    """laptop(address, name, …): what `make lab BOARD=…` does, with what is typed meanwhile."""

    def join(address, name="", passwords=(), names=(), terminal=True):
        for variable in ("LAB_BOARD_URL", "LAB_BOARD_TOKEN_FILE", "LAB_BOARD_CERTIFICATE"):
            monkeypatch.setenv(variable, "")
        passwords, names = iter(passwords), iter(names)
        monkeypatch.setattr(joining.getpass, "getpass", lambda _: next(passwords))
        monkeypatch.setattr("builtins.input", lambda _: next(names))
        monkeypatch.setattr(joining.sys.stdin, "isatty", lambda: terminal, raising=False)
        joining.join(address, name, tmp_path / ".lab")
        return Path(os.environ["LAB_BOARD_TOKEN_FILE"])

    return join


def test_a_laptop_joins_with_the_password_once_and_keeps_a_token_only(board, laptop, capsys):
    password = board.secrets["password"]
    token = laptop(board.url.removeprefix("http://"), "Fay", passwords=["wrong", password])
    told = capsys.readouterr().out
    assert all(
        words in told for words in ("not the room's password", "as Fay", "which exercises you try")
    )
    assert os.environ["LAB_BOARD_URL"] == board.url and stat.S_IMODE(token.stat().st_mode) == 0o600
    assert password not in token.read_text(encoding="utf-8")
    assert laptop(board.url, "Fay") == token  # asks for nothing
    assert board.post(token.read_text(encoding="utf-8"), check(9))[0] == 200


def test_a_laptop_whose_name_is_taken_asks_for_another_and_may_have_none(board, laptop, capsys):
    board.join("Gus")
    laptop(board.url, "gus", passwords=[board.secrets["password"]], names=["<b>", ""])
    told = capsys.readouterr().out
    assert all(
        words in told
        for words in ("There is a gus here already", "1 to 32 letters", "without a name")
    )


def test_a_laptop_that_cannot_join_is_told_what_to_do(board, laptop, listener):
    nowhere = ("127.0.0.1:1", listener.url, "127.0.0.1:8x", "http://lab room:8000")
    for address, passwords, terminal, words in (
        *((address, (), True, "There is no board at") for address in nowhere),
        (board.url, ["wrong"] * 3, True, "or without a board: make lab"),
        (board.url, (), False, "no terminal"),
    ):
        with pytest.raises(SystemExit) as ended:
            laptop(address, passwords=passwords, terminal=terminal)
        assert words in ended.value.code and "make lab" in ended.value.code


@pytest.fixture
def secured(board, tmp_path):
    """secured(name): (address, code) of the board behind TLS, with a certificate for that name."""

    async def pump(reader, writer):
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
        writer.close()

    async def attend(reader, writer):
        inner = await asyncio.open_connection("127.0.0.1", board.port)
        await asyncio.gather(pump(reader, inner[1]), pump(inner[0], writer))

    def start(name):
        folder = tmp_path / name
        pem = certificate.settled(folder, name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        server = portal.call(partial(asyncio.start_server, attend, "127.0.0.1", 0, ssl=context))
        port = server.sockets[0].getsockname()[1]
        return f"https://127.0.0.1:{port}", certificates.code(pem)

    with start_blocking_portal() as portal:
        yield start


def test_a_laptop_joins_a_board_behind_the_rooms_certificate_by_its_code(
    board, laptop, learner, secured
):
    address, code = secured("room.example.org")  # which is not how the laptop calls it
    for typed in (["0000-0000-0000-0000"] * 3, [code[:-1], "", "yes"]):
        with pytest.raises(SystemExit, match="somebody stands between you and the board"):
            laptop(address, names=typed)
    typed = ["oops", f" {code.upper().replace('-', ' ')} "]
    laptop(address, "Hal", names=typed, passwords=[board.secrets["password"]])
    laptop(address, "Hal")  # asks for nothing
    assert os.environ["LAB_BOARD_URL"] == address
    learner(address)
    lab.guess("00.loop", 20, "ms")
    assert wait_until(lambda: not kept(), 30)
    board.let_leader_in()
    assert "Hal,00,guess,00.loop,20.0,ms,no," in board.rows()


def test_a_laptop_that_meets_another_certificate_tells_it_nothing(board, laptop, learner, secured):
    address, code = secured("room.example.org")
    laptop(address, "Ida", names=[code], passwords=[board.secrets["password"]])
    other, _ = secured("thief.example.org")
    learner(other)
    with pytest.raises(ssl.SSLCertVerificationError):
        reporting.Sender(None).ask("/api/events", {"events": []}, "a token")


# A learner's page


@pytest.fixture
def learner(remembered, monkeypatch):
    """learner(url): a kernel that has asked nothing yet, of a learner whose board is there."""

    def start(url):
        end_of_kernel()
        monkeypatch.setenv("LAB_BOARD_URL", url)
        monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "a token")
        monkeypatch.setattr(reporting, "_sender", None)
        monkeypatch.setattr(reporting, "PAUSE_S", 0.05)
        monkeypatch.setattr(guesses, "_answered", set())

    monkeypatch.setattr(guesses, "_units", {})
    yield start
    end_of_kernel()


def end_of_kernel():
    """End what the kernel before would still send, as a real one's end does."""
    sender = reporting._sender
    if sender:
        sender.between.clear()  # as in a cell that never ends
        sender.cut()


@pytest.fixture
def listener():
    """A board that is not one: what it is sent, and `reply`, a function of a request handler."""

    class Listener(Answering):
        reply = staticmethod(
            lambda handler, events: {"taken": [event["id"] for event in events], "refused": {}}
        )

        def do_POST(self):
            posted = self.rfile.read(int(self.headers["Content-Length"]))
            events = json.loads(posted)["events"]
            said = self.reply(self, events)
            self.posts.append((self.headers["Authorization"], events))
            if said is not None:
                self.answer(200, said if isinstance(said, bytes) else json.dumps(said).encode())

    with serving(Listener) as address:
        Listener.url, Listener.posts = f"{address}/services/board", []
        yield Listener


def a_lesson():
    lab.guess("00.loop", 20, "ms").against(105)
    lab.check("00.1", lambda r: r.get("x"))
    lab.check("00.1", solved)


def solved(r):
    r.mset({"exercise:a": "1", "exercise:b": "2"})
    return r.mget(["exercise:a", "exercise:b"])


def kept():
    return sorted(state.load("board"))


def test_a_learner_alone_notices_nothing(remembered, monkeypatch, capsys):
    monkeypatch.delenv("LAB_BOARD_URL", raising=False)
    monkeypatch.setattr(reporting, "_sender", None)
    reporting.begin()
    a_lesson()
    assert reporting._sender is None
    written = json.loads((remembered / "state.json").read_text(encoding="utf-8"))
    assert set(written) == {"guesses", "progress"}
    assert "board" not in capsys.readouterr().out


def test_guess_measurement_and_exercise_are_posted_and_forgotten(learner, listener, capsys):
    learner(listener.url)
    a_lesson()
    assert wait_until(lambda: not kept(), 30)
    sent = {event["id"]: event for _, events in listener.posts for event in events}
    told = sorted(
        (event["kind"], event["name"], event.get("value"), event.get("unit"), event.get("solved"))
        for event in sent.values()
    )
    assert told == [
        ("check", "00.1", None, None, False),
        ("check", "00.1", None, None, True),
        ("guess", "00.loop", 20.0, "ms", None),
        ("measured", "00.loop", 105.0, "ms", None),
    ]
    assert {known_by for known_by, _ in listener.posts} == {"token a token"}
    assert all(0 <= event["age_s"] < 60 and event["anonymous"] is False for event in sent.values())


def test_who_leaves_the_name_out_does_so_in_every_notebook(learner, listener, monkeypatch):
    for said, anonymous in (("1", True), (None, True), ("0", False), (None, False)):
        monkeypatch.delenv("LAB_BOARD_ANONYMOUS", raising=False)
        if said:
            monkeypatch.setenv("LAB_BOARD_ANONYMOUS", said)
        listener.posts.clear()
        learner(listener.url)
        lab.guess("00.loop", 20, "ms")
        assert wait_until(lambda: listener.posts and not kept(), 30)
        assert listener.posts[0][1][0]["anonymous"] is anonymous


ANSWERS = {
    "garbage": lambda handler, events: b"<html>",
    "another shape": lambda handler, events: {"taken": 5, "refused": None},
    "others' ids": lambda handler, events: {"taken": ["somebody else's"], "refused": {}},
    "an error": lambda handler, events: handler.send_error(503),
    "very slow": lambda handler, events: time.sleep(30),
    "without end": lambda handler, events: [
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n") for _ in range(10**9)
    ],
}


NOWHERE = (
    "http://127.0.0.1:1",
    "nonsense",
    "http://[",
    "http://127.0.0.1:99999",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("answer", [*ANSWERS, *NOWHERE])
def test_a_board_that_answers_nonsense_or_nothing_costs_and_loses_nothing(
    learner, listener, monkeypatch, capsys, answer
):
    good = listener.reply
    listener.reply = staticmethod(ANSWERS.get(answer, good))
    learner(listener.url if answer in ANSWERS else answer)
    monkeypatch.setattr(reporting, "POST_S", 100)  # who waited for a post would wait for long
    began = time.monotonic()
    a_lesson()
    assert time.monotonic() - began < 20 and len(kept()) == 4
    assert "00.1 solved" in capsys.readouterr().out and reporting._sender.is_alive()
    listener.reply = staticmethod(good)
    learner(listener.url)  # the next kernel sends what this one had to leave
    reporting.begin()
    assert wait_until(lambda: not kept(), 30)


def test_nothing_is_sent_while_a_cell_runs_and_a_post_is_cut(learner, listener, monkeypatch):
    monkeypatch.setattr(reporting, "POST_S", 100)  # so that nothing but the cut ends it
    reached, released = threading.Event(), threading.Event()
    listener.reply = staticmethod(lambda *_: reached.set() or (released.wait(100) and None))
    learner(listener.url)
    callbacks = {}  # IPython's, run by hand
    events = SimpleNamespace(register=callbacks.__setitem__)
    reporting._sender = reporting.Sender(SimpleNamespace(events=events))
    reporting._sender.start()
    lab.guess("00.loop", 20, "ms")
    time.sleep(0.1)
    assert listener.posts == [] and not reporting._sender.posting.locked()
    callbacks["post_run_cell"](None)
    assert reached.wait(30) and reporting._sender.posting.locked()
    began = time.monotonic()
    callbacks["pre_run_cell"](None)
    assert reporting.HOLD_S < 1 and time.monotonic() - began < 20
    assert wait_until(lambda: not reporting._sender.posting.locked(), 20)
    assert kept() == ["guess 00.loop ms"]
    released.set()
    callbacks["post_run_cell"](None)
