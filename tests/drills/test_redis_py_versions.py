"""The case about redis-py 8 shows what redis-py 6 and 7 do: asked of them, by its own functions."""

import ast
import json
import os
import subprocess
import sys

import environments
import nbformat
from helpers import ROOT

CASE = ROOT / "notebooks" / "cases" / "before_you_upgrade_to_redis_py_8.ipynb"
KEPT = CASE.with_name("redis_py_6_and_7.json")


def test_what_is_kept_of_6_and_7_is_what_they_do(monkeypatch):
    cells = [cell.source for cell in nbformat.read(CASE, 4).cells if cell.cell_type == "code"]
    functions = [
        ast.unparse(each)
        for cell in cells
        for each in ast.parse(cell).body
        if isinstance(each, ast.FunctionDef) and each.name in ("attempt", "seen")
    ]
    case, said = {}, {}
    monkeypatch.chdir(CASE.parent)
    for cell in cells[:3]:  # both servers are up then
        exec(cell, case)
    given = f"import json, redis\nplace, locked = {case['place']!r}, {case['locked']!r}"
    ask = "\n".join([given, *functions, "print(json.dumps(seen()))"])
    for version in "6.4.0", "7.4.1":
        environment = {**os.environ, "PYTHONPATH": str(environments.redis_py(version))}
        printed = subprocess.check_output([sys.executable, "-c", ask], env=environment, text=True)
        said[version[0]] = json.loads(printed)
    case["old"].stdin.close()
    assert case["old"].wait() == 0
    assert said == json.loads(KEPT.read_text(encoding="utf-8")), json.dumps(said, indent=1)
