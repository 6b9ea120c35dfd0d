"""Measure clients of Java and Node.js over the lab's link, and write measured.json.

python notebooks/other_clients/measure.py    needs Java 17, mvn, node and npm; some 10 minutes
"""

import datetime
import json
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import lab_utils as lab
from lab_utils.testbed.fingerprints import environment_line

HERE = Path(__file__).resolve().parent
RTTS_MS, RECORDS, ROUNDS = (0, 1, 5), (1, 10, 50, 100, 1_000), 9
CPUS = 16, 4, 1  # that Java is told of, for parallel streams; the article's machine had one


def installed(folder):
    """Install the clients' packages into the Path `folder`; return commands that run the clients.

    Each command is a list of words: Java with 16, 4 and 1 CPUs, then Node.js.
    """
    for name in ("pom.xml", "package.json"):
        (folder / name).write_bytes((HERE / name).read_bytes())
    # The script is read where its packages are.
    (folder / "clients.mjs").write_bytes((HERE / "clients.mjs").read_bytes())
    maven = ["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"]
    subprocess.run(maven, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["npm", "install", "--silent"], cwd=folder, check=True)
    classpath = (folder / "classpath.txt").read_text().strip()
    java = [
        ["java", f"-XX:ActiveProcessorCount={cpus}", "-cp", classpath, str(HERE / "Clients.java")]
        for cpus in CPUS
    ]
    return [*java, ["node", str(folder / "clients.mjs")]]


def measure(commands, rtts_ms=RTTS_MS, records=RECORDS, rounds=ROUNDS):
    """Run the clients; return {kind: {way: {RTT in ms: {records: [least, median, most]}}}}.

    `commands` is what `installed` returned. At each distance of `rtts_ms`, each client reads each
    number of `records` in each of its ways, `rounds` times; least, median and most are over these
    rounds. The keys for RTT and records are texts. The kinds are "ms" (milliseconds of one call),
    "reads" (how often the server read from sockets), "connections" (how many were opened) and "at
    once" (how many calls a parallel stream had under way). Exits if a client fails.
    """
    lab.connect().mset({f"key{each}": f"value of key{each}" for each in range(max(records))})
    found = {}
    for rtt_ms in rtts_ms:
        address = lab.connect(rtt_ms=rtt_ms).get_connection_kwargs()
        environment = {**os.environ, "LAB_PASSWORD": address["password"]}
        place = [address["host"], str(address["port"]), str(rounds), *map(str, records)]
        for command in commands:
            asked = subprocess.run(
                [*command, *place], env=environment, capture_output=True, text=True
            )
            if asked.returncode:
                raise SystemExit(f"{command[0]} failed: {asked.stderr[-2000:]}")
            for line in asked.stdout.splitlines():
                way, number, *values = line.split("\t")
                found.setdefault((way, f"{rtt_ms}", number), []).append([*map(int, values)])
    told = {"ms": {}, "reads": {}, "connections": {}, "at once": {}}
    for (way, rtt, number), seen in found.items():
        took_ns, *counts = zip(*seen, strict=True)
        for kind, values in zip(told, ([ns / 1e6 for ns in took_ns], *counts), strict=True):
            middle = round(statistics.median(values), 3)
            told[kind].setdefault(way, {}).setdefault(rtt, {})[number] = [
                round(min(values), 3),
                middle,
                round(max(values), 3),
            ]
    return told


def versions():
    """Return a line with the versions of server, Java and Node.js, and the number of CPUs."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True)
    node = subprocess.run(["node", "--version"], capture_output=True, text=True)
    return (
        f"{environment_line()} · {java.stderr.splitlines()[0]} · Node {node.stdout.strip()} · "
        f"{os.cpu_count()} CPUs"
    )


def main():
    with tempfile.TemporaryDirectory() as folder:
        told = measure(installed(Path(folder)))
    kept = {"day": f"{datetime.date.today()}", "machine": versions(), **told}
    text = json.dumps(kept, ensure_ascii=False) + "\n"
    (HERE / "measured.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
