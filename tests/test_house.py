"""The walls of lab_utils: which room may import which. CONTRIBUTING.md describes the rooms."""

import ast
import subprocess
import sys

import pytest
from helpers import ROOT

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
    """Return the room of lab_utils, a group of its modules, to which a module belongs.

    `parts` are the parts of the module's name, below lab_utils.
    """
    if parts[0] in WALLS:
        return parts[0]
    return FACE if parts[0] == "__init__" else GROUND


def imports(path):
    """Yield (room, whether inside a function, line number) for each of a module's imports.

    Only imports from lab_utils count, and a room is a group of its modules. `path` is the file.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(HOUSE).parent.parts
    inside = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        absolute = tops(node) & {"lab_utils", "chapter_helpers"}
        assert not absolute, f"{path}:{node.lineno}: import it as .name"
        if isinstance(node, ast.ImportFrom) and node.level:
            start = package[: len(package) - (node.level - 1)]
            for name in node.names:
                parts = [*start, *(node.module.split(".") if node.module else []), name.name]
                yield room_of(parts), id(node) in inside, node.lineno


def tops(node):
    """Return the first parts of the names of all packages that a node of a syntax tree imports."""
    names = []
    if isinstance(node, ast.ImportFrom) and not node.level:
        names = [node.module]
    elif isinstance(node, ast.Import):
        names = [name.name for name in node.names]
    return {name.split(".")[0] for name in names}


def test_imports_keep_the_walls():
    """A module imports only from its own room, a group of modules, and from those in WALLS."""
    for path in MODULES:
        own = room_of(path.relative_to(HOUSE).with_suffix("").parts)
        always, inside = WALLS[own]
        beyond = [
            f"{path}:{line}: {own} may not import {room}"
            for room, within, line in imports(path)
            if room not in (own, *always) and not (within and room in inside)
        ]
        assert beyond == []


PACKAGE = ROOT / "roundtrips" / "src" / "roundtrips"
GUESTS = {
    "pytest_plugin.py": {"pytest"},
    "pytest_run.py": {"pytest"},
    "config.py": {"tomli"},
    "integrations": {"django", "debug_toolbar"},
}


def test_roundtrips_needs_redis_alone():
    """The package imports nothing of the lab; a framework is imported only by the module for it."""
    for path in PACKAGE.rglob("*.py"):
        named = set().union(*map(tops, ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
        guests = GUESTS.get(path.relative_to(PACKAGE).parts[0], set())
        assert named - sys.stdlib_module_names - {"redis", "roundtrips"} <= guests, path


def test_each_room_is_within_its_budget():
    try:
        rows = sizes.table()
    except (OSError, subprocess.CalledProcessError):  # an image holds no .git
        pytest.skip("no git here to say which files are the lab's")
    beyond = [
        f"{room} has {now:,} statements, its budget is {budget:,}"
        for room, now, budget in rows
        if now > budget * sizes.TOLERANCE
    ]
    assert not beyond, beyond


def test_all_names_are_shown_before_any_helper_is_imported():
    program = (
        "import sys, lab_utils as lab\n"
        "assert not {'redis', 'matplotlib', 'lab_utils.testbed'} & sys.modules.keys()\n"
        "assert set(lab.__all__) <= set(dir(lab))\n"
        "lab.connect; assert 'matplotlib' not in sys.modules\n"
        "help(lab.count)"
    )
    said = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert said.startswith("Help on function count in module lab_utils.counting.cost")
