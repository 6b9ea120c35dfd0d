"""Run a program as it is, and report its round trips: `roundtrips script.py …`, `-m module …`.

The program keeps its output and its exit status. The report goes to stderr after the program's
threads and its atexit functions have ended, also if it raised or called sys.exit. Only this process
is counted; the report names other processes that were started, and they fail a limit. There is no
report if the process is killed, calls os._exit or becomes another program.
"""

import argparse
import atexit
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from . import __version__, budgets, config, program, ratchets
from .budgets import LIMITS
from .errors import RoundTripsError
from .report import github
from .report.json import summary
from .traces import Trace, trace

USAGE, OVER, UNCOUNTED = 2, 6, 7  # exit statuses; 3 to 5 are pytest's
FILES = ("ratchet", "json_file", "summary")
EPILOG = f"""
exit status:
  the program's own, if it is not 0; else
  {OVER}  over a limit, or a ratchet grown
  {USAGE}  wrong usage; a limit that can't be decided; a report that can't be made or written
  {UNCOUNTED}  with a limit or a ratchet: not everything was counted

[tool.roundtrips] in pyproject.toml may hold the same options, and what to ignore.
"""
OPTIONS: dict[str, tuple[str, str]] = {  # {option: (its argument, its help)}
    "max": ("N", "fail if it makes more round trips, set-up apart"),
    "waits": ("N", "fail if more had to follow one another"),
    "setup": ("N", "fail if setting connections up takes more"),
    "ratchet": ("FILE", "fail if a call site makes more than FILE says"),
    "accept": ("", "write what it makes now into the --ratchet's FILE"),
    "ratchet-tolerance": ("N", "let a call site grow by N, or by N%%"),
    "allow-uncounted": ("", "pass although not everything was counted"),
    "no-keys": ("", "show no word of any key"),
    "json": ("", "print one line of JSON in place of the report, to stderr"),
    "json-file": ("FILE", "write that line into a file"),
    "annotations": ("", "print GitHub's workflow commands, to stderr"),
    "summary": ("", "append Markdown to GITHUB_STEP_SUMMARY"),
}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line of `roundtrips`."""
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
        if name in LIMITS:
            kind["type"] = whole_number
        made.add_argument(f"--{name}", help=text, **kind)
    rest: dict[str, Any] = {"nargs": argparse.REMAINDER}
    made.add_argument("-m", dest="module", metavar="module", help="run a module", **rest)
    made.add_argument("script", help=argparse.SUPPRESS, **rest)
    return made


def whole_number(text: str) -> int:
    """Return an argument of the command line as an int.

    Raises argparse.ArgumentTypeError for anything but a whole number of 0 or more.
    """
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is no number of 0 or more")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program that the command line names, report its round trips, return the exit status.

    `arguments` are the words of the command line, by default those of this process.
    """
    options = parser().parse_args(arguments)
    try:
        command = Command(options)
        command.begin()
    except RoundTripsError as error:
        print(f"roundtrips: {error}", file=sys.__stderr__)
        return USAGE
    return command.run()


@dataclass
class Verdict:
    """The judgement on one run of a program: its exit `status`, and four lists of sentences.

    `over` names the exceeded limits. `undecided` says why a limit could not be judged, or why a
    report could not be written. `uncounted` says what was not counted. `hints` say what the user
    may do next, and which files were written.
    """

    status: int  # the program's own
    over: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    uncounted: list[str] = field(default_factory=list)
    fails_uncounted: bool = False  # whether the run fails if something was not counted
    hints: list[str] = field(default_factory=list)

    @property
    def exit_status(self) -> int:
        """The exit status of the command `roundtrips`.

        It is the program's own status if that is not 0. Otherwise it is 6 if a limit was exceeded,
        2 if something is undecided, 7 if the run fails because not everything was counted, else 0.
        """
        if self.status:
            return self.status
        if self.over:
            return OVER
        if self.undecided:
            return USAGE
        return UNCOUNTED if self.failures else 0

    @property
    def failures(self) -> list[str]:
        """The list of sentences that say why the command fails; [] if it does not."""
        failures = [*self.over, *self.undecided]
        if self.fails_uncounted and self.uncounted:
            failures.append("not everything was counted; --allow-uncounted lets that pass")
        return failures


class Command:
    """One run of the command `roundtrips`: runs a program, reports, and finds the exit status.

    `options` are the parsed options of the command line.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = os.getcwd()
        self.pid = os.getpid()
        self.errors: Any = sys.__stderr__  # None where nobody reads it
        self.program = program.find(options.module, options.script)
        self.status = 0  # the program's own
        self.verdict: Verdict | None = None
        self.table = config.current = config.settings()
        # What the command line leaves out, the table may say; 0 is a limit.
        for each in fields(self.table):
            given = getattr(options, each.name, None)
            if given is None or given is False:
                setattr(options, each.name, getattr(self.table, each.name))
        ratchets.most(0, options.ratchet_tolerance)  # raises for a bad tolerance
        if options.summary:
            options.summary = github.step_summary("--summary")
        # Now: the program may change the working folder.
        for name in FILES:
            if getattr(options, name):
                setattr(options, name, os.path.abspath(getattr(options, name)))
        if options.accept and not options.ratchet:
            raise RoundTripsError("--accept goes with --ratchet FILE. Write both, or neither.")
        self.before = None
        if options.ratchet and (not options.accept or os.path.exists(options.ratchet)):
            self.before = ratchets.read(options.ratchet)
        self.tracing = trace(scope="process", keys="none" if options.no_keys else None)

    def begin(self) -> None:
        """Begin to count, and register `finish`, which reports, to run when the process ends.

        Raises RoundTripsError for an unknown version of redis-py.
        """
        self.tracing.__enter__()
        # Before the program registers anything: the first to be registered is the last to run.
        atexit.register(self.finish)

    def run(self) -> int:
        """Run the program, wait for its threads and exit functions, and return the exit status.

        `finish`, which reports, is one of these exit functions. If a KeyboardInterrupt ended the
        program, it is raised again. In a child process that the program forked, the program's own
        status is returned.
        """
        interrupt: KeyboardInterrupt | None = None
        try:
            self.program.run()
        except SystemExit as end:
            self.status = status_of(end)
        except BaseException as error:
            self.status = 1
            if isinstance(error, KeyboardInterrupt):
                interrupt = error
                self.status = -2
            program.show(error)
        # As Python does at its end, and multiprocessing in its workers: so the status can still
        # change, and afterwards Python closes the program's files.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        if interrupt is not None:
            sys.excepthook = lambda *_: None  # it has been shown
            raise interrupt
        if os.getpid() != self.pid:  # a child that the program forked
            return self.status
        return self.status or (USAGE if self.verdict is None else self.verdict.exit_status)

    # At the end

    def finish(self) -> None:
        """Stop counting, judge the limits, and print the report to stderr.

        The Verdict is stored as `self.verdict`. An error on the way is added to its `undecided`,
        which makes the command fail. In a child process that the program forked, nothing is done.
        """
        if os.getpid() != self.pid:
            return
        self.tracing.__exit__(None, None, None)
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        counted = self.tracing.trace
        verdict = Verdict(self.status)
        lines = [f"roundtrips: {self.program.name}"]
        try:
            self.judge(verdict, counted)
            lines += self.report_of(verdict, counted)
        except (OSError, RoundTripsError) as error:
            verdict.undecided.append(str(error))
        except Exception as error:
            verdict.undecided.append(f"an error of its own: {type(error).__name__}: {error}")
        lines += verdict.hints
        lines += [f"roundtrips: failed: {each}" for each in verdict.failures]
        if self.options.json:
            lines = [self.json_of(verdict, counted)]
        # It may be closed.
        with contextlib.suppress(OSError, ValueError):
            print("\n".join(lines), file=self.errors, flush=True)
        self.verdict = verdict

    def judge(self, verdict: Verdict, counted: Trace) -> None:
        """Add to `verdict` the exceeded limits, the call sites that grew, and what was not counted.

        `counted` is the program's Trace. A call site grew if it made more round trips than the
        ratchet's file allows; see `hold`, which also writes that file. Raises RoundTripsError or
        OSError if the file can't be read or written.
        """
        options = self.options
        limits = {name: most for name in LIMITS if (most := getattr(options, name)) is not None}
        guarded = bool(limits or options.ratchet)
        verdict.fails_uncounted = guarded and not options.allow_uncounted
        verdict.uncounted += counted.uncounted
        verdict.over += budgets.excess(counted, limits)
        if options.ratchet:
            self.hold(verdict, counted)

    def hold(self, verdict: Verdict, counted: Trace) -> None:
        """Compare the program's Trace, `counted`, with the ratchet's file, or write that file.

        The file is written if it is new or the option --accept was given, unless the run failed.
        Otherwise call sites with more round trips than the file says are added to `verdict.over`.
        In both cases `verdict.hints` may get a hint.
        """
        path = self.options.ratchet
        now = ratchets.state_of(counted, self.folder, self.table)
        name = os.path.relpath(path, self.folder)
        if self.before is None or self.options.accept:
            if verdict.exit_status:
                verdict.hints.append(f"{name} is as it was: the run failed")
                return
            ratchets.write(path, now)
            verdict.hints.append(f"written: {name}")
            return
        grown = ratchets.worse(self.before, now, self.options.ratchet_tolerance)
        verdict.over += grown
        if grown:
            verdict.hints.append(f"if that is meant: roundtrips --ratchet {name} --accept …")

    def report_of(self, verdict: Verdict, counted: Trace) -> list[str]:
        """Write the summary and the JSON file if the options name them; return the report's texts.

        `counted` is the program's Trace, `verdict` the judgement on the run, which the two files
        include. The result is a list: the report, then GitHub's workflow commands with
        --annotations.
        """
        name = self.program.name
        self.write(verdict, "summary", lambda: github.summary(counted, name, verdict.failures))
        self.write(verdict, "json_file", lambda: self.json_of(verdict, counted))
        more = github.workflow_commands(counted) if self.options.annotations else []
        return [counted.report(), *more]

    def write(self, verdict: Verdict, option: str, content: Callable[[], str]) -> None:
        """Write a report into the file that the command line or the settings name for an option.

        `option` is "summary", whose text is appended to the file, or "json_file", which replaces
        the file. `content()` returns the text to write. A hint that names the file is added to
        `verdict`. Nothing happens if the option was not given. Raises OSError.
        """
        path = getattr(self.options, option)
        if path:
            with open(path, "a" if option == "summary" else "w", encoding="utf-8") as file:
                file.write(content())
            verdict.hints.append(f"written: {os.path.relpath(path, self.folder)}")

    def json_of(self, verdict: Verdict, counted: Trace) -> str:
        """Return the program's Trace, `counted`, and the judgement `verdict` as a line of JSON."""
        judged = {
            "program": self.program.name,
            "status": verdict.status,
            "exit_status": verdict.exit_status,
            "uncounted": verdict.uncounted,
            "hints": verdict.hints,
            "failures": verdict.failures,
        }
        return json.dumps({**summary(counted), **judged}, ensure_ascii=False, default=str)


def status_of(end: SystemExit) -> int:
    """Return the exit status that a SystemExit stands for.

    If its code is neither None nor a number, print the code to stderr, as Python does, and return
    1.
    """
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code & 0xFF
    print(end.code, file=sys.stderr)
    return 1
