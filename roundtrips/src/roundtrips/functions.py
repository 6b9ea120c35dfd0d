"""Which function a line stands in, as the source says it: the same on every Python.

A frame's name is not: Python 3.10 knows no qualified names, and until 3.11 a list comprehension is
a function of its own.
"""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .callsites import CallSite

MODULE = "<module>"


def function_at(site: CallSite) -> str:
    """Return 'View.show' or '<module>'; where the source can't be read, the frame's name."""
    found = MODULE
    for first, last, name in functions_in(site.file) or ((0, site.line, site.function),):
        if first <= site.line <= last:
            found = name  # the inner ones come after those that they stand in
    return found


@functools.cache
def functions_in(file: str) -> tuple[tuple[int, int, str], ...]:
    """Return (first line, last line, name) of a file and its functions; () if it has no source."""
    lines = linecache.getlines(file)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return ((1, len(lines), MODULE), *functions_of(tree, "")) if lines else ()


def functions_of(node: ast.AST, above: str) -> Iterator[tuple[int, int, str]]:
    for each in ast.iter_child_nodes(node):
        inside = above
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = above + each.name
            if isinstance(each, ast.ClassDef):
                inside = f"{name}."
            else:
                inside = f"{name}.<locals>."
                yield each.lineno, each.end_lineno or each.lineno, name
        yield from functions_of(each, inside)
