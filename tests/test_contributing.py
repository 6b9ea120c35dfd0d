"""What contributors find: their guide, issue forms, and the cheat sheet."""

import re

import yaml
from helpers import ROOT
from schemas import follow

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


def test_the_form_knows_every_chapter():
    options = fields(GITHUB / "ISSUE_TEMPLATE" / "wrong.yml")["chapter"]["attributes"]["options"]
    mapped = MAPPED.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert mapped and [option for option in options if re.match(r"\d\d ", option)] == sorted(mapped)


def test_every_line_of_the_cheat_sheet_has_its_chapter():
    # That the sections exist is checked for every page, by test_links.py.
    text = (ROOT / "docs" / "cheat_sheet.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\|(?!---| you have).*", text)
    chapter = r"\| \[(\d\d)\]\(\.\./notebooks/\1_\w+\.ipynb#\S+\) \|$"
    assert len(rows) > 20
    assert [row for row in rows if not re.search(chapter, row)] == []


def test_the_guide_is_short_and_names_what_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    assert set(re.findall(r"`make ([a-z]+)", text)) <= targets
    paths = re.findall(
        r"`((?:lab_utils|notebooks|exercises|claims|tests|tools|docs|book|room|bench|requirements)"
        r"/[\w./]*)",
        text,
    )
    named = [path for path in paths if not re.search("NN_name|NAME|its_symptom", path)]
    assert named and [path for path in named if not (ROOT / path).exists()] == []
