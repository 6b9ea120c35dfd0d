"""The workflows: valid, pinned, with few rights, and naming what is there."""

import re

import pytest
import yaml
from helpers import ROOT
from schemas import follow

FOLDER = ROOT / ".github"
FILES = sorted((FOLDER / "workflows").glob("*.yml"))
ACTIONS = sorted((FOLDER / "actions").glob("*/action.yml"))
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in FILES}
STEPS = [
    step
    for workflow in WORKFLOWS.values()
    for job in workflow["jobs"].values()
    for step in job["steps"]
]
STEPS += [
    step
    for path in ACTIONS
    for step in yaml.safe_load(path.read_text(encoding="utf-8"))["runs"]["steps"]
]

MORE = {("contents", "read"), ("issues", "write"), ("pages", "write"), ("id-token", "write")}


def test_they_follow_the_specification():
    follow("github-workflows", *FILES)
    follow("github-actions", *ACTIONS)


def test_actions_are_named_by_commit_and_say_which_version_that_is():
    for path in [*FILES, *ACTIONS]:
        for named, comment in re.findall(r"uses: (\S+)(.*)", path.read_text(encoding="utf-8")):
            if named.startswith("./"):
                assert (ROOT / named / "action.yml").is_file()
            else:
                assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", named)
                assert re.fullmatch(r"  # v\d+\.\d+\.\d+", comment), named


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
def test_a_workflow_may_read_and_a_job_says_what_else_it_may(workflow):
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= 60
        assert set(job.get("permissions", {}).items()) <= MORE


def test_a_checkout_keeps_no_token():
    checkouts = [step for step in STEPS if step.get("uses", "").startswith("actions/checkout")]
    assert {step["with"]["persist-credentials"] for step in checkouts} == {False}


def test_the_steps_run_targets_and_files_that_are_there():
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    script = "\n".join(step.get("run", "") for step in STEPS)
    asked = set(re.findall(r"(?m)^\s*make ([a-z]+)", script))
    assert {"test", "drills", "nightly", "book"} <= asked <= targets
    assert all((ROOT / path).is_file() for path in re.findall(r"\.github/\w+", script))
