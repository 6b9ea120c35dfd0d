"""What contributors find: issue forms, and the cheat sheet as it is printed."""

import re

import yaml
from helpers import ROOT
from schemas import follow

from tools import cheat_sheet

GITHUB = ROOT / ".github"
FORMS = sorted(
    path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"
)
MAPPED = re.compile(r"^\| \[(\d\d .*?)\]\(notebooks/", re.MULTILINE)


def fields(form):
    body = yaml.safe_load(form.read_text(encoding="utf-8"))["body"]
    return {field["id"]: field for field in body if "id" in field}


def test_forms_and_their_configuration_follow_github_and_a_form_asks_where():
    follow("github-issue-forms", *FORMS)
    follow("github-issue-config", GITHUB / "ISSUE_TEMPLATE" / "config.yml")
    assert all("chapter" in fields(form) for form in FORMS)


def test_what_may_be_the_machine_s_asks_for_the_doctor():
    for name in "wrong", "came_out_differently":
        doctor = fields(GITHUB / "ISSUE_TEMPLATE" / f"{name}.yml")["doctor"]
        assert "make doctor" in doctor["attributes"]["label"] and doctor["validations"]["required"]


def test_the_form_knows_every_chapter():
    options = fields(GITHUB / "ISSUE_TEMPLATE" / "wrong.yml")["chapter"]["attributes"]["options"]
    mapped = MAPPED.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert mapped and [option for option in options if re.match(r"\d\d ", option)] == mapped


# The cheat sheet


def test_every_line_of_the_cheat_sheet_has_its_chapter():
    """That the sections are there is asked of every page, by test_links.py."""
    text = cheat_sheet.TEXT.read_text(encoding="utf-8")
    lines = [
        line
        for line in text.splitlines()
        if line.startswith("|") and not line.startswith(("|---", "| you have |"))
    ]
    assert len(lines) > 20
    chapter = r"\| \[(\d\d)\]\(\.\./notebooks/\1_\w+\.ipynb#\S+\) \|$"
    assert [line for line in lines if not re.search(chapter, line)] == []


def test_it_is_printed_as_it_is_written_on_one_page():
    printed = cheat_sheet.PRINTED.read_bytes()
    title = cheat_sheet.title(cheat_sheet.TEXT.read_text(encoding="utf-8"))
    assert f"/Title ({title})".encode() in printed, "it changed: print it again with `make sheet`"
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
