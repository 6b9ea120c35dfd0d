"""tools/notebooks.py: a notebook's file changes where a fact of its outputs did, nowhere else."""

import json
import re
import sys

import nbformat
import pytest

from lab_utils.testbed import fingerprints
from tools import notebooks

ASK_VERSIONS, ASK_WHETHER_BUSY = notebooks.ASK_VERSIONS, notebooks.ASK_WHETHER_BUSY


@pytest.fixture
def command(tmp_path, monkeypatch):
    """tools/notebooks.py, which asks no server for versions and finds the machine calm."""
    for name in ("TQDM_DISABLE", "LAB_CHAPTER", "LAB_FIGURE_CHECK", "LAB_TIMES"):
        monkeypatch.setenv(name, "1")  # put back after the test
    for name, value in (
        ("ASK_VERSIONS", "print('Redis 1')"),
        ("ASK_WHETHER_BUSY", "print('')"),
        ("MEASURED", tmp_path / "claims.json"),
    ):
        monkeypatch.setattr(notebooks, name, value)
    return notebooks


@pytest.fixture
def path(tmp_path):
    return tmp_path / "chapter.ipynb"


def write(path, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    path.write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells)), encoding="utf-8")


def test_a_run_that_brings_no_new_fact_leaves_the_file_alone(command, path, capsys):
    write(
        path,
        "import time\nprint(f'3 turns, took ~{time.time()} s')",
        "print('one'); print('two', flush=True); print('three')",
    )
    command.main([str(path)])
    first = path.read_bytes()
    command.main([str(path)])
    assert path.read_bytes() == first
    assert capsys.readouterr().out == "chapter.ipynb: rewritten\nchapter.ipynb: no fact changed\n"
    book = nbformat.read(path, as_version=4)
    assert [cell.execution_count for cell in book.cells] == [1, 2]
    assert [len(cell.outputs) for cell in book.cells] == [1, 1]
    assert [cell.id for cell in book.cells] == ["cell-00", "cell-01"]
    assert book.metadata.measured.on == "Redis 1"
    assert b"execution" not in first.replace(b"execution_count", b"")
    assert str(sys.prefix).encode() not in first


def test_the_versions_are_those_under_the_figures(capsys):
    exec(ASK_VERSIONS, {})
    assert capsys.readouterr().out == fingerprints.environment_line() + "\n"


def test_what_was_measured_busy_is_not_written(command, path, capsys, monkeypatch):
    monkeypatch.setattr(command, "ASK_WHETHER_BUSY", ASK_WHETHER_BUSY)
    write(path, "from lab_utils import calm; calm.note(calm.Calm(3, 40, 0.25)); print('a fact')")
    before = path.read_bytes()
    assert command.main([str(path)]) == command.main(["--force", str(path)]) == 1
    assert path.read_bytes() == before
    said = capsys.readouterr().out
    assert (
        said.count(
            "chapter.ipynb: NOT rewritten, the machine was busy: other programs took "
            "~25% of the time"
        )
        == 2
    )
    assert "Run it again" in said


def test_a_figure_of_a_failed_measurement_is_not_written(command, path, capsys, monkeypatch):
    write(path, "sweep.plot()")
    before, after = path.read_bytes(), nbformat.read(path, as_version=4)
    alt = {"image/png": {"alt": "RTT 1 ms: no knee shown, 2 s at 10"}}
    after.cells[0].outputs = [
        nbformat.v4.new_output("display_data", data={"text/plain": "one"}, metadata=alt)
    ]
    monkeypatch.setattr(command, "run", lambda _: (after, "", {}, []))
    assert command.main([str(path)]) == 1 and path.read_bytes() == before
    assert "NOT rewritten, a figure says “no knee shown”: RTT 1 ms" in capsys.readouterr().out


@pytest.mark.parametrize(
    "suffix_s, refused", [(0.2, False), (0.8, True)], ids=["sure", "on a hair"]
)
def test_a_verdict_that_one_figure_turns_is_not_written(
    command, path, capsys, monkeypatch, suffix_s, refused
):
    write(path, "print('a verdict')")
    measured = {"prefix_s": 1.0, "suffix_s": 4.0, "plain_prefix_s": 1.0, "plain_suffix_s": suffix_s}
    monkeypatch.setattr(command, "measured_in", lambda *_: {"B4": measured})
    monkeypatch.setattr(command, "keep_measured", lambda *_: None)
    assert command.main([str(path)]) == refused
    said = "NOT rewritten, a verdict hangs on one figure: B4"
    assert (said in capsys.readouterr().out) == refused


# The clock is turned by hand: a machine that stands still makes no work longer.
WAIT = """import lab_utils as lab, os
from types import SimpleNamespace
from lab_utils.timing import rounds
class Clock: now = 0.0
rounds.time = SimpleNamespace(perf_counter=lambda: Clock.now, sleep=rounds.time.sleep)
def wait(r): r.ping(); Clock.now += float(os.environ["PAUSE"])"""
TIMED = 'os.environ["PAUSE"] = "{}"\n_ = lab.compare({{"wait": {}}}, rounds=3)'


@pytest.mark.parametrize(
    "then, work, tags, written",
    [
        (0.45, "wait", "[]", False),
        (0.015, "wait", "[]", True),
        (0.45, "lambda r: wait(r)", "[]", True),
        (0.45, "wait", '["under-load"]', True),
    ],
    ids=["disagree", "agree", "other work", "on purpose"],
)
def test_a_chapter_whose_figures_of_one_work_disagree_is_not_written(
    command, path, capsys, then, work, tags, written
):
    write(path, WAIT, TIMED.format(0.015, "wait"), TIMED.format(then, work))
    text, tagged = path.read_text(encoding="utf-8"), f'"metadata": {{"tags": {tags}}}'
    path.write_text(text.replace('"metadata": {}', tagged), encoding="utf-8")
    assert command.main([str(path)]) == (not written)
    said = capsys.readouterr().out
    both = r"“wait” at RTT 0 ms takes \d\d(\.\d)? ms \(.*\) in \[2\] and \d{3} ms .* in \[3\]"
    assert re.search(
        "^chapter.ipynb: rewritten\n$" if written else f"NOT rewritten, {both}", said
    ), said


@pytest.mark.parametrize(
    "seconds, others, more, disagree",
    [
        ((1.0, 1.1, 1.2, 1.1, 1.0), (1.5, 1.6, 1.5, 1.7, 1.6), {}, True),
        ((1.0, 1.1, 1.6, 1.1, 1.0), (1.5, 1.6, 1.5, 1.7, 1.6), {}, False),  # the rounds meet
        ((1.00, 1.01, 1.01, 1.0, 1.0), (1.06, 1.07, 1.06, 1.07, 1.08), {}, False),  # nobody notices
        (
            (1.0, 1.1, 1.2),
            (1.3, 1.4, 1.5),
            {},
            False,
        ),  # three rounds, and a gap that chance may make
        *(
            ((1.0, 1.0, 1.0), (2.0, 2.0, 2.0), more, not more)
            for more in ({}, {"rtt": 2}, {"name": "b"}, {"work": 2}, {"cell": 1})
        ),
    ],
)
def test_figures_agree_as_far_as_their_rounds_say(command, seconds, others, more, disagree):
    one = {"cell": 1, "name": "loop", "work": 1, "rtt": 1.0, "seconds": seconds}
    other = one | {"cell": 2, "seconds": others} | more
    for pair in ([one, other], [other, one]):
        assert bool(command.disagreement(pair)) == disagree


def test_a_drawing_is_kept_with_its_chapter_and_no_picture_more(command, path, monkeypatch):
    monkeypatch.setattr(command.drawings, "FIGURES", path.with_name("figures"))
    write(
        path,
        "import lab_utils as lab",
        "lab.plot_bars({'loop': 2, 'a': 1.26}, 'ms', 'It takes 1.26 ms', measured=False)",
    )
    assert command.main([str(path)]) == 0
    first = command.drawings.kept("chapter")
    assert set(first) == {"cell-01-narrow.svg", "cell-01.svg"}
    assert all(">It takes 1.26 ms</text>" in text and "2026" not in text for text in first.values())
    [output] = [
        each for each in nbformat.read(path, as_version=4).cells[1].outputs if "data" in each
    ]
    assert set(output.data) == {"image/png", "text/plain"}
    assert list(output.metadata) == ["image/png"]
    assert command.main(["--force", str(path)]) == 0 and command.drawings.kept("chapter") == first
    write(path, "print('no figure any more')")
    assert command.main([str(path)]) == 0 and command.drawings.kept("chapter") == {}


def test_a_scoreboard_is_busy_if_a_trial_was(command, tmp_path, capsys, remembered, monkeypatch):
    known = {"text": "", "article": "", "word": "holds", "because": "", "measured": {}}
    tried = {
        "C2": known | {"chapters": {"14_scoreboard": {"word": "holds", "taken_share": 0.3}}},
        "C3": known
        | {
            "chapters": {
                "14_scoreboard": {"word": "holds", "taken_share": 0.0},
                "10": {"taken_share": 0.5},
            }
        },
    }
    command.os.makedirs(remembered)
    (remembered / "state.json").write_text(json.dumps({"claims": tried}), encoding="utf-8")
    path = tmp_path / "14_scoreboard.ipynb"
    write(path, "lab.retrial()")
    monkeypatch.setattr(command, "run", lambda path: (nbformat.v4.new_notebook(), "", {}, []))
    assert command.main([str(path)]) == 1
    said = capsys.readouterr().out
    assert "NOT rewritten, the machine was busy when claims were tried: C2" in said


CLAIM = "import lab_utils as lab\nlab.claim('C2', commands=40, loop_trips=40, pipeline_trips={})"


def test_a_word_that_changed_is_written_and_its_measurements_with_it(
    command, path, capsys, remembered
):
    write(path, "turns = 1", CLAIM.format("turns"))
    assert command.main([str(path)]) == 0
    book = nbformat.read(path, as_version=4)
    assert command.words(book) == {"C2": "holds"}
    measured = {"commands": 40, "loop_trips": 40, "pipeline_trips": 1}
    assert json.loads(command.MEASURED.read_text(encoding="utf-8")) == {"chapter": {"C2": measured}}
    [shown] = book.cells[1].outputs
    text = shown.data["text/plain"]
    shown.data["text/plain"] = text.replace("verdict: holds", "verdict: depends")
    path.write_text(nbformat.writes(book), encoding="utf-8")
    assert command.main([str(path)]) == 0
    assert command.words(nbformat.read(path, as_version=4)) == {"C2": "holds"}
    assert [line.split(": ")[1] for line in capsys.readouterr().out.splitlines()] == [
        "rewritten"
    ] * 2


def test_what_is_a_change(command):
    def book(text, source="print()"):
        cell = nbformat.v4.new_code_cell(source, execution_count=1)
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
        return command.comparable(nbformat.v4.new_notebook(cells=[cell]))

    assert book("3 turns, ~5.2 ms") == book("3 turns, ~7.9 ms")
    assert book("3 turns, ~5.2 ms") != book("4 turns, ~5.2 ms")
    assert book("3 turns") != book("3 turns", source="print( )")
