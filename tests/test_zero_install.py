"""An editor's container, and Binder: both lay the copies, and open chapter 00 with no start."""

import json
import os
import re
import shutil
import subprocess
import sys

from helpers import ROOT

CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
BINDER = ROOT / ".binder"


def test_the_editors_container_is_the_labs_image_without_the_lab():
    build, folder = CONTAINER["build"], ROOT / ".devcontainer"
    dockerfile = (folder / build["dockerfile"]).resolve()
    assert dockerfile == ROOT / "Dockerfile" and (folder / build["context"]).resolve() == ROOT
    assert f" AS {build['target']}\n" in dockerfile.read_text(encoding="utf-8")
    assert CONTAINER["remoteUser"] == "learner"


def test_the_editor_opens_a_copy_of_chapter_00_that_its_command_lays(tmp_path):
    for name in ("tools", "notebooks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    install, lay = CONTAINER["updateContentCommand"].split(" && ")
    assert install == "make learner" and lay.startswith(".venv/bin/python ")
    subprocess.run(
        [sys.executable, *lay.split()[1:]],
        cwd=tmp_path,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "LAB_WORK"},
    )
    [opened] = CONTAINER["customizations"]["codespaces"]["openFiles"]
    assert (tmp_path / opened).is_file() and opened.endswith("00_start_here.ipynb")
    settings = CONTAINER["customizations"]["vscode"]["settings"]
    python = "${containerWorkspaceFolder}/.venv/bin/python"
    assert settings["python.defaultInterpreterPath"] == python


def test_binder_lays_the_copies_and_starts_with_the_labs_settings(tmp_path):
    for name in ("tools", "notebooks", ".jupyter", ".binder"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    environment = {
        "PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    subprocess.run([tmp_path / ".binder" / "postBuild"], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "work" / "00_start_here.ipynb").is_file()
    show = (
        "from os import environ as own; import sys\n"
        "print(own['JUPYTER_CONFIG_PATH'], own['PYTHONUTF8'], sys.argv[1])"
    )
    said = subprocess.run(
        [tmp_path / ".binder" / "start", "python", "-c", show, "two words"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert said == f"{tmp_path / '.jupyter'} 1 two words\n"


def test_binder_installs_what_a_learner_has():
    named = (BINDER / "requirements.txt").read_text(encoding="utf-8")
    assert named.split() == ["-r", "../requirements.txt"]
    python = (BINDER / "runtime.txt").read_text(encoding="utf-8")
    assert re.fullmatch(r"python-3\.1[1-4]\n", python)
