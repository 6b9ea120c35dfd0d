"""The walls of lab_utils: which room may import which. CONTRIBUTING.md describes the rooms."""

import ast
import subprocess
import sys

import pytest
from helpers import ROOT

import lab_utils as lab
from tools import sizes

HOUSE = ROOT / "lab_utils"
GROUND, FACE = "ground", "face"
# What a room may import besides itself; and what only where it is used, inside a function.
WALLS = {
    GROUND: ((), ()),
    "figures": ((GROUND,), ()),
    "testbed": ((GROUND,), ()),
    "counting": ((GROUND, "testbed"), ("figures",)),
    "timing": ((GROUND, "testbed", "counting"), ("figures",)),
    "course": ((GROUND, "testbed", "counting", "timing", "figures"), ()),
    FACE: ((GROUND, "testbed", "counting", "timing", "figures", "course"), ()),
}
MODULES = sorted(HOUSE.rglob("*.py"))


def room_of(parts):
    """The room of a module below lab_utils, by the parts of its name."""
    if parts[0] in WALLS:
        return parts[0]
    return FACE if parts[0] in ("face", "__init__") else GROUND


def imports(path):
    """(room, whether inside a function, line) of all that a module imports from the house."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(HOUSE).parent.parts
    functions = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - (node.level - 1)]
            for name in node.names:
                parts = [*start, *(node.module.split(".") if node.module else []), name.name]
                yield room_of(parts), id(node) in inside, node.lineno
        else:
            absolute = tops(node) & {"lab_utils", "chapter_helpers"}
            assert not absolute, f"{path}:{node.lineno}: import it as .name"


def tops(node):
    """The packages that a node of a syntax tree imports by their whole names."""
    names = []
    if isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module]
    elif isinstance(node, ast.Import):
        names = [name.name for name in node.names]
    return {name.split(".")[0] for name in names}


def test_imports_keep_the_walls():
    """WALLS says what a room may import."""
    for path in MODULES:
        own = room_of(path.relative_to(HOUSE).with_suffix("").parts)
        always, inside = WALLS[own]
        beyond = [
            f"{path}:{line}: {own} may not import {room}"
            for room, within, line in imports(path)
            if room not in (own, *always) and not (within and room in inside)
        ]
        assert beyond == []


def test_a_wall_that_is_broken_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr("test_house.HOUSE", tmp_path)
    (tmp_path / "figures").mkdir()
    path = tmp_path / "figures" / "rain.py"
    path.write_text(
        "from ..words import counted\nfrom .. import calm\n"
        "from ..timing.ratio import ratio\n\n\n"
        "def draw():\n    from ..counting import cost\n\n\n"
        "class Drop:\n    from ..course import state\n"
    )
    assert sorted(set(imports(path))) == [
        ("counting", True, 7),
        ("course", False, 11),
        (GROUND, False, 1),
        (GROUND, False, 2),
        ("timing", False, 3),
    ]


PACKAGE = ROOT / "roundtrips" / "src" / "roundtrips"
GUESTS = {
    "pytest_plugin.py": {"pytest"},
    "pytest_run.py": {"pytest"},
    "config.py": {"tomli"},
    "integrations": {"django", "debug_toolbar", "opentelemetry"},
}


def test_roundtrips_needs_redis_alone():
    """And nothing of the lab; what it is a guest of is imported in the module that is for it."""
    for path in PACKAGE.rglob("*.py"):
        named = set().union(*map(tops, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
        guests = GUESTS.get(path.relative_to(PACKAGE).parts[0], set())
        assert named - sys.stdlib_module_names - {"redis", "roundtrips"} <= guests, path


def test_no_module_has_the_name_of_a_helper():
    assert [str(path.relative_to(HOUSE)) for path in MODULES if path.stem in lab.__all__] == []


def test_no_room_grows_past_its_bar():
    """`make sizes` prints the table; tools/sizes.py says how a bar moves."""
    try:
        rows = sizes.table()
    except (OSError, subprocess.CalledProcessError):  # an image holds no .git
        pytest.skip("no git here to say which files are the lab's")
    beyond = [
        f"{room} is {now - bar:,} lines over its bar" for room, now, bar, _ in rows if now > bar
    ]
    assert not beyond, f"{'; '.join(beyond)}. {sizes.WAY_OUT}"
    assert all(bar >= budget for _, _, bar, budget in rows) and len(rows) == len(sizes.BUDGETS)


def test_bars_are_lowered_and_never_raised():
    rows = [("shrunk", 60, 90, 50), ("within", 40, 90, 50), ("grown", 100, 90, 50)]
    assert sizes.accepted(rows) == {"shrunk": 60, "within": 50, "grown": 90}
