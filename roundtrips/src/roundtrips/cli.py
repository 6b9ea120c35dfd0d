"""`roundtrips script.py [arguments]`, `roundtrips -m module [arguments]`: runs a program as it is, and reports its round trips.

The program's own output and exit status are kept. The report goes to stderr when everything is done: after the program's threads
and what it registered with atexit. It comes after a crash, Ctrl-C, SIGTERM, sys.exit and os._exit as well; SIGKILL and a crash of
the interpreter leave no time for it.
"""

import argparse
import atexit
import contextlib
import json
import os
import signal
import sys

from . import budgets, ratchets
from .errors import RoundTripsError
from .processes import Others
from .report.html import page_of
from .report.perfetto import events_of
from .traces import trace

OVER, USAGE = 1, 2  # exit statuses
DISTANCES_MS = (0.25, 1, 5)
EXAMPLES = """
roundtrips script.py --its-own options          counts what it does, and reports
roundtrips --max 20 -m app.page                 fails if it makes more than 20 round trips
roundtrips --ratchet trips.json --accept -m app.page    writes down what each call site makes
roundtrips --ratchet trips.json -m app.page     fails if one of them makes more than that
"""


def parser():
    made = argparse.ArgumentParser(
        prog="roundtrips", usage="roundtrips [options] (script.py | -m module) [its own arguments]", allow_abbrev=False,
        description="Runs a Python program as it is, and reports its round trips to Redis on stderr.", epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--max", type=int, metavar="N", help="exit with 1 if it makes more round trips, set-up apart")
    made.add_argument("--max-waits", type=int, metavar="N", help="exit with 1 if more of them had to follow one another")
    made.add_argument("--ratchet", metavar="FILE", help="exit with 1 if a call site makes more round trips than FILE says")
    made.add_argument("--accept", action="store_true", help="write what it makes now into the --ratchet's FILE")
    made.add_argument("--save", metavar="FILE", help="write the whole trace, as JSON")
    made.add_argument("--html", metavar="FILE", help="write the report as one web page, with the lanes")
    made.add_argument("--perfetto", metavar="FILE", help="write the turns for ui.perfetto.dev, or an older Chrome's chrome://tracing")
    made.add_argument("--json", action="store_true", help="report as one line of JSON")
    made.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="module", help="run a module, as python -m does")
    made.add_argument("script", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return made


def main(arguments=None):
    """Runs the program that the command line names. Returns its exit status, or raises the program's SystemExit."""
    options = parser().parse_args(arguments)
    try:
        program = program_of(options)
        check(options, program)
        return Run(program, options).whole()
    except RoundTripsError as error:
        print(f"roundtrips: {error}", file=sys.__stderr__)
        return USAGE


def program_of(options):
    if options.module is not None:
        return programs.Module(options.module[0] if options.module else "", options.module[1:])
    words = options.script[1:] if options.script[:1] == ["--"] else options.script
    if not words:
        raise RoundTripsError("There is no program to run. Write roundtrips script.py, or roundtrips -m module; --help says more.")
    return programs.Script(words[0], words[1:])


def check(options, program):
    """Raises RoundTripsError for what can be seen to be wrong before the program runs; file names become whole."""
    for name in ("max", "max_waits"):
        if getattr(options, name) is not None:
            check_number(getattr(options, name), f"--{name.replace('_', '-')}", 0, whole=True)
    for name in ("ratchet", "save", "html", "perfetto"):
        given = getattr(options, name)
        if given is not None:
            path = os.path.abspath(given)  # the program may go to another folder
            setattr(options, name, path)
            if os.path.isdir(path) or not os.path.isdir(os.path.dirname(path)):
                raise RoundTripsError(f"--{name} {given} is no place for a file. Choose a file's name in a folder that is there.")
            if name != "ratchet" and is_code(path, program):
                raise RoundTripsError(f"--{name} would write over {given}, which is a program. Choose another name for the file.")
    if options.accept and not options.ratchet:
        raise RoundTripsError("--accept goes with --ratchet FILE. Write both, or leave --accept out.")
    if options.accept:
        ratchets.refuse_others(options.ratchet)


def is_code(path, program):
    """True for the script that is to run, whatever its name, and for any other Python file; a link is what it leads to."""
    if not os.path.isfile(path):
        return False
    is_script = isinstance(program, programs.Script) and os.path.samefile(path, program.path)
    return is_script or os.path.realpath(path).endswith(".py")


class Run:
    """One run of a program under a trace, from its beginning to its exit status."""

    def __init__(self, program, options):
        self.program, self.options, self.folder, self.pid = program, options, os.getcwd(), os.getpid()
        self.before = ratchets.read(options.ratchet) if options.ratchet and not options.accept else None
        self.others, self.end_now, self.finished = Others(self.becomes), os._exit, False
        self.status = 0  # the program's own; below 0 the signal that it ends by

    def whole(self):
        self.tracing = trace()
        self.trace = self.tracing.__enter__()
        self.errors = sys.__stderr__
        self.others.listen()
        atexit.register(self.at_exit)  # the first to be registered is the last to be called
        os._exit = self.exit_now
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self.terminated)
        try:
            programs.run(self.program)
        except SystemExit as end:
            self.status = status_of(end.code)
            raise
        except RoundTripsError as error:
            if programs.without_ours(error.__traceback__) is not None:  # one of the program's own
                self.crashed(error)
            else:
                self.give_up()
                raise
        except BaseException as error:
            self.crashed(error)
        return max(self.status, 0)

    def crashed(self, error):
        """Shows the traceback as python does, by the program's own hook if it has one."""
        self.status = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
        shown = error.with_traceback(programs.without_ours(error.__traceback__))
        sys.excepthook(type(shown), shown, shown.__traceback__)

    # The ways it may end

    def at_exit(self):
        self.leave(self.finish())

    def exit_now(self, status):
        """In place of os._exit, which a process that was forked off calls too."""
        if os.getpid() == self.pid and not self.finished:
            self.status = status
            status = self.finish()
            flush()
        self.end_now(status)

    def terminated(self, number, _):
        if os.getpid() == self.pid:
            self.status = -number
            self.finish()
        end_by(number)

    def becomes(self, name):
        """Another program is about to take this one's place."""
        self.finish(f"not counted: what {name} does, which took this program's place")

    def give_up(self):
        self.finished = True
        self.tracing.__exit__(None, None, None)

    def leave(self, status):
        """Ends the process, where the exit status that it would have by itself is not the one it should have."""
        if status is None or status == self.status >= 0:
            return
        flush()
        if status < 0:
            end_by(-status)
        self.end_now(status)

    # The report

    def finish(self, *notes):
        """Writes everything, once; returns the exit status, or None if that is no longer to be said."""
        if self.finished or os.getpid() != self.pid:
            return None
        self.give_up()
        notes = [*self.others.notes(), *notes]
        failures = budgets.excess(self.trace, self.options.max, self.options.max_waits)
        said = self.ratchet(failures)
        said += self.write_files(notes, failures)
        self.print_report(notes, failures, said)
        return self.status or (OVER if failures else 0)

    def ratchet(self, failures):
        """Compares with the ratchet's file, or writes it; returns lines to say."""
        path, now = self.options.ratchet, ratchets.state_of(self.trace, self.folder) if self.options.ratchet else None
        if path is None:
            return []
        if self.options.accept:
            if self.status:
                return [f"{path} is as it was: the program failed"]
            return self.written(path, lambda: ratchets.write(path, now), failures)
        grown = ratchets.worse(self.before, now)
        failures += grown
        if grown:
            return [f"if that is meant, accept it: roundtrips --ratchet {os.path.relpath(path, self.folder)} --accept …"]
        fewer = ratchets.better(self.before, now)
        return [f"better by {fewer:,} than {path} says; --accept keeps it so"] if fewer and not self.status else []

    def write_files(self, notes, failures):
        said = []
        for path, content in ((self.options.save, lambda: json.dumps(self.trace.to_dict(), ensure_ascii=False)),
                              (self.options.html, lambda: page_of(self.trace, self.program.name, notes)),
                              (self.options.perfetto, lambda: json.dumps(events_of(self.trace, self.program.name)))):
            if path is not None:
                said += self.written(path, lambda path=path, content=content: write(path, content()), failures)
        return said

    def written(self, path, writing, failures):
        try:
            writing()
        except OSError as error:
            failures.append(f"{path} could not be written: {error.strerror}")
            return []
        return [f"written: {path}"]

    def print_report(self, notes, failures, said):
        if self.options.json:
            lines = [json.dumps(summary(self.trace, self.program.name, notes, failures, self.status), ensure_ascii=False)]
        else:
            lines = [f"roundtrips: {self.program.name}", self.trace.report(), *notes, *said,
                     *[f"roundtrips: failed: {failure}" for failure in failures]]
        flush()
        if self.errors is not None:  # as it is where nobody reads it
            with contextlib.suppress(OSError, ValueError):
                print(*lines, sep="\n", file=self.errors, flush=True)


def summary(trace, program, notes, failures, status):
    """The report as --json prints it."""
    named = ("round_trips", "waits", "bytes_sent", "bytes_received", "seconds", "waiting", "lost", "errors", "elsewhere",
             "connections", "setup_trips", "unattributed")
    sites = [{"file": each.site.file, "line": each.site.line, "function": each.site.function, "through": each.site.through,
              "label": each.label, "round_trips": each.round_trips, "seconds": each.seconds, "setup": each.setup}
             for each in trace.call_sites]
    found = [{"kind": each.kind, "what": each.what, "shows": each.shows, "saves": each.saves, "file": each.site.file,
              "line": each.site.line, "instead": each.instead, "sure": each.sure} for each in trace.findings]
    far = {f"{rtt_ms:g}": trace.seconds_at(rtt_ms) for rtt_ms in DISTANCES_MS}
    return {"program": program, "status": status, **{name: getattr(trace, name) for name in named},
            "commands": dict(trace.commands), "seconds_at": far, "call_sites": sites, "findings": found,
            "unseen": trace.record.unseen, "notes": list(notes), "failures": list(failures)}


def status_of(code):
    """The exit status of a SystemExit's code."""
    return 0 if code is None else code & 0xFF if isinstance(code, int) else 1


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def flush():
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


def end_by(number):
    """Ends this process by a signal, as it would have ended without us."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
