"""The reading edition, not built: what is folded, what is said of figures, where links lead."""

import html
import json
import re
import sys

import pytest
from helpers import ROOT, as_compared
from legible import contrast

sys.path.insert(0, str(ROOT / "book"))

import chapter
import sources

from chapter_helpers.scoreboard import Scoreboard
from lab_utils.course import ledger

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
INKS = {"white": "#FFFFFF", "black": "#000000"}
every_chapter = pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def as_read(path):
    return chapter.as_read(read(path), sources.SOLUTIONS)["cells"]


def tags_of(cell):
    return cell["metadata"].get("tags", ())


def is_folded(cell, part="output"):
    return f"hide-{part}" in tags_of(cell)


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
def test_what_a_chapter_prints_is_as_it_was_and_a_solution_stands_below_its_exercise(path):
    before, after = read(path)["cells"], as_read(path)
    added = [cell for cell in after if cell["id"].startswith("solution-")]
    kept = [cell for cell in after if cell not in added]
    assert [cell.get("outputs") for cell in kept] == [cell.get("outputs") for cell in before]
    tags = [(place, tag) for place, cell in enumerate(after) for tag in tags_of(cell)]
    names = {place: tag.split(":")[1] for place, tag in tags if tag.startswith("exercise:")}
    assert len(added) == 2 * len(names) > 0
    for place, name in names.items():
        anchor, solution = after[place + 1 : place + 3]
        assert anchor["source"] == f"(solution-{name.replace('.', '-')})="
        assert is_folded(solution, "input") and solution["source"] == sources.SOLUTIONS[name]


@every_chapter
def test_a_page_has_its_day_and_a_figure_its_drawing_and_its_words(path, tmp_path):
    page = sources.PurePosixPath("notebooks", path.name)
    cells = json.loads(sources.Book(tmp_path, set()).chapter(page))["cells"]
    said = (
        r"# \d\d · .+\n\n\{\.measured\}\n"
        r"Measured on \d+ \w+ 20\d\d with \w+ [\d.]+ · redis-py "
    )
    assert re.match(said, cells[0]["source"])
    shown = {cell["id"]: json.dumps(cell.get("outputs"), ensure_ascii=False) for cell in cells}
    alts = {}
    for cell in read(path)["cells"]:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                alts[cell["id"]] = output["metadata"]["image/png"]["alt"]
                alt = html.escape(alts[cell["id"]])
                assert len(alt) > 15 and f'alt=\\"{alt}\\"' in shown[cell["id"]]
    brought = (tmp_path / "drawings" / path.stem).glob("*.*")
    assert {file.stem for file in brought} == alts.keys()
    drawings = {file.stem: file for file in (sources.FIGURES / path.stem).glob("*.svg")}
    assert drawings.keys() <= alts.keys()
    for name, drawing in drawings.items():
        words = html.unescape(" ".join(re.findall(r">([^<>]+)<", drawing.read_text("utf-8"))))
        title = re.split(r"[.?!] ", alts[name])[0].split()
        assert [word for word in title if word.rstrip(".?:!") not in words] == [], drawing


FIRST, TWELFTH = "notebooks/01_round_trips.ipynb", "notebooks/12_your_own_code.ipynb"


@pytest.mark.parametrize(
    "page, link, there",
    [
        (FIRST, "[03](03_loops_pipelines_mset.ipynb)", "[03](03_loops_pipelines_mset.ipynb)"),
        (FIRST, "[S](../exercises/01.2/solution.py)", "[S](#solution-01-2)"),
        ("docs/kit.md", "[S](../exercises/01.2/solution.py)", f"[S](../{FIRST}#solution-01-2)"),
        (TWELFTH, "[page](game/page.py)", "[page](game/page.py)"),
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
        (
            "docs/a.md",
            "[![a](race.gif)](../exercises/01.2/solution.py)",
            f"[![a](race.gif)](../{FIRST}#solution-01-2)",
        ),
    ],
)
def test_where_links_lead(tmp_path, page, link, there):
    book = sources.Book(tmp_path, set(sources.pages_like("notebooks/*.ipynb")))
    assert book.linked(link, sources.PurePosixPath(page)) == there


def test_a_file_that_is_no_page_comes_with_the_book(tmp_path):
    book = sources.Book(tmp_path, set())
    assert book.linked("[c](docker-compose.yml)", sources.FRONT) == "[c](docker-compose.yml)"
    brought, own = ((folder / "docker-compose.yml").read_bytes() for folder in (tmp_path, ROOT))
    assert brought == own


def test_the_picture_of_the_verdicts_leads_from_each_claim_to_where_it_is_tried():
    judged = ledger.verdicts()
    page = Scoreboard(judged).picture()._repr_html_()
    links = re.findall(r'<a href="([^"]+)" title="(\w+) ([^"]+)" aria-label="\2 \3"', page)
    assert [(name, to) for to, name, _ in links] == [
        (name, each.chapter + each.section) for name, each in judged.items()
    ]
    assert all(judged[name].clause in html.unescape(said) for _, name, said in links)
    assert "<a " not in as_compared(page), "verdicts differ by machine"
    inks = set(re.findall(r"background: (#\w{6}); color: (white|black);", page))
    assert inks and all(contrast(paper, INKS[ink]) >= 4.5 for paper, ink in inks)
