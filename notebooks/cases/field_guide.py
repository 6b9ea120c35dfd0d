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
    """In a `with` block of imports, turn a missing package into SystemExit with advice.

    Only ModuleNotFoundError is turned; the advice names requirements/cases.txt.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        raise SystemExit(f"{missing}: pip install -r requirements/cases.txt") from None


def address(server) -> str:
    """Return the URL of the server of `server`, a redis.Redis, password included."""
    return "redis://:{password}@{host}:{port}".format(**server.get_connection_kwargs())


def counted(call, server=None) -> tuple:
    """Call `call()` and count what it sends; return (Trace of roundtrips, None).

    What this thread sends is counted, and what threads send that it starts meanwhile. If `server`,
    a redis.Redis, is given, return (Trace of all threads of the process, Counter {name of a
    command: how often the server ran it}). That Counter also has commands for whose reply nobody
    waits, such as a SUBSCRIBE, which make no round trip in the Trace.
    """
    before = server and calls(server)
    with trace(scope="process" if server else "block") as trips:
        call()
        if server:
            settle(server)
    return trips, server and calls(server) - before


def table(rows: dict[str, tuple], exact: bool = True) -> None:
    """Print a table with a row for each of `rows`, {name of a call: what `counted` returned}.

    The columns are round trips, set-up round trips, bytes sent and received, and commands. If bytes
    differ from run to run, pass exact=False, which prints a ~ before them. Raises RuntimeError if a
    trace could not count all.
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
    """Print a library's name and a table with what each of `calls` sends and receives.

    `calls` is {a row's name, with _ for its spaces: a function without arguments}; each function is
    called once.
    """
    print("library:", library)
    table({name.replace("_", " "): counted(call) for name, call in calls.items()})


def listed(commands: Counter, mark: str = "") -> str:
    if len(commands) > 12:
        return f"{commands.total():,} commands of {len(commands)} kinds"
    each = (
        f"{mark}{times} {name}" if mark or times > 1 else name for name, times in commands.items()
    )
    return ", ".join(each) or "none"


def print_row(name: str, *cells) -> None:
    columns = "".join(f"  {cell!s:>11}" for cell in cells[:-1])
    print(f"{name:<24}{columns}  {cells[-1]}")


def held(server) -> None:
    """Print a table of the open connections to a server, except the one that asks.

    `server` is a redis.Redis. A row stands for the connections that do the same (wait in a blocking
    command, subscribe, …), that sent the same command last, and have the same name; its columns are
    how many they are, and their name.
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


def idle(server, seconds: float) -> None:
    """Print which commands the server gets in `seconds` seconds in which nothing is called.

    `server` is a redis.Redis. Also printed are how many commands that makes a month, and their
    price in dollars at $0.20 for 100,000.
    """
    before = calls(server)
    time.sleep(seconds)
    sent = calls(server) - before
    a_month = sent.total() / seconds * MONTH_S
    costs = f"~{a_month:,.0f}", f"~{a_month * DOLLARS_PER_COMMAND:,.2f}"
    print_row("idle", "in a month", "in dollars", "commands")
    print_row(f"for ~{seconds} s", *costs, listed(sent, mark="~"))


def calls(server) -> Counter:
    """Return a Counter of how often the server ran each command since it started, by name.

    `server` is a redis.Redis. INFO is left out, and so are commands that set a connection up.
    """
    runs = {
        name.removeprefix("cmdstat_").upper().replace("|", " "): run["calls"]
        for name, run in sorted(server.info("commandstats").items())
    }
    return Counter({name: times for name, times in runs.items() if name not in OWN})


def settle(server, seconds: float = 0.2, besides=()) -> None:
    """Wait until the server has run no command for `seconds` seconds.

    `server` is a redis.Redis. Commands whose names are in `besides` may run meanwhile.
    """
    before, now = None, calls(server)
    while before != now:
        time.sleep(seconds)
        before, now = now, {name: n for name, n in calls(server).items() if name not in besides}


def outcome(call):
    """Return what `call()` returns, or, if it raises an error, that error's package and class.

    Package and class are one text, such as 'redis TimeoutError'. The error's message is left out,
    since it may hold a port.
    """
    try:
        return call()
    except Exception as error:
        return f"{type(error).__module__.split('.')[0]} {type(error).__name__}"


def timed(call) -> str:
    """Call `call()`; return a text of its `outcome` and its time: 'True, after ~0.3 s'."""
    began = time.monotonic()
    return f"{outcome(call)}, after ~{time.monotonic() - began:.1f} s"


def at_once(call, times):
    """Call `call()` in `times` threads at once; return the list of the `outcome` of each."""
    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(outcome, [call] * times))


def fates(server, **writes):
    """Print what becomes of calls that write, where the connection or the server fails.

    `server` is a redis.Redis; `writes` is {name: a function without arguments, which writes}. Each
    function is tried in three cases: its connection was closed while nobody used it; its connection
    is closed before the reply comes; the server stands still for 20 s, in which all functions are
    called at once.
    """
    for name, write in writes.items():
        server.client_kill_filter(skipme=True)
        print(f"{name}, closed before:  ", outcome(write))
        print(f"{name}, closed mid-call:", cut_in_mid_call(server, write))
    with frozen(server, 20), ThreadPoolExecutor() as threads:
        for name, fate in zip(writes, threads.map(timed, writes.values()), strict=True):
            print(f"{name}, it stands:      ", fate)


def cut_in_mid_call(server, write):
    """Call `write()` while the server closes its connection before the reply; return its `outcome`.

    `server` is a redis.Redis, and `write()` sends a command that writes. CLIENT PAUSE delays that
    command, so that CLIENT KILL, which closes all connections, comes before the reply.
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


def wait_until(true) -> None:
    """Wait until `true()` returns something true; raise TimeoutError after 30 seconds."""
    until = time.monotonic() + 30
    while not true():
        if time.monotonic() > until:
            raise TimeoutError("it was not so within 30 s")
        time.sleep(0.02)
