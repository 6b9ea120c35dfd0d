"""The cases keep their form, and docs/symptoms.md quotes no error that nobody raised."""

import re

import pytest
import redis
from helpers import ROOT, wait_until
from roundtrips.advice import finding
from test_chapters import CASES, CHAPTERS, code, outputs, prose, read

import lab_utils as lab

PARTS = [
    "What you see",
    "What shows why",
    "What happens",
    "What to change",
    "The same run again",
    "Not this?",
]
SYMPTOMS = (ROOT / "docs" / "symptoms.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!you see)(.+?) \| \[.+\]\(.+\) \|$", SYMPTOMS, re.MULTILINE)


def ping(r, **changed):
    """Ask the server of a client, once, with other options."""
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
    "Unable to acquire lock within the time specified": lambda r: (
        r.set("k", 1) and r.lock("k", blocking=False).__enter__()
    ),
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
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == PARTS
    assert len(read(case).cells) <= 12 and len(text.split()) <= 700
    assert [cell.source for cell in code(case) if len(cell.source.splitlines()) > 15] == []
    happens, neighbours = (
        text.split(f"## {part}\n")[1].split("\n## ")[0].strip()
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


def test_a_finding_leads_to_a_case():
    for kind, case in finding.CASES.items():
        told = finding.in_lines(finding.Finding(kind, "", "", 0, None, ""))
        assert ROOT / case in CASES and f"see {case} of" in told


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
