"""The reading edition, not built: what is folded, what is said of figures, where links lead."""

import itertools
import json
import re
import sys

import legible
import pytest
from helpers import ROOT

from lab_utils.figures import style

sys.path.insert(0, str(ROOT / "book"))

import chapter
import drawings
import links
import sources

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def as_read(path):
    return chapter.as_read(chapter.read(path), sources.SOLUTIONS)["cells"]


def is_folded(cell, part="output"):
    return f"hide-{part}" in cell["metadata"].get("tags", ())


@every_chapter
def test_answers_to_guesses_are_folded_and_nothing_before(path):
    cells = [cell for cell in as_read(path) if cell["cell_type"] == "code"]
    said = [chapter.source_of(cell) for cell in cells]
    guesses = [place for place, source in enumerate(said) if "= lab.guess(" in source]
    assert guesses
    for place in guesses:
        name, after = said[place].split(" = ")[0], place + 1
        told = next(later for later in range(after, len(cells)) if name in said[later])
        assert all(is_folded(cell) for cell in cells[after:told] if cell["outputs"]), name
        assert is_folded(cells[told])
    assert sum(map(is_folded, cells)) < len(cells) / 2


@every_chapter
def test_what_is_folded_was_asked_for(path):
    """Below a guess or a question, and nowhere else."""
    asked = guessed = False
    for cell in as_read(path):
        source = chapter.source_of(cell)
        if cell["cell_type"] == "markdown":
            asked = chapter.asks(source)
        else:
            guesses = chapter.GUESS.match(source)
            guessed = guessed or guesses or chapter.BET.search(source)
            assert asked or guessed or not is_folded(cell), source
            assert not asked or not cell["outputs"] or is_folded(cell) or guesses, source


def test_a_question_is_told_from_an_invitation_and_a_heading():
    assert chapter.asks("Two clients.\n\nWhich of them waits?")
    assert not chapter.asks("Two clients. Which of them waits?\n\nLook.")
    assert not chapter.asks("**Change it.** Change `a` to `b`. Which of them waits now?")
    assert not chapter.asks("### Which of them waits?")


@every_chapter
def test_what_a_chapter_prints_is_as_it_was(path):
    before = [cell["outputs"] for cell in chapter.read(path)["cells"] if "outputs" in cell]
    after = [
        cell["outputs"]
        for cell in as_read(path)
        if "outputs" in cell and not is_folded(cell, "input")
    ]
    assert after == before


@every_chapter
def test_a_solution_stands_folded_below_its_exercise(path):
    cells = as_read(path)
    exercises = [place for place, cell in enumerate(cells) if chapter.exercises(cell)]
    assert exercises
    for place in exercises:
        [name] = chapter.exercises(cells[place])
        anchor, solution = cells[place + 1 : place + 3]
        assert anchor["source"] == f"(solution-{name.replace('.', '-')})="
        assert is_folded(solution, "input") and solution["source"] == sources.SOLUTIONS[name]


@every_chapter
def test_figures_have_words_and_the_page_its_day_and_versions(path):
    cells = as_read(path)
    for cell in cells:
        if any("image/png" in output.get("data", {}) for output in cell.get("outputs", ())):
            assert len(cell["metadata"]["mystnb"]["image"]["alt"]) > 15
    said = (
        r"# \d\d · .+\n\n\{\.measured\}\n"
        r"Measured on \d+ \w+ 20\d\d with \w+ [\d.]+ · redis-py "
    )
    assert re.match(said, cells[0]["source"])


def test_two_figures_in_one_cell_are_refused():
    def figure(alt):
        return {"data": {"image/png": ""}, "metadata": {"image/png": {"alt": alt}}}

    cell = {"metadata": {}, "source": "two()"}
    chapter.say_figure(cell, figure("one"))
    with pytest.raises(AssertionError, match="two figures"):
        chapter.say_figure(cell, figure("another"))


DRAWN = sorted((ROOT / "book" / "figures").glob("*/*.svg"))


@every_chapter
def test_a_figure_of_the_lab_is_drawn_and_nothing_else_is(path):
    """But for those to drag, whose still ones may be pictures; so a chapter not run since."""
    notebook, drawn = chapter.read(path), drawings.kept(path.stem)
    pictures = {cell["id"] for cell in notebook["cells"] if '"image/png": "' in json.dumps(cell)}
    whole = {name.removesuffix(".svg").removesuffix(drawings.NARROW) for name in drawn}
    assert whole <= pictures
    dragged = {
        cell["id"]
        for cell in notebook["cells"]
        if any(map(chapter.drag_of, cell.get("outputs", ())))
    }
    assert not drawn or dragged >= pictures - whole
    read = chapter.as_read(notebook, sources.SOLUTIONS, drawn=drawn, at="here")
    shown = json.dumps(read["cells"])
    assert shown.count("<picture") == shown.count('<img src=\\"here/') == 2 * len(whole)
    assert shown.count("<source") == 2 * sum(drawings.NARROW in name for name in drawn)


def test_what_is_drawn_for_a_phone_can_be_read_there():
    """No letter is smaller than 8 points on 4 inches, about what a phone is wide."""
    narrow = [path.read_text(encoding="utf-8") for path in DRAWN if drawings.NARROW in path.name]
    assert len({path.parent for path in DRAWN}) > 10 and len(narrow) == len(DRAWN) / 2
    for text in narrow:
        sizes = re.findall(r"font(?:-size)?: (?:bold |700 )?([\d.]+)px", text)
        assert 'width="288pt"' in text and min(map(float, sizes)) >= 8


def test_drawings_for_a_dark_page_keep_their_colours_apart():
    def apart(pair):
        return legible.distance(*pair) >= legible.TOLD_APART

    pairs = list(filter(apart, itertools.combinations(sorted(legible.meanings()), 2)))
    assert [pair for pair in pairs if not apart(map(drawings.dark, pair))] == [] != pairs
    assert legible.distance(drawings.dark(style.INK), drawings.dark(style.PAPER)) > 70
    dark = drawings.in_the_dark('<svg ><a fill="#222222"/>#222222')
    assert dark == '<svg fill="#EDEDED" ><a fill="#D0D0D0"/>#222222'


FIRST, TWELFTH = "notebooks/01_round_trips.ipynb", "notebooks/12_your_own_code.ipynb"


@pytest.mark.parametrize(
    "page, link, there",
    [
        (FIRST, "[03](03_loops_pipelines_mset.ipynb)", "[03](03_loops_pipelines_mset.ipynb)"),
        (FIRST, "[S](../exercises/01.2/solution.py)", "[S](#solution-01-2)"),
        ("docs/kit.md", "[S](../exercises/01.2/solution.py)", f"[S](../{FIRST}#solution-01-2)"),
        (TWELFTH, "[page](game/page.py)", "[page](game.md#page-py)"),
        (TWELFTH, "[it](../README.md#your-own-code)", "[it](../index.md#your-own-code)"),
        ("docs/a.md", f"[it](../{FIRST}#Who-is-slow?)", f"[it](../{FIRST}#who-is-slow)"),
        (FIRST, "[it](#And-if-you-don't-ask?)", "[it](#and-if-you-dont-ask)"),
        ("index.md", "the [tests](tests) and `[a](tests)`", "the tests and `[a](tests)`"),
        (
            "index.md",
            "[far](https://redis.io/a) [h](#there)",
            "[far](https://redis.io/a) [h](#there)",
        ),
        (
            "index.md",
            "```\n[a](README.md)\n```\n[b](README.md)",
            "```\n[a](README.md)\n```\n[b](index.md)",
        ),
        ("index.md", "![a [b] c](docs/race.gif)", "![a [b] c](docs/race.gif)"),
    ],
)
def test_where_links_lead(tmp_path, page, link, there):
    book = sources.Book(tmp_path, set(sources.found("notebooks/*.ipynb")))
    assert book.linked(link, sources.PurePosixPath(page)) == there


def test_a_file_that_is_no_page_comes_with_the_book(tmp_path):
    book = sources.Book(tmp_path, set())
    assert book.linked("[c](docker-compose.yml)", sources.FRONT) == "[c](docker-compose.yml)"
    brought, own = ((folder / "docker-compose.yml").read_bytes() for folder in (tmp_path, ROOT))
    assert brought == own


SOUND = """<link rel="stylesheet" href="_static/a.css"><a href="two.html#there">two</a>
<a href="https://redis.io">far</a>
<img src="_static/a%20b.png" alt="three waits"><p id="here"></p><a href="#here">here</a>"""


@pytest.mark.parametrize(
    "added, problem",
    [
        ('<a href="three.html">', "three.html leads to no page"),
        ('<a href="two.html#elsewhere">', "two.html#elsewhere leads to no place on two.html"),
        ('<a href="#nowhere">', "#nowhere leads to no place on one.html"),
        (
            '<img src="_static/a%20b.png" alt=" ">',
            "the picture _static/a%20b.png has no words (alt)",
        ),
        ('<img src="none.png" alt="a figure">', "none.png leads to no page"),
        (
            '<script src="https://a.org/a.js"></script>',
            "fetches https://a.org/a.js from the internet",
        ),
        ('<meta http-equiv="refresh" content="0; url=old.html">', "old.html leads to no page"),
    ],
)
def test_what_is_wrong_with_pages_is_found(tmp_path, added, problem):
    (tmp_path / "_static").mkdir()
    for name in ("_static/a.css", "_static/a b.png"):
        (tmp_path / name).touch()
    (tmp_path / "two.html").write_text('<h2 id="there">There</h2>', encoding="utf-8")
    (tmp_path / "one.html").write_text(SOUND, encoding="utf-8")
    assert list(links.wrong(tmp_path)) == []
    (tmp_path / "one.html").write_text(SOUND + added, encoding="utf-8")
    assert list(links.wrong(tmp_path)) == [f"one.html: {problem}"]
