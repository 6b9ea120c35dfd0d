"""`roundtrips script.py …`, `roundtrips -m module …`: runs a program as it is, and reports.

The program's output and exit status are its own. The report goes to stderr when everything is
done: after its threads and what it registered with atexit; after a crash, Ctrl-C, SIGTERM, sys.exit
and os._exit as well. SIGKILL leaves no time for it. Until the program runs, only what cannot
disturb it is imported: see `processes`.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import io
import json
import os
import pkgutil
import runpy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from typing import TYPE_CHECKING, Any

from . import __version__, config, processes, ratchets
from .errors import RoundTripsError

if TYPE_CHECKING:
    from .parts import Run
    from .traces import Trace

USAGE, OVER, UNCOUNTED = 2, 6, 7  # exit statuses; 3 to 5 are pytest's
SIGINT = 2
OURS = os.path.dirname(os.path.abspath(__file__)) + os.sep
FILES = ("ratchet", "save", "html", "perfetto", "json_file", "summary")
LIMITS = {"max": "max", "max_waits": "waits", "max_setup": "setup"}  # as budgets calls them
EPILOG = f"""
exit status:
  the program's own, if it is not 0; else
  {OVER}  over a budget, a ratchet grown, or a finding with --fail-on-findings
  {USAGE}  wrong usage; a budget that can't be decided; a report that can't be made or written
  {UNCOUNTED}  with a budget, a ratchet or --fail-on-findings: not everything was counted

[tool.roundtrips] in pyproject.toml may hold the same options, and what to ignore.
"""
OPTIONS: dict[str, tuple[str, str]] = {  # (what it takes, what it does)
    "max": ("N", "fail if it makes more round trips, set-up apart"),
    "max-waits": ("N", "fail if more had to follow one another"),
    "max-setup": ("N", "fail if setting connections up takes more"),
    "fail-on-findings": ("", "fail if there is something to change"),
    "ratchet": ("FILE", "fail if a call site makes more than FILE says"),
    "accept": ("", "write what it makes now into the --ratchet's FILE"),
    "ratchet-tolerance": ("N", "let a call site grow by N, or by N%%"),
    "allow-uncounted": ("", "pass although not everything was counted"),
    "no-keys": ("", "show no word of any key"),
    "json": ("", "report as one line of JSON"),
    "json-file": ("FILE", "write that line into a file"),
    "save": ("FILE", "write the whole trace, as JSON"),
    "html": ("FILE", "write the report as one web page"),
    "perfetto": ("FILE", "write it for ui.perfetto.dev"),
    "annotations": ("", "print GitHub's workflow commands, to stderr"),
    "summary": ("", "append Markdown to GITHUB_STEP_SUMMARY"),
}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="roundtrips",
        usage="roundtrips [options] (script.py | -m module) [its own arguments]",
        description="Runs a Python program as it is, and reports its round trips to Redis.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--version", action="version", version=f"roundtrips {__version__}")
    for name, (takes, text) in OPTIONS.items():
        kind: dict[str, Any] = {"metavar": takes} if takes else {"action": "store_true"}
        if name.startswith("max"):
            kind["type"] = int
        made.add_argument(f"--{name}", help=text, **kind)
    rest, words = {"nargs": argparse.REMAINDER}, "run a module"
    made.add_argument("-m", dest="module", metavar="module", help=words, **rest)  # type: ignore[arg-type]
    made.add_argument("script", help=argparse.SUPPRESS, **rest)  # type: ignore[arg-type]
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program that the command line names.

    Returns the exit status so far (it is final when the process ends), or raises the program's own
    SystemExit.
    """
    options = parser().parse_args(arguments)
    try:
        command = Command(options)
    except RoundTripsError as error:
        print(f"roundtrips: {error}", file=sys.__stderr__)
        return USAGE
    return command.run()


# The program


class Program:
    """A script, a folder or zip file with a __main__.py, or a module by its name."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.module: str | None = None
        self.path = ""  # of a script
        if options.module is not None:
            words: list[str] = options.module or [""]
            self.module, self.arguments = words[0], words[1:]
            self.name = f"-m {self.module}"
            if not self.module or self.module.startswith("-"):
                raise RoundTripsError(
                    "-m needs a module's name. Write it behind: roundtrips -m package.module."
                )
            return
        words = options.script[1:] if options.script[:1] == ["--"] else options.script
        if not words:
            raise RoundTripsError(
                "There is no program to run. Write roundtrips script.py, or roundtrips -m module; "
                "--help says more."
            )
        self.name, *self.arguments = words
        self.path = os.path.abspath(self.name)
        if not os.path.exists(self.path):
            raise RoundTripsError(
                f"There is no file {self.name} here, in {os.getcwd()}. Write the program's path as "
                "you give it to python: roundtrips script.py."
            )

    def run(self) -> None:
        """Run it in a new __main__ as `python` would; what it raises comes out."""
        main = types.ModuleType("__main__")
        vars(main)["__builtins__"] = builtins
        if sys.version_info < (3, 14):
            vars(main)["__annotations__"] = {}
        self.before = sys.modules["__main__"]  # kept: its functions are still running
        sys.modules["__main__"] = main
        if self.module is not None:
            self.takes_place("-m", os.getcwd())
            runpy._run_module_as_main(self.module)  # type: ignore[attr-defined]
        elif pkgutil.get_importer(self.path) is not None:
            self.takes_place(self.name, self.path)
            runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]
        else:
            self.takes_place(self.name, os.path.dirname(os.path.realpath(self.path)))
            exec(self.code(main), vars(main))

    def takes_place(self, first: str, folder: str) -> None:
        sys.argv[:] = [first, *self.arguments]
        if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
            sys.path[0] = folder

    def code(self, main: types.ModuleType) -> Any:
        data = SourceFileLoader("__main__", self.path).get_data(self.path)
        compiled = pkgutil.read_code(io.BytesIO(data))  # of a .pyc
        loader = (SourcelessFileLoader if compiled else SourceFileLoader)("__main__", self.path)
        vars(main).update(__file__=self.path, __loader__=loader, __cached__=None)
        return compiled or compile(data, self.path, "exec", dont_inherit=True)


def without_ours(error: BaseException) -> BaseException:
    """Return the error with the traceback that it has under python."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    return error.with_traceback(trace)


# What comes of it


class Verdict:
    """What is wrong with a run, by what it means for the exit status."""

    def __init__(self, status: int) -> None:
        self.status = status  # the program's own; below 0 the signal that it ends by
        self.over: list[str] = []
        self.undecided: list[str] = []
        self.uncounted: list[str] = []
        self.fails_uncounted = False  # whether that fails it
        self.hints: list[str] = []

    @property
    def exit_status(self) -> int:
        """The program's own status if it failed, or what is due in its place."""
        if self.status:
            return self.status
        return OVER if self.over else USAGE if self.undecided else UNCOUNTED if self.failures else 0

    @property
    def failures(self) -> list[str]:
        """Why it fails, in words."""
        missed = "not everything was counted; --allow-uncounted lets that pass"
        unpassed = [missed] if self.fails_uncounted and self.uncounted else []
        return [*self.over, *self.undecided, *unpassed]

    @contextlib.contextmanager
    def fence(self, what: str) -> Iterator[None]:
        """Note what fails in here, and go on."""
        try:
            yield
        except Exception as fault:
            why = f"{type(fault).__name__}: {fault}"
            if isinstance(fault, (OSError, RoundTripsError)):
                why = getattr(fault, "strerror", None) or str(fault)
            self.undecided.append(f"{what}: {why}")


class Command:
    """One run of the command, from its options to its exit status. Raises RoundTripsError."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.folder = options, os.getcwd()
        self.errors: Any = sys.__stderr__  # None where nobody reads it
        self.program = Program(options)
        self.table = config.current = config.settings()
        self.check()
        for each in fields(self.table):  # what the command line leaves out, the table may say
            given = getattr(options, each.name, None)
            if given is None or given is False:  # 0 is a limit
                setattr(options, each.name, getattr(self.table, each.name))
        ratchets.most(0, options.ratchet_tolerance)  # refuses what is none
        for name in FILES:  # the program may go to another folder
            if getattr(options, name):
                setattr(options, name, self.place(name, getattr(options, name)))
        if options.accept and not options.ratchet:
            raise RoundTripsError("--accept goes with --ratchet FILE. Write both, or neither.")
        self.before = None
        if options.accept:
            ratchets.refuse_others(options.ratchet)
        elif options.ratchet:
            self.before = ratchets.read(options.ratchet)

    def check(self) -> None:
        """Raise RoundTripsError for what the command line can't mean."""
        options = self.options
        for name in LIMITS:
            given = getattr(options, name)
            if given is not None and given < 0:
                dashed = name.replace("_", "-")
                raise RoundTripsError(f"--{dashed} is {given}. Write a number of 0 or more.")
        if options.summary:
            options.summary = os.environ.get("GITHUB_STEP_SUMMARY")
            if not options.summary:
                raise RoundTripsError(
                    "--summary writes where GITHUB_STEP_SUMMARY says, which is not set. Leave it "
                    "out, or name a file there."
                )

    def place(self, option: str, given: str) -> str:
        """Return where a file is to be written. Raises RoundTripsError where it can't be."""
        path, name = os.path.abspath(given), f"--{option.replace('_', '-')}"
        if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path)):
            raise RoundTripsError(
                f"{name} {given} is no place for a file. Name one in a folder that is there."
            )
        real, own = os.path.realpath(path), os.path.realpath(self.program.path)
        if option != "ratchet" and os.path.isfile(path) and (real.endswith(".py") or real == own):
            raise RoundTripsError(
                f"{name} would write over {given}, which is a program. Name another file."
            )
        return path

    def run(self) -> int:
        """Run the program, and leave the rest to the end of the process."""
        if self.options.no_keys:
            os.environ["ROUNDTRIPS_KEYS"] = "none"  # for other processes, too
        self.process = processes.Process(processes.new_folder(), self.finish)
        self.process.begin()
        os.environ.update(processes.environment(self.process.folder))
        try:
            self.program.run()
        except SystemExit as end:
            code = 0 if end.code is None else end.code
            self.process.status = code & 0xFF if isinstance(code, int) else 1
            raise
        except BaseException as error:
            self.process.status = -SIGINT if isinstance(error, KeyboardInterrupt) else 1
            shown = without_ours(error)
            sys.last_type, sys.last_value = type(shown), shown  # what runs at the exit may ask
            sys.last_traceback = shown.__traceback__
            if sys.version_info >= (3, 12):
                sys.last_exc = shown
            sys.excepthook(type(shown), shown, shown.__traceback__)
        finally:
            self.process.prepare()
        return max(self.process.status, 0)

    # At the end of the process

    def finish(self, status: int, notes: Sequence[str]) -> int:
        """Judge, and then draw; return the exit status that is due."""
        import shutil

        verdict, run, lines = Verdict(status), None, [f"roundtrips: {self.program.name}"]
        with verdict.fence("what was counted can't be told"):
            from .parts import gather

            run = gather(self.process, self.program.name, self.table.programs, notes)
            verdict.uncounted += run.trace.uncounted
        shutil.rmtree(self.process.folder, ignore_errors=True)
        if run is not None:
            self.judge(verdict, run.trace)
            with verdict.fence("the report can't be made"):
                lines += self.drawn(verdict, run)
        with verdict.fence("the report can't be told"):
            lines = self.told(verdict, run, lines)
        failed = [f"roundtrips: failed: {each}" for each in verdict.failures]
        if getattr(self.errors, "isatty", bool)() and not os.environ.get("NO_COLOR"):
            failed = [f"\033[31m{each}\033[0m" for each in failed]
        self.say(lines if lines[:1] and lines[0].startswith("{") else [*lines, *failed])
        return verdict.exit_status

    def judge(self, verdict: Verdict, trace: Trace) -> None:
        """Hold a run to its limits, to the ratchet, and to having no findings."""
        options = self.options
        asked = {limit: getattr(options, name) for name, limit in LIMITS.items()}
        limits = {limit: most for limit, most in asked.items() if most is not None}
        guarded = bool(limits or options.fail_on_findings or options.ratchet)
        verdict.fails_uncounted = guarded and not options.allow_uncounted
        with verdict.fence("the budget can't be decided"):
            from .budgets import excess

            verdict.over += excess(trace, limits)
        with verdict.fence("whether there are findings can't be decided"):
            sure = trace.findings if options.fail_on_findings else []
            verdict.over += [f"{each.what}, at {each.site}" for each in sure if each.sure]
        with verdict.fence("the ratchet can't be decided"):
            if options.ratchet:
                self.hold(verdict, trace)

    def hold(self, verdict: Verdict, trace: Trace) -> None:
        """Compare with the ratchet's file, or write it."""
        path, now = self.options.ratchet, ratchets.state_of(trace, self.folder, self.table)
        name = os.path.relpath(path, self.folder)
        if self.before is None:
            if verdict.exit_status:
                verdict.hints.append(f"{name} is as it was: the run failed")
                return
            with verdict.fence(f"{name} could not be written"):
                ratchets.write(path, now)
                verdict.hints.append(f"written: {name}")
            return
        grown = ratchets.worse(self.before, now, self.options.ratchet_tolerance)
        verdict.over += grown
        fewer = ratchets.better(self.before, now)
        if grown:
            how = f"roundtrips --ratchet {name} --accept …"
            verdict.hints.append(f"if that is meant, accept it: {how}")
        elif fewer and not verdict.status:
            verdict.hints.append(f"better by {fewer:,} than {name} says; --accept keeps it so")

    def drawn(self, verdict: Verdict, run: Run) -> list[str]:
        """Write the files that were asked for; return the report, in lines."""
        from .report import FAILED, github, perfetto

        trace, name, notes = run.trace, self.program.name, run.by_process()
        many = "\n".join(notes)
        self.write(verdict, "save", lambda: dumped(trace.to_dict()))
        self.write(verdict, "html", lambda: page(trace, name, notes))
        self.write(verdict, "perfetto", lambda: dumped(perfetto.events_of(trace, name)))
        self.write(verdict, "summary", lambda: github.summary(trace, name, verdict.failures, many))
        text = trace.report()
        if FAILED in text:
            verdict.undecided.append("a part of the report could not be made")
        more = github.workflow_commands(trace) if self.options.annotations else []
        return [text, *notes, *more]

    def write(self, verdict: Verdict, option: str, content: Callable[[], str]) -> None:
        """Write a file that was asked for; a summary is added to what is there."""
        path = getattr(self.options, option)
        if path:
            name = os.path.relpath(path, self.folder)
            with verdict.fence(f"{name} could not be written"):
                text = content()
                with open(path, "a" if option == "summary" else "w", encoding="utf-8") as file:
                    file.write(text)
                verdict.hints.append(f"written: {name}")

    def told(self, verdict: Verdict, run: Run | None, lines: list[str]) -> list[str]:
        """Return what is printed, before what failed: with --json all of it in one line."""
        from .report.json import summary

        self.write(verdict, "json_file", lambda: dumped(summary(run, self.program.name, verdict)))
        if self.options.json:
            return [dumped(summary(run, self.program.name, verdict))]
        return [*lines, *verdict.hints]

    def say(self, lines: list[str]) -> None:
        text = "\n".join(lines)
        if text and self.errors is not None:
            try:
                print(text, file=self.errors, flush=True)
            except RuntimeError:  # a signal came while the program itself was printing
                os.write(2, f"{text}\n".encode())
            except (OSError, ValueError):  # it is closed
                pass


def page(trace: Trace, name: str, notes: Sequence[str]) -> str:
    from .report.html import page_of  # only then: it needs more of Python's library

    return page_of(trace, name, notes)


def dumped(what: Any) -> str:
    return json.dumps(what, ensure_ascii=False, default=str)
