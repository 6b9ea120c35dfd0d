"""The start, in fresh processes: how long until the lab is there, and how much memory it takes."""

import statistics
import subprocess
import sys

from lab_utils.testbed.private_server import find_binary

from .row import Row

PROCESSES = 7
# At most so many times what the peer in the same run takes.
START_AIM, MEMORY_AIM = 3, 4

TIMED = """
import time
{before}
started = time.perf_counter()
{timed}
print(time.perf_counter() - started)
"""

BARE_SERVER = """
import redis
command = [BINARY, "--port", "0", "--unixsocket", socket, "--save", ""]
server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
client = redis.Redis(unix_socket_path=socket)
while True:
    try:
        client.ping()
        break
    except redis.ConnectionError:
        time.sleep(0.005)
"""
BEFORE_BARE = f"""
import atexit, os, subprocess, tempfile
BINARY = {str(find_binary())!r}
folder = tempfile.TemporaryDirectory()
socket = os.path.join(folder.name, "s")
atexit.register(lambda: (server.kill(), server.wait()))
"""
RSS = """
asked = ["ps", "-o", "rss=", "-p", str({pid})]
print(subprocess.run(asked, capture_output=True, text=True).stdout.strip())
"""
MEMORY = (
    """
import subprocess
import lab_utils as lab
from lab_utils.testbed.link import link
from lab_utils.testbed.chosen_server import server
lab.connect(5).ping()
"""
    + RSS.format(pid="server().pid")
    + RSS.format(pid="link().pid")
)


def rows():
    took = timed("", "import lab_utils as lab\nlab.connect()")
    bare = timed(BEFORE_BARE, BARE_SERVER)
    yield Row(
        "start: import lab_utils, and the first connect",
        f"{took:.2f} s, {took / bare:.1f}x",
        f"import redis, and a bare server's start: {bare:.2f} s",
        f"at most {START_AIM}x",
        took <= START_AIM * bare,
    )
    took = timed("import lab_utils as lab; lab.connect()", "lab.connect(1)")
    yield Row(
        "start: first connect at 1 ms, with the link's start",
        f"{took:.3f} s",
        "the server runs already",
    )
    of_server, of_link = (int(line) * 1024 / 1e6 for line in fresh(MEMORY).split())
    asked = fresh("import time\n" + BEFORE_BARE + BARE_SERVER + RSS.format(pid="server.pid"))
    bare = int(asked) * 1024 / 1e6
    yield Row(
        "start: memory of server and link",
        f"{of_server + of_link:.0f} MB, {(of_server + of_link) / bare:.1f}x",
        f"a bare server: {bare:.0f} MB",
        f"at most {MEMORY_AIM}x",
        of_server + of_link <= MEMORY_AIM * bare,
    )


def timed(before, code):
    """Return the median seconds of `code` after `before`, each time in a new process."""
    program = TIMED.format(before=before, timed=code)
    return statistics.median(float(fresh(program)) for _ in range(PROCESSES))


def fresh(code):
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
