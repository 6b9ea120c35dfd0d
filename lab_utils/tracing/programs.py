"""Runs a Python program inside this process as `python` would: its __main__, its sys.argv, sys.path[0] and traceback.

A script, a folder or zip file with a __main__.py, or a module by its name.
"""

import builtins
import importlib.machinery
import importlib.util
import io
import os
import sys
import types

from ..errors import LabError

OURS = os.path.dirname(__file__) + os.sep


class Script:
    """`python script.py arguments`"""

    def __init__(self, path, arguments):
        if not os.path.exists(path):
            raise LabError(f"There is no file {path} here, in {os.getcwd()}. Write the program's path as you give it to python: "
                           "roundtrips script.py.")
        self.name, self.path, self.argv = path, os.path.abspath(path), [path, *arguments]
        if os.path.isdir(path) and not os.path.exists(os.path.join(path, "__main__.py")):
            raise LabError(f"{path} is a folder without a __main__.py. Write the name of a script in it, or -m for a module.")
        self.is_file = not os.path.isdir(path) and not path.endswith((".zip", ".pyz"))
        self.folder = os.path.dirname(os.path.realpath(path)) if self.is_file else self.path

    def load(self, main):
        """Its code; raises what python raises, such as SyntaxError."""
        if self.is_file:
            main.__file__, main.__loader__ = self.path, importlib.machinery.SourceFileLoader("__main__", self.path)
            with io.open_code(self.path) as file:
                return compile(file.read(), self.path, "exec", dont_inherit=True)
        spec = importlib.machinery.PathFinder.find_spec("__main__", [self.path])
        return belonging_to(main, spec, "")


class Module:
    """`python -m module arguments`"""

    def __init__(self, name, arguments):
        self.name, self.argv, self.folder = f"-m {name}", ["-m", *arguments], os.getcwd()
        self.module = name
        if not name or name.startswith("-"):
            raise LabError("-m needs a module's name. Write it behind: roundtrips -m package.module.")

    def load(self, main):
        spec = self.find(self.module)
        if spec.submodule_search_locations is not None:
            spec = self.find(f"{self.module}.__main__")
        code = belonging_to(main, spec, spec.parent)
        sys.argv[0] = spec.origin or self.module
        return code

    def find(self, name):
        try:
            spec = importlib.util.find_spec(name)
        except (ModuleNotFoundError, ValueError) as error:
            if isinstance(error, ModuleNotFoundError) and not name.startswith(f"{error.name}"):
                raise  # a package of the name's is there, and imports something that is not
            spec = None
        if spec is None:
            raise LabError(f"There is no module {name} to run. Check the name and the folder you are in, {os.getcwd()}; a script "
                           "is run by its path, without -m.")
        return spec


def belonging_to(main, spec, package):
    """The code of a spec, whose names the module __main__ takes over."""
    main.__spec__, main.__loader__, main.__file__, main.__package__ = spec, spec.loader, spec.origin, package
    code = spec.loader.get_code(spec.name)
    if code is None:
        raise LabError(f"{spec.name} is not written in Python, so there is nothing to run. Write the name of another module.")
    return code


def run(program):
    """Runs it in a new __main__; what it raises comes out, SystemExit and KeyboardInterrupt among it."""
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins
    run.before = sys.modules["__main__"]  # kept: its functions are still running
    sys.modules["__main__"] = main
    sys.argv[:] = program.argv
    if not sys.flags.safe_path:
        sys.path[0] = program.folder
    exec(program.load(main), main.__dict__)


def without_ours(traceback):
    """The traceback without the lines of this package and of what imports, as python itself would show it."""
    while traceback is not None and is_ours(traceback.tb_frame.f_code.co_filename):
        traceback = traceback.tb_next
    return traceback


def is_ours(file):
    return file.startswith((OURS, "<frozen importlib", "<frozen runpy"))
