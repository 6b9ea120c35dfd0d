"""Decide whose code a file is: the program's own, redis-py's, a library's, or a helper's.

A helper's lines are skipped in the search for a call site. `kind_of` decides. A file is a library's
if a folder of installed packages lists it: site-packages, a folder filled by `pip install
--target`, a PEX. The program itself may be installed as well, as in a Docker image. Its package is
recognized because it was installed from a folder or a source archive, because the pyproject.toml of
the working folder names it, or because it is listed as `own` in [tool.roundtrips].
"""

import asyncio
import dis
import functools
import glob
import inspect
import os
import re
import sys
import sysconfig
from collections.abc import Iterable
from fnmatch import fnmatch
from types import CodeType

import redis

# Kinds of file; of an installed library the kind is its name.
OWN, REDIS, SKIP, WRAPS, TASK = "own", "redis", "skip", "wraps", "task"
INSTALLED = tuple(os.sep + name + os.sep for name in ("site-packages", "dist-packages"))
REDIS_FOLDER = os.path.dirname(redis.__file__) + os.sep
HERE = os.path.dirname(__file__) + os.sep
EVENTS = asyncio.events.__file__  # its frame runs a task: the callers above it only run the loop
PYTHONS = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
# Where the console scripts of installed packages lie, this package's too.
SCRIPTS = sysconfig.get_path("scripts") + os.sep
JUMPS = frozenset({*dis.hasjrel, *dis.hasjabs})
# They wrap redis-py's calls, and are passed by as redis-py itself is.
INSTRUMENTATION = frozenset({
    "appsignal", "aws_xray_sdk", "datadog", "ddtrace", "elasticapm", "instana", "logfire",
    "newrelic", "openinference", "opentelemetry", "scout_apm", "sentry_sdk", "skywalking", "wrapt",
})  # fmt: skip
own: tuple[str, ...] = ()  # installed packages that are yours, as the settings say
helpers: tuple[str, ...] = ()  # packages, files, functions in files that are to be passed by
folder = ""  # from which the settings name files


def set_rules(own_packages: tuple[str, ...], passed_by: tuple[str, ...], named_from: str) -> None:
    """Set which packages are the program's own, and which code is a helper's, for this module.

    `own_packages` are names of packages, as in the setting `own`. `passed_by` are packages, files
    or "file.py:function", as in the setting `helpers`. `named_from` is the folder of the
    pyproject.toml, from which these files are named.
    """
    global own, helpers, folder
    if (own, helpers, folder) != (own_packages, passed_by, named_from):
        own, helpers, folder = own_packages, passed_by, named_from
        kind_of.cache_clear()


@functools.cache
def kind_of(file: str) -> str:
    """Return the kind of a source file: OWN, REDIS, SKIP, WRAPS, TASK, or its library's name.

    SKIP and WRAPS are passed by in the search for a call site: Python's own files and this
    package's, and those that wrap redis-py's calls. TASK is asyncio's file that runs tasks. `file`
    is a path, or a made-up name such as that of a notebook's cell.
    """
    if file == EVENTS:
        return TASK
    if file.startswith(REDIS_FOLDER):
        return REDIS
    if file.startswith((HERE, "<frozen")):
        return SKIP
    library = library_of(file)
    if library is not None:
        return WRAPS if library in INSTRUMENTATION or library in helpers else library
    return SKIP if file.startswith(PYTHONS) and not any(each in file for each in INSTALLED) else OWN


def library_of(file: str) -> str | None:
    """Return the name of the installed library that a file belongs to; None if it is the program's.

    The program's own packages count as its own even if they are installed.
    """
    for name in INSTALLED:
        if name in file:
            above, _, inside = file.rpartition(name)
            package = inside.split(os.sep)[0].removesuffix(".py")
            is_own = package in own or packages_in(above + name).get(package, False)
            return None if is_own else package
    for place in {os.path.abspath(each) + os.sep for each in sys.path if each}:
        package = file.removeprefix(place).split(os.sep)[0].removesuffix(".py")
        if package not in own and file.startswith(place) and package in packages_in(place):
            return None if packages_in(place)[package] else package
    return None


@functools.cache
def packages_in(place: str) -> dict[str, bool]:
    """Return {package as it is imported: whether it is the program's own} for a folder of packages.

    `place` is the folder's path. For site-packages, only the program's own are listed: all others
    there are libraries.
    """
    found = {}
    for info in glob.glob(os.path.join(glob.escape(place), "*.dist-info")):
        name = os.path.basename(info).partition("-")[0]
        is_own = normal(name) == name_of_project() or comes_from_source(info)
        if is_own or not place.endswith(INSTALLED):
            for line in text_of(os.path.join(info, "RECORD")).splitlines():
                found[line.split(",")[0].split("/")[0].removesuffix(".py")] = is_own
    return found


def comes_from_source(info: str) -> bool:
    """Return whether a package was installed from a folder on this machine or a source archive.

    `info` is the path of its .dist-info folder. A project installs itself that way (`pip install
    .`, tox, nox). For a package from an index, and for a wheel, the result is False.
    """
    origin = text_of(os.path.join(info, "direct_url.json"))
    is_source = '"dir_info"' in origin or re.search(r"\.(tar\.gz|zip)\"", origin) is not None
    return is_source and '"file:' in origin


def name_of_project() -> str:
    """Return the project's name, in lower case, from the working folder's pyproject.toml.

    It is '' if there is none. Dashes and dots become `_`.
    """
    match = re.search(r"^name\s*=\s*['\"]([^'\"]+)", text_of("pyproject.toml"), re.MULTILINE)
    return normal(match[1]) if match else ""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def text_of(path: str) -> str:
    """Return the text of a file; '' if it can't be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def is_helper(file: str, function: str) -> bool:
    """Return whether a function of the program's own is skipped in the search for a call site.

    True for a console script of an installed package, and for what the setting `helpers` lists: its
    file, or `file:function`. `file` is an absolute path. A skipped line is the call site
    nevertheless if no other line of the program's own is above it on the stack.
    """
    if file.startswith(SCRIPTS) or not helpers:
        return file.startswith(SCRIPTS)
    return is_listed(helpers, file_from(file, folder or os.getcwd()), function)


@functools.cache
def may_be_helper(code: CodeType) -> bool:
    """Return whether a function may be a helper: it takes an argument, and has no loop.

    `code` is the function's code object; `self` and `cls` are not taken for arguments. An example
    is what a service puts around redis-py: `def get(key): return r.get("shop:" + key)`.
    """
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    takes = (
        arguments[arguments[:1] in (("self",), ("cls",)) :] or code.co_flags & inspect.CO_VARARGS
    )
    # An `await` jumps back as well, until it is done.
    back = (
        each.opname != "JUMP_BACKWARD_NO_INTERRUPT" and each.argval <= each.offset
        for each in dis.get_instructions(code)
        if each.opcode in JUMPS
    )
    return bool(takes) and not any(back)


def is_listed(places: Iterable[str], file: str, function: str) -> bool:
    """Return whether one of `places` names this function.

    Places are such as "app/old_*.py" or "app/pages.py:show". `file` is relative to the folder of
    the settings, `function` the function's name, with or without its class.
    """
    names = {"", function, function.rsplit(".", 1)[-1]}
    parts = (each.partition(":") for each in places)
    return any(fnmatch(file, path) and wanted in names for path, _, wanted in parts)


def file_from(file: str, folder: str) -> str:
    """Return a file's path relative to `folder`, with slashes, so that it is the same everywhere.

    If the file is elsewhere, only the last two parts of its path are returned.
    """
    if file.startswith(folder + os.sep):
        file = os.path.relpath(file, folder)
    elif os.path.isabs(file):
        file = os.sep.join(file.split(os.sep)[-2:])
    return file.replace(os.sep, "/")
