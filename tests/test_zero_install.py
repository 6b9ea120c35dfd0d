"""An editor's container lays the copies, and opens chapter 00 with no start."""

import json
import os
import shutil
import subprocess
import sys

from helpers import ROOT

CONTAINER = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text(encoding="utf-8"))
CHAPTER = "work/00_start_here.ipynb"


def test_the_editors_container_is_the_labs_image_and_opens_a_copy_that_it_lays(tmp_path):
    build = CONTAINER["build"]
    assert build["dockerfile"] == "../Dockerfile" and build["context"] == ".."
    assert f" AS {build['target']}\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
    install, lay = CONTAINER["updateContentCommand"].split(" && ")
    assert install == "make learner"
    for name in ("tools", "notebooks", ".jupyter"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    own = {"PATH": f"{python.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    subprocess.run(lay, shell=True, cwd=tmp_path, env=own, check=True)
    assert CONTAINER["customizations"]["codespaces"]["openFiles"] == [CHAPTER]
    assert (tmp_path / CHAPTER).is_file()
    modules = ("chapter_helpers/lock.py", "game/page.py", "cases/field_guide.py")
    assert all((tmp_path / "work" / name).is_file() for name in modules)
