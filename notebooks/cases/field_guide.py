"""Count and print what each case of the field guide tells of its library: no call of Redis's own.

What is printed is read again by tools/field_guide.py, for docs/field_guide.md: a header, then rows
whose cells stand two spaces or more apart.
"""

import contextlib
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from roundtrips import trace

from lab_utils import frozen

MONTH_S = 30 * 24 * 3_600
DOLLARS_PER_COMMAND = 0.20 / 100_000  # Upstash's "Pay as You Go", November 2026
OWN = ("INFO", "HELLO", "AUTH", "SELECT", "CLIENT SETINFO", "CLIENT SETNAME")
DOING = {"b": "waits in", "P": "listens by"}  # a flag of CLIENT LIST: what it means


@contextlib.contextmanager
def packages():
    """Raise SystemExit where a package that the block imports is missing, with what to do."""
    try:
        yield
    except ModuleNotFoundError as missing:
        raise SystemExit(f"{missing}: pip install -r requirements/cases.txt") from None


def address(server):
    """Return the URL of a client's server, password included."""
    return "redis://:{password}@{host}:{port}".format(**server.get_connection_kwargs())


def counted(call, server=None):
    """Return (the trace of one call, None): what this thread and those that it starts send.

    With a `server` return (the trace of all threads, the commands that the server saw): a SUBSCRIBE
    that nobody waits for is no round trip, but a command.
    """
    before = server and calls(server)
    with trace(scope="process" if server else "block") as trips:
        call()
        if server:
            settle(server)
    return trips, server and calls(server) - before


def table(rows, exact=True):
    """Print {call: what `counted` returned}; bytes that are not `exact` stand behind a ~.

    Raises RuntimeError if a trace has not counted all.
    """
    print_row("call", "round trips", "set-up", "sent", "received", "commands")
    for name, (trips, at_server) in rows.items():
        if at_server is None and trips.uncounted:
            raise RuntimeError(f"not all was counted: {trips.uncounted}")
        log = [
            trip
            for trip in trips.log
            if not trip.setup and (at_server is None or "INFO" not in trip.names)
        ]
        mark = "" if exact else "~"
        sizes = [
            f"{mark}{sum(getattr(trip, way) for trip in log)}"
            for way in ("bytes_sent", "bytes_received")
        ]
        print_row(name, len(log), trips.setup_trips, *sizes, listed(at_server or trips.commands))


def tell(library, **calls):
    """Print a library's name, and a table of calls: a name with _ for its spaces = a function."""
    print("library:", library)
    table({name.replace("_", " "): counted(call) for name, call in calls.items()})


def listed(commands, mark=""):
    if len(commands) > 12:
        return f"{commands.total():,} commands of {len(commands)} kinds"
    each = (
        f"{mark}{times} {name}" if mark or times > 1 else name for name, times in commands.items()
    )
    return ", ".join(each) or "none"


def print_row(name, *cells):
    columns = "".join(f"  {cell!s:>11}" for cell in cells[:-1])
    print(f"{name:<24}{columns}  {cells[-1]}")


def held(server):
    """Print how many connections to a server there are, except the one that asks.

    `server` is a redis.Redis. A row has connections that do the same (wait in a blocking command,
    subscribe, watch, …), that sent the same command last, and have the same name.
    """
    found = Counter(
        (
            next((words for flag, words in DOING.items() if flag in client["flags"]), "last sent"),
            client["cmd"].upper().replace("|", " "),
            client["name"] or "no name",
        )
        for client in server.client_list()
        if client["cmd"] != "client|list"  # not the one that asks
    )
    print_row("connection", "how many", "its name")
    for (words, command, name), many in sorted(found.items()):
        print_row(f"{words} {command}", many, name)


def idle(server, seconds):
    """Print the commands that the server gets in `seconds` of doing nothing, and their price."""
    before = calls(server)
    time.sleep(seconds)
    sent = calls(server) - before
    a_month = sent.total() / seconds * MONTH_S
    costs = f"~{a_month:,.0f}", f"~{a_month * DOLLARS_PER_COMMAND:,.2f}"
    print_row("idle", "in a month", "in dollars", "commands")
    print_row(f"for ~{seconds} s", *costs, listed(sent, mark="~"))


def calls(server):
    """Return how often the server ran each command, INFO and those of set-up aside."""
    found = sorted(server.info("commandstats").items())
    names = ((name.removeprefix("cmdstat_").upper().replace("|", " "), run) for name, run in found)
    return Counter({name: run["calls"] for name, run in names if name not in OWN})


def settle(server, seconds=0.2, besides=()):
    """Wait until the server gets nothing for some `seconds` but commands in `besides`."""
    before, now = None, calls(server)
    while before != now:
        time.sleep(seconds)
        before, now = now, {name: n for name, n in calls(server).items() if name not in besides}


def outcome(call):
    """Return a call's result, or the error that it raised, by its name alone: texts hold ports."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__module__.split('.')[0]} {type(error).__name__}"


def timed(call):
    """Return a call's outcome and, behind a ~, how long it took."""
    began = time.monotonic()
    return f"{outcome(call)}, after ~{time.monotonic() - began:.1f} s"


def at_once(call, times):
    """Return the outcomes of so many calls of one function, each in a thread of its own."""
    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(outcome, [call] * times))


def fates(server, **writes):
    """Print what becomes of calls that write, each with its name, in three cases.

    Its connection was closed while nobody used it; it is closed before the reply; the server stands
    still for 20 s, and all calls are made side by side.
    """
    for name, write in writes.items():
        server.client_kill_filter(skipme=True)
        print(f"{name}, closed before:  ", outcome(write))
        print(f"{name}, closed mid-call:", cut_in_mid_call(server, write))
    with frozen(server, 20), ThreadPoolExecutor() as threads:
        for name, fate in zip(writes, threads.map(timed, writes.values()), strict=True):
            print(f"{name}, it stands:      ", fate)


def cut_in_mid_call(server, write):
    """Return the outcome of a call that writes, whose connection is closed before its reply.

    CLIENT PAUSE holds writes back, so that there is a middle; CLIENT KILL closes all connections.
    """

    def blocked():
        return sum("b" in client["flags"] for client in server.client_list())

    others = blocked()  # a worker that waits for a job, say
    server.client_pause(60_000, all=False)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(outcome, write)
        wait_until(lambda: blocked() > others)
        server.client_kill_filter(skipme=True)
        server.client_unpause()
        return waiting.result()


def wait_until(true):
    """Wait until a function returns something true; raise TimeoutError after half a minute."""
    until = time.monotonic() + 30
    while not true():
        if time.monotonic() > until:
            raise TimeoutError("it was not so within 30 s")
        time.sleep(0.02)
