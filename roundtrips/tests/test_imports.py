"""The package's modules lie in layers: imports stand at the top of files, and point downwards."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import roundtrips

PACKAGE = Path(roundtrips.__file__).parent
# `import roundtrips` loads nothing of weight: what it names is loaded when it is asked for.
LAZY = {"roundtrips"}


def name_of(path):
    """Return the name of a file's module, such as 'roundtrips.report.text'."""
    parts = ["roundtrips", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported_by(module):
    """Yield the names of the package's modules that `module` imports, at its top or in a function.

    `module` is a name too, such as 'roundtrips.report.text'.
    """
    path = MODULES[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in MODULES)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(
                [*(above if node.level else []), *([node.module] if node.module else [])]
            )
            inner = [f"{base}.{each.name}" for each in node.names]
            yield from (each for each in inner if each in MODULES)
            if base in MODULES and not all(each in MODULES for each in inner):
                yield base


def test_there_is_no_circle():
    graph = {module: set(imported_by(module)) - {module, *LAZY} for module in MODULES.keys() - LAZY}
    assert sum(map(len, graph.values())) > 100
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("roundtrips.blocks") < order.index("roundtrips.cli")


@pytest.mark.parametrize("module", MODULES)
def test_no_import_stands_in_a_function(module):
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    inside = [each for function in functions for each in ast.walk(function)]
    assert not [each for each in inside if isinstance(each, (ast.Import, ast.ImportFrom))]
