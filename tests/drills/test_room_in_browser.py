"""`make room` in a real browser: learners work, come back once it was closed, take a zip home."""

import json
import subprocess
import zipfile

import pytest
import rooms
import test_browser
from helpers import wait_until

browser, room = test_browser.browser, rooms.room_of_three  # fixtures
PATIENCE_S = 240
NAMES = ("Ana", "Jörg Müller", "o'neil.x")
CHAPTER = "00_start_here.ipynb"


class People:
    """Browsers, one a learner, each with cookies of its own."""

    def __init__(self, browser, room):
        self.browser, self.room, self.pages = browser, room, {}
        self.hosts, self.complaints = set(), []

    def arrive(self, who):
        """A browser that nobody has used yet, on the room's first page."""
        page = self.browser.new_context(viewport=test_browser.SIZE).new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2].split(":")[0]))
        page.on("console", self.note)
        page.goto(self.room.url)
        self.pages[who] = page
        return page

    def note(self, message):
        if message.type == "error" and "WebSocket" in message.text:
            self.complaints.append(message.text)

    def come_in(self, who, name, password=None):
        """Fills in the form and sends it; returns the page."""
        page = self.pages.get(who) or self.arrive(who)
        page.fill("#username_input", name)
        page.fill("#password_input", password or self.room.password)
        page.click("#login_submit")
        return page

    def refusal(self, who, name, password=None):
        return self.come_in(who, name, password).text_content(".login_error")


@pytest.fixture(scope="module")
def people(browser, room):
    return People(browser, room)


def runs_the_first_cell(page):
    """Waits for the notebook on a page, runs its first cell as a learner does, and saves it."""
    page.wait_for_selector("text=Python 3 (ipykernel) | Idle")
    page.click(".jp-NotebookPanel .jp-CodeCell .cm-content >> nth=0")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".jp-CodeCell >> nth=0 >> .jp-InputPrompt >> text=[1]:")
    assert page.locator(".jp-CodeCell >> nth=0 >> .jp-OutputArea-output").all_inner_texts() == []
    page.keyboard.press("Control+s")


def first_code_cell(notebook):
    return next(cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code")


def test_the_leader_is_told_address_and_passwords_and_nobody_else_is(room):
    for told in (room.url, room.password, room.leaders_password):
        assert told in room.told
    secret = room.folder, room.folder / "room.json", room.folder / "hub.log"
    assert {path.stat().st_mode & 0o77 for path in secret} == {0}
    said = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
    assert room.password not in said and room.leaders_password not in said
    assert room.password not in (room.folder / "hub.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_comes_in_and_works(people, room, name):
    runs_the_first_cell(people.come_in(name, name))
    saved = room.folder / "learners" / name / "work" / CHAPTER
    assert wait_until(lambda: '"execution_count": 1' in saved.read_text(encoding="utf-8"), 30)
    assert people.complaints == []


def test_a_second_learner_of_one_name_is_asked_to_take_another(people):
    told = people.refusal("another Ana", " ANA ")
    assert "Ana is at work right now" in told and "Ana 2" in told


def test_a_full_room_says_so_and_keeps_the_name(people):
    page = people.come_in("one too many", "One too many")
    page.wait_for_selector("text=The room is full")


def test_a_learner_takes_a_zip_home(people, tmp_path):
    page = people.pages["Jörg Müller"]
    with page.expect_download() as download:
        page.click("text=Take home")
    download.value.save_as(tmp_path / "home.zip")
    with zipfile.ZipFile(tmp_path / "home.zip") as home:
        assert any(name.endswith("14_scoreboard.ipynb") for name in home.namelist())
        [chapter] = [name for name in home.namelist() if name.endswith(CHAPTER)]
        assert first_code_cell(home.read(chapter))["execution_count"] == 1


def test_nothing_was_asked_of_the_internet(people):
    assert people.hosts == {"127.0.0.1"}


def test_closed_and_opened_again_it_knows_everyone(people, room):
    password = room.password
    assert "is closed" in room.close()
    assert room.left_over() == []
    room.open()
    assert room.password == password
    page = people.pages["Ana"]
    page.goto(room.url)
    runs_the_first_cell(page)  # in a new kernel: her old one ended with the room
    assert "Somebody came in as o'neil.x before" in people.refusal("a thief", "o'neil.x")


def test_a_hub_that_is_killed_takes_all_with_it(people, room):
    next(
        each
        for each, its in room.processes().items()
        if "LAB_WORK" not in its and each.cmdline()[1:3] == ["-m", "jupyterhub"]
    ).kill()
    assert "ended by itself" in room.process.communicate(timeout=60)[0]
    assert room.left_over() == []
