"""The cases keep their form, and docs/symptoms.md quotes no error that nobody raised."""

import re
from urllib.parse import unquote

import pytest
import redis
from helpers import ROOT, wait_until
from test_chapters import CASES, CHAPTERS, code, outputs, prose, read

import lab_utils as lab
from tools import field_guide

PARTS = [
    "What you see",
    "What shows why",
    "What happens",
    "What to change",
    "The same run again",
    "Not this?",
]
# What NAME sends: all of one form, so that one finds the same in each.
OF_A_LIBRARY = [
    "What each call sends",
    "What it holds, and sends when idle",
    "What happens when it is cut off, or the server stands still",
    "What to change",
    "Not this?",
]
GUIDE = [case for case in CASES if re.fullmatch(r"what_\w+_sends", case.stem)]
SYMPTOMS = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!you see)(.+?) \| \[.+\]\(.+\) \|$", SYMPTOMS, re.MULTILINE)
# Sections that answer nobody's symptom: how a chapter begins, what it is about, how it is used.
NO_SYMPTOM = {
    "00_start_here": r".*",
    "01_round_trips": r"Who is slow\?|What is a round trip\?|What do three .*|Eight PINGs, .*",
    "02_on_the_wire": r"What do three SETs .*|Who cuts the pieces\?",
    "03_loops_pipelines_mset": r"Thirty values, .*|A study across availability zones, .*",
    "05_keys_and_hashes": r"Why did the article see no difference\?",
    "13_other_benchmarks": r"100 PINGs: .*|10,000 writes: .*|How exact is a solved .*",
    "14_scoreboard": r".*",
}
IN_EACH = r"Exercise \d.*|In practice|Next|Deeper|Claims? .*|The claim .*|Who says so\?"


def headings(chapter):
    """Return the headings of the sections in a chapter's texts, without comments in code blocks.

    `chapter` is the Path of the notebook.
    """
    return re.findall(r"^##+ (.*)$", re.sub(r"(?ms)^```.*?^```", "", prose(chapter)), re.MULTILINE)


def ping(r, **changed):
    """Send PING to the server of `r`, a redis.Redis, by a new client with the options `changed`."""
    at = {name: r.get_connection_kwargs()[name] for name in ("host", "port", "password")}
    return redis.Redis(**at | changed, retry=None).ping()


RAISED = {  # what no chapter shows: what raises it
    "Connection refused": lambda r: ping(r, port=1),
    "invalid username-password pair or user is disabled.": lambda r: ping(r, password="no"),
    "HELLO must be called with the client already authenticated": lambda r: ping(r, password=None),
    "WRONGTYPE Operation against a key holding the wrong kind of value": lambda r: (
        r.set("k", 1) and r.lpush("k", 1)
    ),
    "unknown command 'SETT'": lambda r: r.execute_command("SETT", "k"),
    "No matching script.": lambda r: r.evalsha("0" * 40, 0),
    "Cannot release a lock that's not owned or is already unlocked.": lambda r: r.lock(
        "free"
    ).release(),
    "currently unable to persist to disk": lambda r: (
        (ROOT / r.config_get("dir")["dir"] / "dump.rdb").mkdir(),
        r.config_set("save", "3600 1"),
        r.bgsave(),
        wait_until(lambda: r.info("persistence")["rdb_last_bgsave_status"] == "err"),
        r.set("k", 1),
    ),
    "Hash slot not served": lambda r: lab.spare("cluster-enabled yes").get("k"),
}


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_it_is_short_has_its_six_parts_and_shows_its_error(case):
    first, text = read(case).cells[0].source, prose(case)
    parts = OF_A_LIBRARY if case in GUIDE else PARTS
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == parts
    assert len(read(case).cells) <= 12 and len(text.split()) <= 700
    assert [cell.source for cell in code(case) if len(cell.source.splitlines()) > 15] == []
    happens, neighbours = (
        text.partition(f"## {part}\n")[2].split("\n## ")[0].strip()
        for part in ("What happens", "Not this?")
    )
    assert len(re.findall(r"[.!?]\**(?:\s|$)", happens)) <= 3
    assert len(re.findall(r"^- .+\]\(", neighbours, re.MULTILINE)) == 2
    assert re.search(r"https://github\.com/\S+/issues/\d+", first)
    assert f"(../notebooks/cases/{case.name})" in SYMPTOMS
    shown = "\n".join(text for _, _, text in outputs(case))
    assert [
        error
        for error in re.findall(r"`(?:redis\.exceptions\.)?\w*Error: ([^`]+)`", first)
        if error not in shown
    ] == []


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_each_section_is_where_a_symptom_leads_or_needs_none(chapter):
    """Whoever adds a section adds its row to docs/symptoms.md, or its heading to NO_SYMPTOM."""
    linked = {
        unquote(anchor) for anchor in re.findall(rf"/{chapter.name}#(\S+)\) \|$", SYMPTOMS, re.M)
    }
    passed_over = f"{IN_EACH}|{NO_SYMPTOM.get(chapter.stem, '')}"
    sections = {heading.replace("`", "") for heading in headings(chapter)}
    unlinked = {name for name in sections if name.replace(" ", "-") not in linked}
    assert {name for name in unlinked if not re.fullmatch(passed_over, name)} == set()


@pytest.mark.parametrize("case", GUIDE, ids=lambda path: path.stem)
def test_a_page_of_the_field_guide_tells_of_calls_connections_and_idleness(case):
    """Each page prints the tables that a tool puts side by side, under their names in TABLES."""
    assert {table for table, _, _ in field_guide.printed(read(case))} == set(field_guide.TABLES)


def test_the_field_guide_is_what_its_tool_makes_of_the_committed_outputs():
    assert field_guide.PAGE.read_text(encoding="utf-8") == field_guide.page(field_guide.CASES)


def test_what_no_chapter_shows_is_raised_by_a_server():
    r = lab.spare()
    for text, call in RAISED.items():
        with pytest.raises(redis.RedisError, match=re.escape(text)):
            call(r)


def test_every_error_that_a_symptom_begins_with_was_raised():
    shown = "\n".join(text for path in CHAPTERS + CASES for _, _, text in outputs(path))
    quoted = [row.split("`")[1] for row in ROWS if row.startswith("`")]
    assert len(ROWS) >= 80 and len(quoted) > 30
    assert [text for text in quoted if text not in shown and text not in "\n".join(RAISED)] == []
