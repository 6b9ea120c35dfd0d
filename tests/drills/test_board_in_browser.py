"""A room in real browsers: a leader at the board, and three learners who guess and measure."""

import pytest
import test_browser
from boards import Visitor, check, guess
from helpers import wait_until
from rooms import Room, opened

browser = test_browser.browser  # the fixture
GUESSES = {"Ana": 20, "Jörg Müller": 100, "o'neil.x": 500}
PATIENCE_MS = 240_000  # three learners measure on two cores


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    with opened(Room(tmp_path_factory.mktemp("ü {x}"), LAB_SCALE="ci")) as room:
        yield room


@pytest.fixture(scope="module")
def arrive(browser, room):
    """arrive(name, password, address): the page of a new browser, after its login."""

    def come(name, password, address=""):
        page = browser.new_context(viewport=test_browser.SIZE).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{room.url}{address}")
        page.fill("#username_input", name)
        page.fill("#password_input", password)
        page.click("#login_submit")
        return page

    return come


@pytest.fixture(scope="module")
def leader(arrive, room):
    page = arrive("leader", room.leaders_password, "/services/board/hub")
    page.wait_for_selector("#board:not([hidden])")
    return page


@pytest.fixture(scope="module")
def learners(arrive, room):
    return {name: arrive(name, room.password) for name in GUESSES}


def works_through(page, said):
    """Makes the guess where the page has its three dots, and runs the page, as a learner does."""
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle")
    cell = page.locator(".jp-CodeCell .cm-content", has_text="lab.guess(")
    page.hover(".jp-NotebookPanel .jp-WindowedPanel-outer")
    drawn = "new Promise(next => requestAnimationFrame(() => next()))"  # it scrolls past nothing
    assert wait_until(lambda: cell.count() or page.mouse.wheel(0, 300) or page.evaluate(drawn))
    written = f'guess_loop = lab.guess("00.loop", {said}, "ms")'
    cell.fill(written)  # whatever moves meanwhile: a click may land beside a cell pushed down
    assert cell.inner_text() == written
    page.click(".lm-MenuBar >> text=Run")
    page.click(".lm-Menu >> text='Run All Cells'")


def told(page, words):
    page.wait_for_selector(f"#summary:has-text('{words}')")
    return page.inner_text("#summary")


def test_the_leader_sees_who_guessed_and_reveals(leader, learners):
    for number, (name, page) in enumerate(learners.items(), 1):
        works_through(page, GUESSES[name])
        told(leader, f"{number} guess")
    assert told(leader, "3 have measured") == "3 guesses, from 20 ms to 500 ms. 3 have measured it."
    assert leader.inner_text("#learners") == "3 learners"
    assert leader.locator("#chart .dot").count() == 3
    assert leader.locator("#chart .measured").count() == 0
    assert "median" not in leader.evaluate("JSON.stringify(view)")
    assert not any(name.lower() in leader.content() for name in GUESSES)
    leader.click("#names")
    leader.wait_for_selector("#chart .name >> text=Jörg Müller")
    leader.click("#reveal")
    assert "(the median of 3)" in told(leader, "Measured: ")
    assert leader.locator("#chart .measured").count() == 1


def test_a_learner_does_not_come_in_as_the_leader(learners, room):
    page = learners["Ana"]
    page.goto(f"{room.url}/services/board/hub")
    assert "leader" in page.inner_text("body") or "403" in page.inner_text("body")
    page.goto(f"{room.url}/services/board/")
    page.wait_for_selector("#door:not([hidden])")
    assert page.locator("#board").is_hidden() and "Jörg" not in page.content()


def test_a_laptop_joins_by_the_rooms_address_and_its_late_guess_is_marked(leader, room):
    laptop = Visitor(f"{room.url}/services/board")
    assert laptop.ask("/api/join", {"password": "guessed", "name": "Zoe"})[0] == 403
    _, token = room.laptop("Ana")  # not the Ana of the hub
    assert laptop.post(token, guess(105), check(1), check(2))[0] == 200
    assert told(leader, "came late").endswith("; 1 came late.")
    leader.wait_for_selector("#chart .name.late >> text='Ana (laptop)'")
    leader.wait_for_selector("#stuck li:has-text('Ana (laptop)') >> text=2 tries")


def test_a_guess_far_out_stands_at_the_edge_and_a_click_takes_it_off(leader, room):
    def scale():
        return leader.text_content("#chart .number >> nth=-1"), dots.count()

    (laptop, token), dots = room.laptop("Big"), leader.locator("#chart .dot")
    before = scale()
    assert laptop.post(token, guess(1e12))[0] == 200
    leader.wait_for_selector("#chart .name >> text='Big (laptop): 1,000,000,000,000 ms →'")
    leader.once("dialog", lambda dialog: dialog.accept())
    leader.locator("#chart .dot:has-text('1,000,000,000,000')").click()
    assert wait_until(lambda: scale() == before, 30)


def test_closed_and_opened_again_it_has_every_guess(leader, room):
    before = rows(leader)
    with leader.expect_download() as download:
        leader.click("#csv")
    assert download.value.path().read_text(encoding="utf-8").splitlines()[1:] == before
    assert sorted(row.split(",")[1] for row in before if ",guess,00.loop," in row) == [
        "Ana",
        "Ana (laptop)",
        "Big (laptop)",
        "Jörg Müller",
        "o'neil.x",
    ]
    room.close()
    room.open()  # on another port, to a browser another origin: the key stayed at the first one
    leader.goto(f"{room.url}/services/board/")
    leader.click("text=Open it as the room's leader")
    leader.wait_for_selector("#board:not([hidden])")
    assert rows(leader) == before


def rows(leader):
    return leader.evaluate("ask('board.csv?names=1').then(reply => reply.text())").splitlines()[1:]
