"""The start: how long until the lab is there, and how much memory it takes. Each in fresh processes."""

import statistics
import subprocess
import sys

from .row import Row

PROCESSES = 7
IMPORT_AIM_S, CONNECT_AIM_S, MEMORY_AIM_MB = 0.5, 0.3, 50

TIMED = """
import time
{before}
started = time.perf_counter()
{timed}
print(time.perf_counter() - started)
"""

MEMORY = """
import subprocess
import lab_utils as lab
from lab_utils.testbed.link import link
from lab_utils.testbed.chosen_server import server
lab.connect(5).ping()
for process in server(), link():
    print(subprocess.run(["ps", "-o", "rss=", "-p", str(process.pid)], capture_output=True, text=True).stdout.strip())
"""


def rows():
    client = timed("", "import redis, redis.asyncio, hiredis")
    took = timed("", "import lab_utils")
    yield Row("start: import lab_utils", f"{took:.2f} s", f"import redis: {client:.2f} s", f"{IMPORT_AIM_S} s",
              took <= IMPORT_AIM_S)
    took = timed("import lab_utils as lab", "lab.connect()")
    yield Row("start: first connect, with the server's start", f"{took:.3f} s", "nothing running before", f"{CONNECT_AIM_S} s",
              took <= CONNECT_AIM_S)
    took = timed("import lab_utils as lab; lab.connect()", "lab.connect(1)")
    yield Row("start: first connect at 1 ms, with the link's start", f"{took:.3f} s", "the server runs already")
    of_server, of_link = (int(line) * 1024 / 1e6 for line in fresh(MEMORY).split())
    yield Row("start: memory of server and link", f"{of_server + of_link:.0f} MB",
              f"server {of_server:.0f} MB, link {of_link:.0f} MB", f"{MEMORY_AIM_MB} MB", of_server + of_link <= MEMORY_AIM_MB)


def timed(before, code):
    """Median seconds of `code` after `before`, each time in a new process."""
    return statistics.median(float(fresh(TIMED.format(before=before, timed=code))) for _ in range(PROCESSES))


def fresh(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
