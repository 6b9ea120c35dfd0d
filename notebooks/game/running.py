"""Run a program, or a test, as one does in a terminal: in a process of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .data import address

HERE = Path(__file__).resolve().parent


def run(r, *words, folder=HERE.parent, **settings):
    """Run `python words…` with r's server as GAME_REDIS; return a CompletedProcess of texts."""
    environment = {**os.environ, "GAME_REDIS": address(r), **settings}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def run_test(r, test, edit=("", "")):
    """Run pytest on a copy of the game, with `edit` (old, new) in mended.py; return what failed."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(HERE, Path(folder, "game"))
        mended = Path(folder, "game", "mended.py")
        text = mended.read_text(encoding="utf-8")
        if edit[0] not in text:
            raise ValueError(f"mended.py does not say {edit[0]!r}.")
        mended.write_text(text.replace(*edit), encoding="utf-8")
        Path(folder, "test_page.py").write_text(test, encoding="utf-8")
        done = run(
            r,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--color=no",
            "--tb=short",
            "test_page.py",
            folder=folder,
            PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        )  # Jupyter's take seconds to import
    lines = (done.stdout + done.stderr).strip().splitlines()
    said = [line for line in lines if line.startswith("E ")]
    return "\n".join([*said, lines[-1].split(" in ")[0]])
