"""Read the settings: the table [tool.roundtrips] of the nearest pyproject.toml.

`ignore` lists kinds of finding, files (with * and ?) and functions in them: their findings are left
out, and they are not held to the ratchet. A comment `# roundtrips: ignore` on the line of a call
site leaves out the findings of that line. Counts and budgets leave nothing out.
"""

# `made_of` reads the types of Settings as texts.
from __future__ import annotations

import functools
import os
import sys
from dataclasses import dataclass, fields
from typing import Any

import roundtrips

from .callsites import CallSite
from .errors import RoundTripsError
from .ownership import file_from, is_listed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COMMENT = "# roundtrips: ignore"


@dataclass(frozen=True)
class Settings:
    """The settings in the table [tool.roundtrips]; one that the table lacks is None, False or ().

    `folder` is the path of the folder with the pyproject.toml.
    """

    max: int | None = None  # of the command: what the whole program may make
    waits: int | None = None
    setup: int | None = None  # round trips of setting connections up
    allow_uncounted: bool = False
    ratchet: str | None = None  # a file, named from the folder of the pyproject.toml
    ratchet_tolerance: str | int | None = None  # 2 or "10%": by how much a call site may grow
    no_keys: bool = False  # show no word of any key; see the module keys
    min_loop: int | None = None  # calls in a row from which a loop is a finding
    ignore: tuple[str, ...] = ()  # such as "loop", "app/legacy.py", "app/pages.py:show"
    programs: tuple[str, ...] = ()  # that the program starts and that don't speak to Redis
    own: tuple[str, ...] = ()  # installed packages that are your own, and no libraries
    helpers: tuple[str, ...] = ()  # packages, files, "file.py:function": their callers are shown
    ignore_threads: tuple[str, ...] = ()  # threads, and tasks' functions, that are nobody's
    folder: str = ""

    def ignores(self, site: CallSite, kind: str | None = None) -> bool:
        """Return whether the setting `ignore` names this call site, or this kind of finding.

        `kind` is the `kind` of a Finding, such as "loop"; with None only the call site is looked
        up.
        """
        if not self.ignore:
            return False
        if kind in self.ignore:
            return True
        file = file_from(site.file, self.folder or os.getcwd())
        return is_listed(self.ignore, file, site.outer)


current: Settings | None = None  # the command's, found before its program goes elsewhere


def settings(start: str | None = None) -> Settings:
    """Return the Settings of the pyproject.toml nearest to the folder `start`.

    Folders above it are searched too; without any such file the default Settings are returned. If
    `start` is None, the Settings that the command `roundtrips` has read are returned, or else
    `start` is the current folder. Raises RoundTripsError for a table that can't be read, or that
    has an unknown setting.
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


@functools.cache
def settings_of_process() -> Settings:
    """Return the Settings that apply to all counting blocks of this process; they are read once.

    If the table [tool.roundtrips] can't be read, these are the default Settings.
    """
    try:
        return current or settings(roundtrips.folder or None)
    except RoundTripsError:  # the command and the plugin say what is wrong with the table
        return Settings()


def table_in(path: str) -> dict[str, Any]:
    """Return the table [tool.roundtrips] of the pyproject.toml at `path`; {} if there is none.

    Raises RoundTripsError for a file that can't be read, or that is no TOML.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise RoundTripsError(f"{path} can't be read ({error}). Save it as UTF-8.") from None
    if "roundtrips" not in text:  # it may be broken otherwise: that is not ours to say
        return {}
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
        if not fits(value, types[name]):
            raise RoundTripsError(
                f"{name} = {value!r} in [tool.roundtrips] of {path} is of a wrong type. Write "
                f"something like {name} = {EXAMPLES[types[name]]}."
            )
        made[name] = tuple(value) if isinstance(value, list) else value
    if "ratchet" in made:
        made["ratchet"] = os.path.join(made["folder"], made["ratchet"])
    return Settings(**made)


EXAMPLES = {  # of a setting's type
    "int | None": "20",
    "bool": "true",
    "str | None": '"trips.json"',
    "str | int | None": '2, or "10%"',
    "tuple[str, ...]": '["loop", "app/old.py"]',
}


def fits(value: Any, kind: str) -> bool:
    """Return whether `value`, read from TOML, has the type of a setting.

    `kind` is the type as text, such as "int | None". A number must be 0 or more.
    """
    if isinstance(value, list):
        return kind.startswith("tuple") and all(isinstance(each, str) for each in value)
    # No isinstance: True is an int.
    return type(value).__name__ in kind.split(" | ") and (type(value) is not int or value >= 0)
