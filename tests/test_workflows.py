"""The workflows: valid, pinned, with few rights, and naming what is there."""

import os
import re
import subprocess

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
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False


def test_what_the_steps_run_is_shell_and_names_targets_that_are_there():
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8")))
    for step in STEPS:
        if script := re.sub(r"\$\{\{.*?\}\}", "x", step.get("run", "")):
            assert subprocess.run(["bash", "-n"], input=script, text=True).returncode == 0, script
            assert set(re.findall(r"(?m)^\s*make ([a-z]+)", script)) <= targets
            named = re.findall(r"(?:python|^) ?(tools/\S+\.py|\.github/\S+)", script)
            assert all((ROOT / path).is_file() for path in named)


@pytest.mark.parametrize("target", ["test", "drills"])
def test_make_writes_the_report_that_is_kept(target):
    own = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "JUNIT"))
    }

    def said(*options):
        return subprocess.run(
            ["make", "-n", target, *options], cwd=ROOT, env=own, capture_output=True, text=True
        ).stdout

    assert f'--junitxml="my reports/{target}.xml"' in said("JUNIT=my reports")
    assert "pytest" in said() and "junitxml" not in said()


PINNED = (
    "requirements.txt",
    "requirements/room.txt",
    "requirements/dev.txt",
    "roundtrips/tests/requirements.txt",
)


def test_the_newest_packages_are_those_without_a_pin(tmp_path):
    [job] = WORKFLOWS["newest"]["jobs"].values()
    [step] = [step for step in job["steps"] if step.get("run", "").startswith("sed")]
    for folder in ("requirements", "roundtrips/tests"):
        (tmp_path / folder).mkdir(parents=True)
    for name in PINNED:
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    script = step["run"].replace("sed -i -E", "sed -i.old -E")  # as macOS wants it
    subprocess.run(["sh", "-c", script], cwd=tmp_path, check=True)
    for name in PINNED:
        before, after = ((folder / name).read_text(encoding="utf-8") for folder in (ROOT, tmp_path))
        assert "==" in before and not re.search(r"==[0-9]", after)
        comments = [[line.split("#")[1:] for line in text.splitlines()] for text in (before, after)]
        assert comments[0] == comments[1]
    for option in job["env"]["PYTEST_ADDOPTS"].split():
        path, test = option.removeprefix("--deselect=").split("::")
        assert f"def {test}(" in (ROOT / path).read_text(encoding="utf-8")


@pytest.mark.parametrize("open_issue, done", [("17", "comment 17"), ("", "create")])
def test_an_issue_is_opened_once(tmp_path, open_issue, done):
    (tmp_path / "gh").write_text(
        f'#!/bin/sh\necho "$@" >> "{tmp_path}/told"\n'
        f'[ "$2" = list ] && echo "{open_issue}"\nexit 0\n',
        encoding="utf-8",
    )
    (tmp_path / "gh").chmod(0o755)
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_REPOSITORY": "somebody/lab",
    }
    subprocess.run([FOLDER / "issue", "It fails", "summary.md"], env=environment, check=True)
    last = (tmp_path / "told").read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith(f"issue {done}") and last.endswith("--body-file summary.md")
    assert "--repo somebody/lab" in last
