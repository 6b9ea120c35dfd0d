"""A number that stands in two places, in a chapter and in the cheat sheet or the workshop kit, is the same in both."""

import re

import nbformat
from helpers import ROOT

SHEET = (ROOT / "docs" / "cheat_sheet.md").read_text(encoding="utf-8")
QUESTIONS = (ROOT / "docs" / "workshop" / "questions.md").read_text(encoding="utf-8")


def chapter(number):
    """(its prose, what its cells printed) of a chapter."""
    path, = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    printed = [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return "\n\n".join(prose), "".join(printed)


def row(beginning):
    """What a line of the cheat sheet says to do."""
    return re.search(rf"^\| {re.escape(beginning)}[^|]* \| ([^|]*) \|", SHEET, re.MULTILINE)[1]


def test_the_deadline_rules_give_what_the_chapter_computes():
    _, printed = chapter("10")
    retries, timeout_s = map(int, re.search(r"Redis\(\) +retries: (\d+) .*? after (\d+) s", printed).groups())
    assert re.findall(r"\(([r\d +()]+)\) × timeout", row("a deadline")) == ["r + 1", "1 + r (r + 1)"]
    assert f"= {(retries + 1) * timeout_s} s, and the pauses" in printed
    assert f"= {(1 + retries * (retries + 1)) * timeout_s} s, and the pauses" in printed


def test_who_retries_and_how_often():
    _, printed = chapter("10")
    assert re.search(r"redis\.Redis\(\) +retries: 10 ", printed) and "up to ten times" in row("`redis.Redis()`")
    assert re.search(r"from_url\(…\) +retries: +0 ", printed) and row("`redis.Redis()`").endswith("`from_url(…)` never")


def test_the_pool_s_arithmetic_is_that_of_the_defaults():
    prose, _ = chapter("08")
    assert "eleven tries of 5 s" in prose and f"asks for {(10 + 1) * 5 * 200:,} connections, and the pool has 100" in prose


def test_a_read_of_the_server_is_as_long_everywhere():
    said = [chapter("04")[0], chapter("07")[0], QUESTIONS]
    assert [set(re.findall(r"(?:some|about) (\d+) KB", text)) for text in said] == [{"20"}] * 3
    _, printed = chapter("10")
    sent = int(re.search(r"^pipeline +1 +2,000 +([\d,]+)", printed, re.MULTILINE)[1].replace(",", ""))
    reads = int(re.search(r"^pipeline +~(\d+) +~\d+$", printed, re.MULTILINE)[1])
    assert 15_000 < sent / reads < 25_000


def test_what_monitor_costs():
    _, printed = chapter("12")
    alone, watched = map(float, re.search(r"a GET costs the server ([\d.]+) µs of CPU alone, ([\d.]+) µs watched",
                                          printed).groups())
    assert watched > 1.7 * alone and "twice the CPU or more" in QUESTIONS


def test_the_size_of_a_batch():
    prose, _ = chapter("03")
    assert "work takes ten times the RTT" in prose and "work ten times the RTT" in row("a large batch")
    assert "a megabyte or a few" in prose and "a few MB" in row("a large batch")


def test_the_least_hiredis():
    prose, _ = chapter("09")
    assert set(re.findall(r"\b3\.\d\b", prose + row("replies of hundreds"))) == {"3.2"}
