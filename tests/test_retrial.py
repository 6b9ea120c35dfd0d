"""The scoreboard: every claim is tried by its judge's chapter, and again from those cells."""

import dataclasses
import html
import importlib
import re
from urllib.parse import unquote

import nbformat
import pytest
from helpers import ROOT, as_compared, refusal, running, wait_until
from jupyter_client.manager import start_new_kernel
from test_chapters import CHAPTERS, code
from test_links import anchors
from verdict_words import shown_in

import lab_utils as lab
from lab_utils.course import claims, state
from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, UNTESTED, Retried

module = importlib.import_module("lab_utils.course.retrials")  # its name is the function's
claims.load_all()
SCOREBOARD = ROOT / "notebooks" / "14_scoreboard.ipynb"
OF_C = {"C10": ..., "C2": ...}  # claims of article C of which nothing is said
C2 = "lab.claim('C2', commands=40, loop_trips=40, pipeline_trips={})"


IMPORT, FIRST = "import lab_utils as lab", "01_round_trips.ipynb"


def book(folder, name, *sources):
    """Write a chapter, all of whose cells are on trial but those that say that they are not."""
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    for cell in cells:
        cell.metadata["tags"] = [] if "not on trial" in cell.source else [module.TAG]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / name)


@pytest.fixture
def shelf(tmp_path, monkeypatch, remembered):
    """A folder in place of the lab's chapters, and only the claims C2 (01) and D7 (05)."""
    monkeypatch.setattr(module, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(claims, "CLAIMS", {name: claims.CLAIMS[name] for name in ("C2", "D7")})
    return tmp_path


def test_only_the_tagged_cells_are_run_and_their_verdict_is_todays(shelf):
    assert "clone" in refusal(lab.retrial), "no chapter is there"
    book(shelf, FIRST, IMPORT, "raise SystemError('not on trial')", "turns = 1", C2.format("turns"))
    board = lab.retrial()
    assert (board.claims["C2"].word, board.claims["C2"].chapter) == (HOLDS, FIRST)
    assert board.claims["D7"].word == UNTESTED
    assert "no chapter" in board.claims["D7"].because
    assert repr(board).startswith("verdicts: of 2 claims 1 holds, 1 untested\n")
    assert state.load("claims")["C2"]["word"] == HOLDS

    book(shelf, FIRST, IMPORT, C2.format(40))
    assert lab.retrial().claims["C2"].word == FAILS
    assert state.load("claims")["C2"]["word"] == FAILS


def test_a_cell_that_fails_or_ends_its_python_leaves_its_claims_untested_with_the_reason(shelf):
    """Nothing is judged after it: it might be by what an earlier cell left in the same name."""
    _, measured = claims.CLAIMS["D7"].cases[0]
    book(shelf, FIRST, IMPORT, C2.format(1), "import os\nos._exit(1)")
    book(
        shelf,
        "05_keys_and_hashes.ipynb",
        IMPORT,
        "raise OSError('no memory\\nleft')",
        f"lab.claim('D7', **{measured})",
    )
    board = lab.retrial()
    assert board.claims["C2"].word == HOLDS, "it was judged before the kernel ended"
    assert (board.claims["D7"].word, board.claims["D7"].because) == (UNTESTED, "OSError: no memory")


def test_a_cell_that_takes_too_long(shelf):
    book(
        shelf,
        FIRST,
        "import signal as s, time\nassert s.setitimer(s.ITIMER_REAL, 0.1)[0] > 60\n"
        "try:\n    time.sleep(50)\nexcept Exception:\n    time.sleep(50)",
    )
    assert lab.retrial().claims["C2"].because == "a cell of this chapter took longer than 120 s"


def test_an_interrupt_leaves_no_kernel_behind(shelf, tmp_path):
    """Jupyter's stop button reaches the kernel; what that has started ends with its cell."""
    seen = tmp_path / "pid"
    book(
        shelf,
        FIRST,
        "import os, pathlib, time\n"
        f"pathlib.Path({str(seen)!r}).write_text(str(os.getpid()))\ntime.sleep(50)",
    )
    manager, client = start_new_kernel(kernel_name="python3", extra_arguments=["--log-level=ERROR"])
    try:
        asked = client.execute(
            "import importlib, pathlib\nimport lab_utils as lab\n"
            "retrials = importlib.import_module('lab_utils.course.retrials')\n"
            f"retrials.NOTEBOOKS = pathlib.Path({str(shelf)!r})\n"
            "lab.retrial()"
        )
        assert wait_until(lambda: seen.exists() and seen.read_text(), 60)
        manager.interrupt_kernel()
        replies = iter(lambda: client.get_shell_msg(timeout=60), None)  # some to: is it up?
        reply = next(
            each["content"] for each in replies if each["parent_header"].get("msg_id") == asked
        )
        assert reply["ename"] == "Interrupted"
        assert " ".join(reply["traceback"]).startswith("Interrupted lab.retrial was interrupted.")
        assert wait_until(lambda: not running(int(seen.read_text())), 5)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_published_tables_come_along_in_their_order_and_with_who_disturbed_them(shelf, capsys):
    published, here = {"b": 2.0, "a": 1.0}, {"b": 4.0, "a": 0.9}
    book(
        shelf,
        FIRST,
        f"{IMPORT}\nfrom lab_utils import calm",
        C2.format(1),
        f"lab.plot_published('both', {published}, {here}, 0.5, fitted=['b'])",
        "calm.note(calm.Calm(0, 40, 0.5))",
        "lab.plot_published('busy', {'b': 2.0}, {'b': 4.0}, 0.5)",
    )
    board = lab.retrial()
    assert board.tables["both"] == {
        "published": published,
        "reproduced": here,
        "rtt_ms": 0.5,
        "fitted": ["b"],
    }
    assert list(board.tables["both"]["published"]) == ["b", "a"]
    busy = "the machine was busy: other programs took 50% of the time, 0 of 40 rounds were quiet"
    assert board.plot_tables().get_supxlabel().endswith(busy)
    assert capsys.readouterr().out.endswith(f" ({busy})\n")


# What is drawn and shown


WORDS = {"A1": HOLDS, "B2": DEPENDS, "C10": FAILS, "C2": UNTESTED}


def in_order(page, parts):
    places = [page.index(part) for part in parts]
    return places == sorted(places)


@pytest.fixture
def board():
    added, turns_with = {"C2": "<more> in ~4 ms"}, {"A1": "the distance"}
    made = {
        name: Retried(
            name,
            f"{name} says <this>",
            word,
            "~3 ms",
            FIRST,
            added.get(name, ""),
            turns_with.get(name, "the client"),
            "#a-b",
        )
        for name, word in WORDS.items()
    }
    pings = {
        "published": {"loop": 1.0, "pipeline": 0.1},
        "reproduced": {"loop": 0.9, "pipeline": 0.02},
        "rtt_ms": 5,
    }
    return module.Retrial(made, {"100 PINGs": pings})


def test_the_scoreboard_is_a_page_of_words_with_links_to_the_sections_that_tried_them(board):
    page = board._repr_html_()
    assert in_order(page, [f"<b>{word}</b>" for word in WORDS.values()])
    assert '<a href="01_round_trips.ipynb#a-b">B2</a> B2 says &lt;this&gt;' in page
    assert f"A: {html.escape(claims.ARTICLES['A'])}" in page and "<b>E: " not in page
    assert "<script" not in page and "color:" not in page, "it is read on dark and on light"
    assert repr(board).splitlines() == [
        "verdicts: of 4 claims 1 holds, 1 depends, 1 does not hold here, 1 untested",
        "verdicts: holds: A1",
        "verdicts: depends: B2",
        "verdicts: does not hold here: C10",
        "verdicts: untested: C2",
    ]


def test_the_tables_are_drawn_with_the_farthest_off_named_and_what_was_fitted_is_no_evidence(
    board, capsys
):
    title = board.plot_tables().get_suptitle()
    assert "1 of the 2" in title and "“pipeline” of 100 PINGs, 5.0x" in title
    assert capsys.readouterr().out.startswith(
        "measured: 100 PINGs: loop: published 1 s, here 900 ms"
    )
    board.tables["100 PINGs"]["fitted"] = ["pipeline"]
    assert (
        "1 of the 1 published figures that went into no fit comes out within"
        in board.plot_tables().get_suptitle()
    )
    assert "pipeline: published 100 ms (fitted), here 20 ms" in capsys.readouterr().out
    board.tables["100 PINGs"]["fitted"] = ["pipeline", "loop"]
    assert "none is evidence" in board.plot_tables().get_suptitle()
    assert "failed" in refusal(module.Retrial({}, {}).plot_tables)


def test_nothing_said_every_claim_in_its_order_with_its_figures_folded(board):
    table = board.against({"C10": ..., "C2": None})
    assert table.sentence == "" and [claim.name for claim in table.unsaid] == ["C10", "C2"]
    assert repr(table).startswith(f"{claims.ARTICLES['C']}\nC10  C10 says")
    assert (
        "C2  C2 says <this>  [01_round_trips.ipynb]\n    verdict: untested: ~3 ms\n"
        "    addition: <more>" in repr(table)
    )
    page = table._repr_html_()
    assert "<b>C2</b> C2 says &lt;this&gt;" in page
    assert 'href="01_round_trips.ipynb#a-b">01</a>' in page
    assert (
        "<details><summary>figures</summary>~3 ms<br><i>The lab adds:</i> &lt;more&gt; "
        "in ~4 ms</details>" in page
    )
    assert "you said" not in page.lower() + repr(table)


def test_first_come_the_claims_that_came_out_otherwise(board):
    table = board.against({"A1": "Holds", "B2": " No, never", "C10": "depends", "C2": "holds"})
    parts = table.otherwise, table.as_said, table.unsaid
    assert [[claim.name for claim in part] for part in parts] == [["B2", "C10"], ["A1"], ["C2"]], (
        "untested came out neither way"
    )
    assert table.sentence == "of the 3 that you judged, 1 came out as you said"
    assert "    verdict: and you said “does not hold here”\nC10" in repr(table)
    page = table._repr_html_()
    order = [
        "Otherwise than you said",
        "<b>B2</b>",
        "<b>C10</b>",
        "<summary>As you said: A1</summary>",
        "<b>A1</b>",
        "Not judged, or not tested here",
        "<b>C2</b>",
    ]
    assert in_order(page, order)
    assert page.count("you said</th>") == 1


def test_what_cannot_have_been_said_of_a_claim(board):
    for said in (
        {},
        {"Z9": "holds"},
        {"A1": "perhaps"},
        {"A1": 3},
        {"A1": ""},
        "holds",
        ["A1"],
        None,
    ):
        refusal(board.against, said)


@pytest.mark.parametrize(
    "word, because, turns_with, clause",
    [
        (DEPENDS, "on the client: ~3 ms", "the client", "depends on the client"),
        (HOLDS, "~3 ms", "the distance", "holds; the figures vary with the distance"),
        (HOLDS, "~3 ms", "", "holds"),
        (FAILS, "~3 ms: no", "the distance", "does not hold here"),
        (UNTESTED, "Java is not here, and more", "the client", "untested: Java is not here"),
    ],
)
def test_a_verdict_in_one_clause(word, because, turns_with, clause):
    assert Retried("A1", "", word, because, "", "", turns_with).clause == clause


def test_every_clause_is_short(board):
    """Of what the committed scoreboard shows."""
    clauses = [
        Retried(name, "", word, because, "", "", claims.CLAIMS[name].turns_with).clause
        for name, (word, because) in shown_in(SCOREBOARD).items()
    ]
    assert len(clauses) == 38 and max(map(len, clauses)) < 80 and "~" not in "".join(clauses)


def test_the_matrix_names_every_claim_in_every_column_and_spells_out_those_that_differ(board):
    found = board.elsewhere()
    assert len(found.columns) == 5
    for name in "Redis 8", "Redis 8 again":
        assert "Redis 8.2.3" in found.columns[name]["on"]
    for column in found.columns.values():
        # these three rest on a stored run of Java
        assert {*column["claims"], "D3", "D4", "D6"} == {*claims.CLAIMS}
        assert all(
            claim["word"] in claims.WORDS and claim["because"]
            for claim in column["claims"].values()
        )
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + len(found.differ) and f"{35 - len(found.differ)} of 35" in page
    assert repr(found).count("\nmeasured: ") == page.count("\nmeasured: ") == 5


def test_words_and_reasons_are_blanked_for_nbval_and_nothing_else(board):
    other = module.Retrial(
        {
            name: dataclasses.replace(claim, word=HOLDS, because="<i>other</i>")
            for name, claim in board.claims.items()
        },
        {},
    )
    for shown in (lambda board: board, lambda board: board.against(OF_C)):
        for form in ("__repr__", "_repr_html_"):
            one, two = (getattr(shown(each), form)() for each in (board, other))
            assert one != two and as_compared(one) == as_compared(two)
    shown = as_compared(board.against(OF_C)._repr_html_())
    assert "C2 says &lt;this&gt;" in shown and FIRST in shown and "untested" not in shown


# The lab's own claims and chapters


def test_the_chapter_of_its_judge_tries_it_in_a_tagged_cell():
    for name, claim in claims.CLAIMS.items():
        [path] = (ROOT / "notebooks").glob(f"{claim.chapter}_*.ipynb")
        sources = "\n".join(cell.source for cell in module.trial_cells(path))
        assert re.search(rf'lab\.claim\(\s*"{name}"', sources), name


def test_the_sections_that_a_claim_is_tried_in_are_there():
    for path in CHAPTERS:
        known = {claim.name for claim in claims.CLAIMS.values() if claim.chapter == path.name[:2]}
        found = module.sections(path)
        assert known <= set(found)
        assert {unquote(anchor[1:]) for anchor in found.values()} <= anchors(path)


def test_the_scoreboard_says_of_every_claim_what_the_chapters_say():
    """A cell that a claim needs and that lacks its tag could turn a verdict without any error."""
    shown = {name: word for name, (word, _) in shown_in(SCOREBOARD).items()}
    assert list(shown) == sorted(claims.CLAIMS, key=claims.order)
    said = {(name, word) for path in CHAPTERS for name, (word, _) in shown_in(path).items()}
    assert said == set(shown.items())


def test_each_claim_stands_in_a_form_in_the_words_of_its_judge():
    """The learner reads it there, beside the dots."""
    source = "\n".join(cell.source for cell in code(SCOREBOARD))
    forms = re.findall(r'"([A-E]\d+)": \.\.\.,  # (.*(?:\n +# .*)*)', source)
    asked = {name: " ".join(line.strip(" #") for line in text.split("\n")) for name, text in forms}
    assert asked == {name: claim.text for name, claim in claims.CLAIMS.items()}
