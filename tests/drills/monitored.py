"""Twenty programs, how many round trips each makes, and what MONITOR says while it runs.

    python tests/drills/monitored.py        writes book/monitor/held.js: how often the page is right

The round trips are those that the counting proxy of roundtrips' tests hears. The log is of a second
run, without that proxy, since it slows a program down. Node.js runs the page's own script. No
pipeline is so long that redis-py writes it in pieces: its first replies come while it is written,
so that the proxy hears another number each time.
"""

import asyncio
import importlib
import json
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import redis
import redis.asyncio

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "roundtrips" / "tests")]

Proxy = importlib.import_module("proxy").Proxy
lab = importlib.import_module("lab_utils")

HELD = ROOT / "book" / "monitor" / "held.js"
RUN = """
const { read } = require(process.argv[1]);
const logs = JSON.parse(require("fs").readFileSync(0));
Promise.all(logs.map((log) => read(log))).then((all) => console.log(JSON.stringify(all.map(
  ({ trips, range }) => [trips, ...range]))));
"""
DISTANCES_MS, ROUNDS = (0, 0.25, 1, 5), 5
KEYS = range(40)
BUMP = "local n = 0 for i = 1, ARGV[1] do n = redis.call('INCR', KEYS[1]) end return n"
GET = [b"*2\r\n$3\r\nGET\r\n$4\r\nhits\r\n"]


def piped(r, calls, transaction=False):
    pipe = r.pipeline(transaction)
    for name, *arguments in calls:
        getattr(pipe, name)(*arguments)
    return pipe.execute()


def gets(first, count):
    return [("get", f"user:{i}") for i in range(first, first + count)]


def bought(pipe):
    left = int(pipe.get("stock"))
    pipe.multi()
    pipe.set("stock", left - 1).rpush("orders", left)


async def gathered(r):
    async with redis.asyncio.Redis(**options_of(r)) as apart:
        await asyncio.gather(*(apart.get(f"user:{i}") for i in KEYS))


PROGRAMS = {
    "a loop": lambda r: [r.get(f"user:{i}") for i in KEYS],
    "two loops in one": lambda r: [(r.hget("ada", i), r.exists(f"seen:{i}")) for i in KEYS],
    "a loop of a bare client": lambda r: [
        (sock.send_packed_command(GET), sock.read_response())
        for sock in [r.connection_pool.get_connection()]
        for _ in range(100)
    ],
    "a loop of large values": lambda r: [r.set(f"page:{i}", "x" * 60_000) for i in range(10)],
    "a scan": lambda r: list(r.hscan_iter("ada", count=50)),
    "a script, ten times": lambda r: [r.eval(BUMP, 1, "hits", 20) for _ in range(10)],
    "a queue, waited for": lambda r: [(r.blpop("jobs", 0.02), r.get("hits")) for _ in range(5)],
    "a pipeline of 200": lambda r: piped(r, gets(0, 200)),
    "a pipeline of large replies": lambda r: piped(r, [("get", "page:0")] * 20),
    "a pipeline of slow commands": lambda r: piped(r, [("zrange", "board", 0, -1)] * 20),
    "a pipeline of scripts": lambda r: piped(r, [("eval", BUMP, 1, "hits", 20)] * 10),
    "pipelines of ten": lambda r: [piped(r, gets(i, 10)) for i in range(0, 200, 10)],
    "pipelines of two": lambda r: [piped(r, gets(i, 2)) for i in KEYS],
    "a loop, then a pipeline": lambda r: [*map(r.get, "abcdefgh"), piped(r, gets(0, 40))],
    "transactions": lambda r: [piped(r, gets(i, 2), True) for i in range(10)],
    "transactions, call by call": lambda r: [
        [r.execute_command(*call.split()) for call in ("MULTI", "INCR a", "INCR b", "EXEC")]
        for _ in range(5)
    ],
    "WATCH, then MULTI": lambda r: [r.transaction(bought, "stock") for _ in range(5)],
    "four threads": lambda r: [*ThreadPoolExecutor(4).map(lambda i: r.get(f"user:{i}"), KEYS)],
    "four threads of pipelines": lambda r: [
        *ThreadPoolExecutor(4).map(lambda i: piped(r, gets(i, 2)), KEYS)
    ],
    "asyncio.gather": lambda r: ThreadPoolExecutor(1).submit(asyncio.run, gathered(r)).result(),
}  # fmt: skip


def options_of(r):
    names = ("host", "port", "username", "password", "db")
    return {name: r.connection_pool.connection_kwargs.get(name) for name in names}


def played(program, options):
    with redis.Redis(**options, single_connection_client="call by call" in program) as r:
        PROGRAMS[program](r)


def counted(program, options: dict) -> int:
    """Return how many round trips a program makes, without those that set up connections.

    `program` is a key of PROGRAMS, `options` are those of a client.
    """
    with Proxy((options["host"], options["port"])) as proxy:
        played(program, {**options, "port": proxy.port})
        return proxy.settle().work()


def log_of(program, options: dict) -> str:
    """Return what MONITOR prints while a program runs, as one text.

    `program` is a key of PROGRAMS, `options` are those of a client.
    """
    with redis.Redis(**options) as ear, ear.monitor() as monitor:
        at = "{}:{}".format(*monitor.connection._sock.getsockname())
        played(program, options)
        with redis.Redis(**options) as last:
            last.echo("that was all")
        lines = []
        while not lines or '"ECHO"' not in lines[-1]:
            lines.append(monitor.connection.read_response().decode(errors="replace"))
    mine = lines[-1].split("] ")[0].split(" [")[1]
    return "\n".join(line for line in lines if mine not in line and at not in line)


def held(rounds: int, distances):
    """Run all PROGRAMS `rounds` times at each distance; yield (program, RTT, round trips, log).

    The program is its name, the RTT is one of `distances`, in ms, the round trips are a number, and
    the log is MONITOR's, as text.
    """
    near = lab.connect()
    lab.empty(near)
    near.mset({f"user:{i}": "a" * 50 for i in range(240)} | {"stock": 100, "page:0": "x" * 60_000})
    near.hset("ada", mapping={str(i): "a" * 100 for i in range(600)})
    near.zadd("board", {f"player:{i}": i for i in range(300)})
    for _ in range(rounds):
        for rtt_ms in distances:
            options = options_of(lab.connect(rtt_ms=rtt_ms))
            for program in PROGRAMS:
                yield program, rtt_ms, counted(program, options_of(near)), log_of(program, options)


def main():
    runs = list(held(ROUNDS, DISTANCES_MS))
    said = subprocess.run(
        ["node", "-e", RUN, ROOT / "book" / "monitor" / "parse.js"],
        input=json.dumps([log for *_, log in runs]), capture_output=True, text=True, check=True,
    )  # fmt: skip
    told = json.loads(said.stdout)
    rows = [
        (program, rtt_ms, trips == true, low < high)
        for (program, rtt_ms, true, _), (trips, low, high) in zip(runs, told, strict=True)
    ]
    version = lab.connect().info("server")["redis_version"]
    # Of each distance: right, right and unsure, wrong and unsure, wrong.
    kinds = [(True, False), (True, True), (False, True), (False, False)]
    told = {
        "date": f"{date.today()}",
        "on": f"Redis {version}, redis-py {redis.__version__}, {platform.system()}",
        "programs": len(PROGRAMS),
        "rounds": ROUNDS,
        "distances": [
            [ms, *(sum(row[1:] == (ms, *kind) for row in rows) for kind in kinds)]
            for ms in DISTANCES_MS
        ],
        "wrong": sorted({program for program, _, is_right, _ in rows if not is_right}),
    }
    HELD.write_text(f"const monitorHeld = {json.dumps(told)};\n", encoding="utf-8")
    return runs


if __name__ == "__main__":
    runs = main()
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(json.dumps(runs))
