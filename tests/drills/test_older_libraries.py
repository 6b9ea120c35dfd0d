"""What the field guide tells of older versions, asked of them by the cases' own first cells."""

import json
import os
import re
import subprocess
import sys

import environments
import nbformat
import pytest

from tools.field_guide import CASES, OLDER

KEPT = json.loads(OLDER.read_text(encoding="utf-8"))


@pytest.mark.parametrize("version", KEPT)
def test_what_is_kept_is_what_the_older_version_sends(version):
    def install(folder):
        environments.pip("install", "--target", folder, *KEPT[version]["packages"])

    notebook = nbformat.read(CASES / f"{KEPT[version]['case']}.ipynb", 4)
    setup, table = [cell.source for cell in notebook.cells if cell.cell_type == "code"][:2]
    folder = environments.kept(version.replace(" ", "-").lower(), install)
    printed = subprocess.check_output(
        [sys.executable, "-c", f"{setup}\n{table}"],
        cwd=CASES,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{CASES}"},
        text=True,
        timeout=120,
    )
    assert facts(printed.splitlines()) == facts(KEPT[version]["printed"])


def facts(lines):
    return [re.sub(r" *~\d+", " ~", line) for line in lines]
