"""Find and run a program: a script, a folder or zip file, or a module by its name."""

import builtins
import os
import pkgutil
import re
import runpy
import shutil
import sys
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader

from .errors import RoundTripsError

OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
PYTHON = re.compile(r"python[\d.]*\Z")


class Program:
    """A Python program to run: either the script at `path`, or the module named `module`.

    `arguments` are the words that follow the program on its command line. Reports call the program
    `name`.
    """

    def __init__(
        self, name: str, arguments: Sequence[str], path: str = "", module: str = ""
    ) -> None:
        self.name = name
        self.arguments = arguments
        self.path = path
        self.module = module

    def run(self) -> None:
        """Run the program as a new __main__ module, as `python` would; raise its errors."""
        main = types.ModuleType("__main__")
        vars(main)["__builtins__"] = builtins
        if sys.version_info < (3, 14):
            vars(main)["__annotations__"] = {}
        self.before = sys.modules["__main__"]  # kept: its functions are still running
        sys.modules["__main__"] = main
        if self.module:
            self.take_place("-m", os.getcwd())
            runpy._run_module_as_main(self.module)  # type: ignore[attr-defined]
        elif pkgutil.get_importer(self.path) is not None:  # a folder or a zip file
            self.take_place(self.name, self.path)
            runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]
        else:
            self.take_place(self.name, os.path.dirname(os.path.realpath(self.path)))
            loader = SourceFileLoader("__main__", self.path)
            vars(main).update(__file__=self.path, __loader__=loader, __cached__=None)
            code = compile(loader.get_data(self.path), self.path, "exec", dont_inherit=True)
            exec(code, vars(main))

    def take_place(self, first: str, folder: str) -> None:
        """Set sys.argv and sys.path[0] as python would for this program.

        `first` becomes the first word of sys.argv, before the program's arguments. `folder` becomes
        sys.path[0], except with python's options -I and -P.
        """
        sys.argv[:] = [first, *self.arguments]
        if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
            sys.path[0] = folder


def find(module: Sequence[str] | None, script: Sequence[str]) -> Program:
    """Return the Program that a command line names; raise RoundTripsError if there is none.

    `module` are the words after -m, or None if there is no -m. `script` are the words of a command
    line without -m: the script and its arguments.
    """
    words = list(script[1:] if script[:1] == ["--"] else script)
    # `roundtrips python app.py` and `roundtrips python -m app` are meant so.
    if module is None and words and PYTHON.match(words[0]) and not os.path.exists(words[0]):
        words = words[1:]
        if words[:1] == ["-m"]:
            module = words[1:]
    if module is not None:
        if not module or module[0].startswith("-"):
            raise RoundTripsError(
                "-m needs a module's name. Write it behind: roundtrips -m package.module."
            )
        return Program(f"-m {module[0]}", module[1:], module=module[0])
    if not words:
        raise RoundTripsError(
            "There is no program to run. Write roundtrips script.py, or roundtrips -m module; "
            "--help says more."
        )
    name = words[0]
    path = name if os.path.exists(name) else script_on_path(name)
    if not path:
        raise RoundTripsError(
            f"There is no file {name} here, in {os.getcwd()}. Write the program's path as "
            "you give it to python: roundtrips script.py."
        )
    return Program(name, words[1:], path=os.path.abspath(path))


def script_on_path(name: str) -> str:
    """Return the path of a console script on PATH, such as that of pytest; '' if there is none.

    Raises RoundTripsError for a command that is not a Python program.
    """
    beside = os.path.dirname(sys.executable)  # of an environment that was not activated
    path = shutil.which(name) or shutil.which(name, path=beside) or ""
    if path:
        with open(path, "rb") as file:
            head = file.read(1_000)
        # Where the path of Python is long, pip has /bin/sh start it, in the second line.
        first, _, more = head.partition(b"\n")
        second = more.partition(b"\n")[0]
        if not (first.startswith(b"#!") and (b"python" in first or b"exec'" in second)):
            raise RoundTripsError(
                f"{path} is no Python program, and what it starts is another process. Name the "
                "Python program itself: roundtrips script.py, or roundtrips -m module."
            )
    return path


def show(error: BaseException) -> None:
    """Print an uncaught exception with the traceback that python would print."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
