"""Real packets, where tcpdump and tshark are installed and this user may capture. Optional: nothing else needs it."""

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from .servers import connect, server

COLUMNS = ("frame.number", "frame.time_relative", "tcp.srcport", "tcp.len", "_ws.col.Protocol", "_ws.col.Info")
READY_S, FLUSH_S = 3, 0.3
BUFFER_KIB = "32768"  # tcpdump sets aside a quarter of a megabyte a packet, so its usual 2 MB lose the ninth


def packets(fn):
    """A table of the packets that `fn(client)` causes on loopback, read by tshark; or a sentence that says why there is none."""
    if missing := [name for name in ("tcpdump", "tshark") if not shutil.which(name)]:
        return f"this machine: no capture here, {' and '.join(missing)} not installed; the rest of the chapter does without"
    if not isinstance(server().address, tuple):
        return "this machine: no capture here, the server is on a Unix socket; the rest of the chapter does without"
    port = server().address[1]
    client = connect(max_connections=1)
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "packets.pcap"
        if not captured(fn, client, port, seen):
            return "this machine: no capture here, tcpdump may not listen; the rest of the chapter does without"
        rows = dissected(seen, port)
    client.close()
    return "\n".join(f"this machine: {row}" for row in ("no time from bytes protocol what", *rows))


def captured(fn, client, port, target):
    """Runs fn under tcpdump; False if tcpdump could not start listening."""
    command = ["tcpdump", "--immediate-mode", "-U", "-B", BUFFER_KIB, "-i", "any", "-w", str(target), "tcp", "port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        if "listening on" not in "".join(iter_until(process.stderr, "listening on")):
            return False
        fn(client)
        time.sleep(FLUSH_S)  # the last packets are on their way to the file
        process.terminate()
        process.wait(READY_S)
    return True


def iter_until(stream, word):
    for line in stream:
        yield line
        if word in line:
            return


def dissected(source, port):
    fields = [part for column in COLUMNS for part in ("-e", column)]
    command = ["tshark", "-r", str(source), "-d", f"tcp.port=={port},resp", "-T", "fields", "-E", "separator= ", *fields]
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
