"""The board in a browser: the leader opens it by the link, reveals, and takes a slip off."""

import pytest
import test_browser
from boards import Board, check, guess, measured
from helpers import wait_until

browser = test_browser.browser  # the fixture
SIZES = {1280: 720, 380: 800}


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    found = Board(tmp_path_factory.mktemp("ü {x}") / "board")
    for number, name in enumerate(("Ana", "Jörg Müller", "<b>o'neil</b>", ""), 1):
        token = found.join(name)
        found.post(token, guess(20 * number), measured(100 + number), check(), check())
    yield found
    if found.process.poll() is None:
        found.stop()


@pytest.fixture(scope="module")
def leader(browser, board):
    """Yield the leader's page, opened by the link in leader.html; fail if it had an error."""
    wrong = []
    page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((board.folder / "leader.html").as_uri())
    page.click("text=The board")
    page.wait_for_selector("#board:not([hidden])")
    yield page
    assert wrong == []


def told(page, words):
    page.wait_for_selector(f"#summary:has-text('{words}')")
    return page.inner_text("#summary")


def test_what_was_measured_is_hidden_until_it_is_revealed(leader, board):
    assert board.key not in leader.url  # it stays on no screen
    assert told(leader, "4 guesses") == "4 guesses, from 20 ms to 80 ms. 4 have measured it."
    assert leader.inner_text("#learners") == "4 learners"
    assert leader.locator("#chart .dot").count() == 4
    assert leader.locator("#chart .measured").count() == 0 and "Jörg" not in leader.content()
    leader.click("#names")
    leader.wait_for_selector("#chart .name >> text=Jörg Müller")
    leader.wait_for_selector('#stuck li:has-text("<b>o\'neil</b>") >> text=2 tries')
    leader.click("#reveal")
    assert "(the median of 4)" in told(leader, "Measured: ")
    assert leader.locator("#chart .measured").count() == 1


def test_a_slip_goes_by_a_click_and_a_late_guess_is_marked(leader, board):
    board.post(board.join("Big"), guess(1e12))
    slip = leader.locator("#chart .dot.late:has-text('1,000,000,000,000')")
    leader.once("dialog", lambda dialog: dialog.accept())
    slip.click()
    assert wait_until(lambda: leader.locator("#chart .dot").count() == 4)
    assert "Big" not in {who for who, *_ in board.guesses()}


@pytest.mark.parametrize("width", SIZES)
def test_nothing_is_wider_than_the_screen(leader, width):
    leader.set_viewport_size({"width": width, "height": SIZES[width]})
    leader.wait_for_timeout(300)
    assert leader.evaluate("document.documentElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('button, li, h1')].filter(e => e.scrollWidth > innerWidth)"
    )
    assert leader.evaluate(f"{wide}.length") == 0


def test_without_the_key_it_shows_nothing(browser, board):
    page = browser.new_context().new_page()
    page.goto(board.url)
    page.wait_for_selector("#refused:not([hidden])")
    assert page.locator("#board").is_hidden() and "Jörg" not in page.content()
