"""Run a reader's code, count it, let the lab judge it: what the page asks Python for."""

import ast
import collections
import contextlib
import gc
import inspect
import io
import json
import linecache
import traceback

# isort: off
# The clock before all that reads it, Lua before fakeredis, judge before lab_utils.
from . import clock, lua, event_loop, judge  # noqa: F401

# isort: on
import redis

import lab_utils as lab
from lab_utils.course import exercises
from lab_utils.model import trips
from lab_utils.testbed import chosen_server
from roundtrips import growth, trace

CODE = "your code"  # the name of its file, in hints and tracebacks
ROWS = 50
SIZES = 2, 4, 8
MOST_DRAWN = 600  # round trips
MOST_PRINTED = 5_000  # characters
ASKED = []  # (exercise, answer) of each lab.check in the code: judged when the counting is over

HERE = {"Cost", "LabError", "check", "connect", "count", "empty", "spare", "trace"}


def absent(name):
    """Return a function to stand here for `lab.NAME`, which measures times or needs a real server.

    `name` is that NAME. The function takes any arguments and raises LabError.
    """

    def helper(*_, **__):
        raise lab.LabError(f"lab.{name} is for the lab: it needs a real server. `make lab` has one")

    return helper


lab.__dict__.update({name: absent(name) for name in lab.MODULES.keys() - HERE})
lab.check = lambda name, answer: ASKED.append((name, answer))


def run(code, needs):
    """Run a reader's `code`; return what it printed and cost, as the JSON text of a dict.

    `needs` is the JSON text of {exercise: why it can't be checked in the page}. The code finds `r`,
    a client of a Redis with ROWS users. Code that uses `n`, and gives it no value, is run with n
    users, for each of SIZES.

    The dict has "printed", "error" ("" for none), "verdict" (what the lab says of the exercises
    that the code had checked), and the keys of what `counts` returns; for code with `n` all are of
    the last run. "n" is then the value of `n` in that run, and "growth" says how the round trips
    grow with n.
    """
    ASKED.clear()
    gc.collect()  # what an earlier run left behind would say UNWATCH during this one
    judge.forget()
    program = Program(code)
    printed = io.StringIO()
    said = {"error": "", "n": SIZES[-1]}
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        program.fill(said["n"] if program.uses_n else ROWS)
        with trace() as seen:
            said["error"] = program.error()
    said["printed"] = printed.getvalue()[-MOST_PRINTED:]
    if program.uses_n and seen.round_trips and not said["error"]:
        with contextlib.redirect_stdout(io.StringIO()):
            said["growth"] = program.growth()
    said["verdict"] = "" if said["error"] else verdicts(json.loads(needs))
    return json.dumps(said | counts(seen))


class Program:
    """The reader's `code`, with a namespace of its own to run in, the dict `space`."""

    def __init__(self, code):
        linecache.cache[CODE] = len(code), None, code.splitlines(True), CODE
        self.code = code
        self.uses_n = uses_n(code)
        self.space = {"__name__": "__main__", "redis": redis, "lab": lab}

    def fill(self, rows):
        """Empty the Redis and write `rows` users; set `r` and `n` in the code's namespace.

        `r` is a client whose connection is open, `n` is `rows`.
        """
        r = chosen_server.connect(decode_responses=True)
        r.flushdb()
        users = range(rows)
        r.mset({f"user:{i}": f"name {i}" for i in users} | {f"orders:{i}": i % 7 for i in users})
        r.sadd("team", *users)
        self.space.update(r=r, n=rows)

    def call(self):
        """Run the code once; return a coroutine still to be awaited if the code awaits at its top.

        Else the code has run when this returns.
        """
        made = compile(self.code, CODE, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        return eval(made, self.space)

    def error(self):
        """Run the code to its end; return its error, with the line, as a text, or "" for none."""
        try:
            if inspect.iscoroutine(waiting := self.call()):
                event_loop.run(waiting)
        except BaseException as error:
            return sentence(error)
        return ""

    def growth(self):
        """Run the code for each of SIZES; return how its round trips grow, such as "7 + 6·n".

        If it raises an error, return a text that says so.
        """

        async def page():
            if inspect.iscoroutine(waiting := self.call()):
                await waiting

        try:
            return str(event_loop.run(growth(page, self.fill, SIZES)))
        except BaseException as error:
            return f"can't be told: {sentence(error)}"


def uses_n(code):
    """Return whether `code`, a text, reads a name `n` to which it gives no value itself.

    Returns False for code that is no Python.
    """
    with contextlib.suppress(SyntaxError):
        nodes = list(ast.walk(ast.parse(code)))
        used = [node for node in nodes if isinstance(node, ast.Name) and node.id == "n"]
        given = any(isinstance(node, ast.arg) and node.arg == "n" for node in nodes)
        return bool(used) and not given and all(isinstance(each.ctx, ast.Load) for each in used)
    return False


def sentence(error):
    """Return a text about `error`, an exception: the line of the reader's code, class and message.

    For example 'line 3: KeyError: 5'. There is no line if none of the reader's code is in the
    traceback.
    """
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == CODE
    ]
    if isinstance(error, SyntaxError) and error.filename == CODE:
        lines.append(error.lineno)
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"


def verdicts(needs):
    """Return as one text what the lab says to each answer that the code passed to lab.check.

    `needs` is {exercise: why it can't be checked in the page}.
    """
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        for name, answer in ASKED:
            if name in needs:
                print(f"{name} is for the lab: it needs {needs[name]}. There `make lab` runs it.")
            else:
                exercises.check(name, answer)
    return said.getvalue()


def counts(seen):
    """Return a dict with the counts of `seen`, a Trace, its hints, and the rows to be drawn.

    Bytes are counted without set-up. "drawn" are the rows that `drawn` returns for the first
    MOST_DRAWN round trips, "further" what `further_trips` returns for these.
    """
    log = [trip for trip in seen.log if not trip.setup]
    rows = drawn(log[:MOST_DRAWN])
    return {
        "trips": seen.round_trips,
        "waits": seen.waits,
        "commands": sum(seen.commands.values()),
        "sent": sum(trip.bytes_sent for trip in log),
        "received": sum(trip.bytes_received for trip in log),
        "opened": seen.connections,
        "findings": [{**vars(each), "site": str(each.site)} for each in seen.findings],
        "uncounted": seen.uncounted,
        "further": further_trips(rows),
        "drawn": rows,
    }


def drawn(log):
    """Return a list with a row for each round trip in `log`, a Trace's round trips without set-up.

    A row is [connection, turn, number of commands, their names as a text, line of the code as a
    text, further trips]. A round trip's turn is one more than the highest turn of those whose
    replies had come before it was sent, and else 1; round trips of one turn wait side by side.
    Further trips are those that many bytes take beyond one round trip, since TCP sends only so many
    at first; those that the same connection has made before are taken off.
    """
    ended = []  # (when, its turn)
    carried = collections.defaultdict(int)  # further trips by connection
    rows = []
    for trip in log:
        turn = 1 + max((turn for replied, turn in ended if replied <= trip.sent), default=0)
        ended.append((trip.replied, turn))
        commands = sum(trip.names.values())
        names = " ".join(f"{times} {name}" for name, times in trip.names.items())
        both = trips(trip.bytes_sent) - 1, trips(trip.bytes_received) - 1
        # Of a pipeline the replies flow while requests still do.
        more = max(both) if commands > 1 else sum(both)
        further = max(0, more - carried[trip.connection])
        carried[trip.connection] += further
        rows.append([trip.connection, turn, commands, names, str(trip.site), further])
    return rows


def further_trips(rows):
    """Return the number of further trips that add to the waiting, over all turns.

    `rows` is what `drawn` returned. Round trips of one turn wait at the same time, so the one with
    the most further trips counts.
    """
    by_turn = {}
    for _, turn, *_, further in rows:
        by_turn[turn] = max(by_turn.get(turn, 0), further)
    return sum(by_turn.values())
