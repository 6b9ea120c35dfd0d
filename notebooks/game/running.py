"""Run a program or a test in a process of its own, as in a terminal."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .data import address

HERE = Path(__file__).resolve().parent


def run(r, *words: str, folder: Path = HERE.parent, **settings) -> subprocess.CompletedProcess:
    """Run `python` with the arguments `words` in `folder`, and wait until it ends.

    Returns a subprocess.CompletedProcess with its output as text. The environment variable
    GAME_REDIS gets the URL of the server of `r`, a redis.Redis; `settings` are further variables.
    """
    environment = {**os.environ, "GAME_REDIS": address(r), **settings}
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def run_test(r, test: str, edit: tuple[str, str] = ("", "")) -> str:
    """Run a pytest file on a copy of the game; return pytest's error lines and summary as one text.

    `r` is a redis.Redis of the game's server, `test` the text of the file. `edit` is (old, new), a
    replacement of text in the copy of mended.py. Raises ValueError if mended.py does not contain
    `old`.
    """
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
