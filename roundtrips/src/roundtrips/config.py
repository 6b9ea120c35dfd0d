"""Settings: the table [tool.roundtrips] of the nearest pyproject.toml, and what it ignores.

`ignore` holds kinds of finding, files (with * and ?) and functions in them: their findings are left
out, and they are not held to the ratchet. A comment `# roundtrips: ignore` on the line of a call
site leaves out its findings. Counts and budgets leave nothing out.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from .errors import RoundTripsError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .advice import Finding, Findings
    from .callsites import CallSite

COMMENT = "# roundtrips: ignore"


@dataclass(frozen=True)
class Settings:
    """What the table says; None, False or () where it says nothing. `folder` is where it stands."""

    max: int | None = None  # of the command: what the whole program may make
    max_waits: int | None = None
    max_setup: int | None = None  # round trips of setting connections up
    fail_on_findings: bool = False
    allow_uncounted: bool = False
    ratchet: str | None = None  # a file, named from the folder of the pyproject.toml
    ratchet_tolerance: str | int | None = None  # 2 or "10%": by how much a call site may grow
    no_keys: bool = False  # show no word of any key; see the module keys
    min_loop: int | None = None  # calls in a row from which a loop is a finding
    ignore: tuple[str, ...] = ()  # such as "loop", "app/legacy.py", "app/pages.py:show"
    programs: tuple[str, ...] = ()  # that the program starts and that don't speak to Redis
    folder: str = ""

    def ignores(self, site: CallSite, kind: str | None = None) -> bool:
        """Return whether `ignore` names this call site, or this kind of finding."""
        if not self.ignore:
            return False
        from fnmatch import fnmatch

        from .functions import function_at

        file, function = file_from(site.file, self.folder or os.getcwd()), function_at(site)
        names = {"", function, function.rsplit(".", 1)[-1]}
        places = (each.partition(":") for each in self.ignore)
        named = any(fnmatch(file, path) and function in names for path, _, function in places)
        return named or kind in self.ignore

    def kept(self, findings: Iterable[Finding]) -> Findings:
        """Return the findings that neither the table nor a comment ignores."""
        import linecache

        from .advice import Findings

        return Findings(
            each
            for each in findings
            if not self.ignores(each.site, each.kind)
            and COMMENT not in linecache.getline(each.site.file, each.site.line)
        )


current: Settings | None = None  # the command's, found before its program goes elsewhere


def settings(start: str | None = None) -> Settings:
    """Return the Settings for a folder (default: the current one): of the nearest pyproject.toml.

    Raises RoundTripsError for a table that can't be read, or holds something unknown.
    """
    if start is None and current is not None:
        return current
    folder, below = os.path.abspath(start or os.getcwd()), ""
    while folder != below:
        path = os.path.join(folder, "pyproject.toml")
        if os.path.isfile(path):
            return made_of(table_in(path), path)
        folder, below = os.path.dirname(folder), folder
    return Settings()


def table_in(path: str) -> dict[str, Any]:
    """Return [tool.roundtrips] of a pyproject.toml, or {}."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise RoundTripsError(f"{path} can't be read ({error}). Save it as UTF-8.") from None
    if "roundtrips" not in text:  # it may be broken otherwise: that is not ours to say
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        found = tomllib.loads(text).get("tool", {}).get("roundtrips", {})
    except (tomllib.TOMLDecodeError, AttributeError) as error:
        raise RoundTripsError(f"{path} is no TOML ({error}). Put that right.") from None
    return found if isinstance(found, dict) else {}


def made_of(table: dict[str, Any], path: str) -> Settings:
    types = {each.name: str(each.type) for each in fields(Settings) if each.name != "folder"}
    made: dict[str, Any] = {"folder": os.path.dirname(path)}
    for name, value in table.items():
        name = name.replace("-", "_")
        if name not in types:
            raise RoundTripsError(
                f"[tool.roundtrips] of {path} has {name!r}, which is unknown. Choose from "
                f"{', '.join(types)}."
            )
        kind, wanted = KINDS[types[name]]
        if not fits(value, wanted):
            raise RoundTripsError(
                f"{name} = {value!r} in [tool.roundtrips] of {path} is no {kind}. Write one."
            )
        made[name] = tuple(value) if isinstance(value, list) else value
    if "ratchet" in made:
        made["ratchet"] = os.path.join(made["folder"], made["ratchet"])
    return Settings(**made)


KINDS: dict[str, tuple[str, tuple[type, ...]]] = {  # of a setting's type
    "int | None": ("whole number of 0 or more", (int,)),
    "bool": ("true or false", (bool,)),
    "str | None": ("text", (str,)),
    "str | int | None": ('number or text such as "10%"', (str, int)),
    "tuple[str, ...]": ("list of texts", (list,)),
}


def fits(value: Any, wanted: tuple[type, ...]) -> bool:
    """Return whether a value of a TOML file is of these types, and not a negative number."""
    if isinstance(value, list):
        return list in wanted and all(isinstance(each, str) for each in value)
    # No isinstance: True is an int.
    return type(value) in wanted and (type(value) is not int or value >= 0)


def file_from(file: str, folder: str) -> str:
    """Return a file's name as it is on every machine.

    That is the way from the folder, or the last two parts where it lies elsewhere.
    """
    if file.startswith(folder + os.sep):
        file = os.path.relpath(file, folder)
    elif os.path.isabs(file):
        file = os.sep.join(file.split(os.sep)[-2:])
    return file.replace(os.sep, "/")
