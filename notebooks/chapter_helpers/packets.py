"""Real packets, where tcpdump and tshark are there and this user may capture; else a sentence."""

import itertools
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from lab_utils.interrupts import uninterrupted
from lab_utils.testbed.chosen_server import connect, server

COLUMNS = (
    "frame.number",
    "frame.time_relative",
    "tcp.srcport",
    "tcp.len",
    "_ws.col.Protocol",
    "_ws.col.Info",
)
READY_S, FLUSH_S = 10, 0.3
BUFFER_KIB = "32768"  # tcpdump sets aside 256 KB a packet, so its usual 2 MB lose the ninth


def packets(fn: Callable) -> str:
    """Return a table of the packets that `fn(client)` causes on loopback, as tshark reads them.

    Every line of it begins with "this machine: ", since it depends on tools that may not be there;
    where they are not, one line says so.
    """
    if missing := [name for name in ("tcpdump", "tshark") if not shutil.which(name)]:
        return none_here(f"{' and '.join(missing)} not installed")
    if not isinstance(server().address, tuple):
        return none_here("the server is on a Unix socket")
    port = server().address[1]
    with connect(max_connections=1) as client, tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "packets.pcap"
        if not captured(fn, client, port, seen):
            return none_here("tcpdump may not listen")
        rows = dissected(seen, port)
    if not rows:
        return none_here("tshark read no packet")
    cells = [
        row.split(" ", len(COLUMNS) - 1)  # what the packet says, the last, may hold spaces
        for row in ["no time from bytes protocol what", *rows]
    ]
    widths = [max(map(len, column)) for column in itertools.zip_longest(*cells, fillvalue="")]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return "\n".join(f"this machine: {line:.86}" for line in lines)


def none_here(reason):
    return f"this machine: no capture here, {reason}; the rest of the chapter does without"


def captured(fn, client, port, target):
    """Run fn under tcpdump; return False if tcpdump could not start listening."""
    command = [
        "tcpdump",
        "--immediate-mode",
        "-U",
        "-B",
        BUFFER_KIB,
        "-i",
        "any",
        "-w",
        str(target),
        "tcp",
        "port",
        str(port),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        too_late = threading.Timer(READY_S, process.kill)
        with uninterrupted():
            too_late.start()
        try:
            if not any("listening on" in line for line in process.stderr or ()):
                return False
            too_late.cancel()
            fn(client)
            time.sleep(FLUSH_S)  # the last packets are on their way to the file
        finally:
            too_late.cancel()
            process.terminate()
    return True


def dissected(source, port):
    fields = [part for column in COLUMNS for part in ("-e", column)]
    command = [
        "tshark",
        "-r",
        str(source),
        "-d",
        f"tcp.port=={port},resp",
        "-T",
        "fields",
        "-E",
        "separator= ",
        *fields,
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
    return done.stdout.splitlines()
