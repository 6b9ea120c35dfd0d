"""A number of a chapter is the same in the cheat sheet and in the workshop kit."""

import re

from helpers import ROOT
from test_chapters import CHAPTERS, outputs, prose

SHEET = (ROOT / "docs" / "cheat_sheet.md").read_text(encoding="utf-8")
QUESTIONS = (ROOT / "docs" / "workshop" / "questions.md").read_text(encoding="utf-8")


def chapter(number):
    """(its prose, what its cells printed) of a chapter."""
    [path] = (path for path in CHAPTERS if path.name.startswith(number))
    return prose(path), "".join(output.get("text", "") for _, output, _ in outputs(path))


def row(beginning):
    """What a line of the cheat sheet says to do."""
    return re.search(rf"^\| {re.escape(beginning)}[^|]* \| ([^|]*) \|", SHEET, re.MULTILINE)[1]


def test_the_deadline_rules_give_what_the_chapter_computes_and_so_does_who_retries():
    _, printed = chapter("10")
    said = re.search(r"Redis\(\) +retries: (\d+) .*? after (\d+) s", printed)
    retries, timeout_s = map(int, said.groups())
    rules = re.findall(r"\(([r\d +()]+)\) × timeout", row("a deadline"))
    assert rules == ["r + 1", "1 + r (r + 1)"]
    assert f"= {(retries + 1) * timeout_s} s, and the pauses" in printed
    assert f"= {(1 + retries * (retries + 1)) * timeout_s} s, and the pauses" in printed
    told = row("`redis.Redis()`")
    assert re.search(r"redis\.Redis\(\) +retries: 10 ", printed) and "up to ten times" in told
    assert re.search(r"from_url\(…\) +retries: +0 ", printed)
    assert told.endswith("`from_url(…)` never")


def test_the_pool_s_arithmetic_is_that_of_the_defaults():
    said, _ = chapter("08")
    assert "eleven tries of 5 s" in said
    assert f"asks for {(10 + 1) * 5 * 200:,} connections, and the pool has 100" in said


def test_a_read_of_the_server_is_as_long_everywhere():
    said = [chapter("04")[0], chapter("07")[0], QUESTIONS]
    assert [set(re.findall(r"(?:some|about) (\d+) KB", text)) for text in said] == [{"20"}] * 3
    _, printed = chapter("10")
    sent = re.search(r"^pipeline +1 +2,000 +([\d,]+)", printed, re.MULTILINE)[1]
    reads = int(re.search(r"^pipeline +~(\d+) +~\d+$", printed, re.MULTILINE)[1])
    assert 15_000 < int(sent.replace(",", "")) / reads < 25_000


def test_what_monitor_costs():
    _, printed = chapter("12")
    said = re.search(
        r"a GET costs the server ([\d.]+) µs of CPU alone, ([\d.]+) µs watched", printed
    )
    alone, watched = map(float, said.groups())
    assert watched > 1.7 * alone and "twice the CPU or more" in QUESTIONS


def test_the_size_of_a_batch():
    said, told = chapter("03")[0], row("a large batch")
    assert "work takes ten times the RTT" in said and "work ten times the RTT" in told
    assert "a megabyte or a few" in said and "a few MB" in told


def test_the_least_hiredis():
    said = chapter("09")[0] + row("replies of hundreds")
    assert set(re.findall(r"\b3\.\d\b", said)) == {"3.2"}
