"""Time code once in a new Python for lab.run_fresh, with imports and its first connection."""

import subprocess
import sys

from ..errors import LabError
from ..testbed.chosen_server import server
from ..testbed.link import check_distance, link
from ..testbed.pinning import steady

PROGRAM = """import timeit
print("\\nseconds:", timeit.timeit({code!r}, number=1, globals={{'address': {address!r}}}))
"""


def run_fresh(code: str, rtt_ms: float = 0) -> float:
    """Run the Python code `code` in a new Python; return the seconds it takes, with imports.

    The time is that of `timeit.timeit(code, number=1)`; starting Python is not included. The code
    can use `address`, a dict of the keyword arguments with which redis.Redis reaches the lab's
    server, `rtt_ms` ms away. The first call may be slower, since the disk has to be read. Raises
    LabError with the last line of the traceback if the code fails.
    """
    chosen = server()
    check_distance(rtt_ms)
    address = chosen.options
    if rtt_ms:
        address = {**address, "host": "127.0.0.1", "port": link().port(chosen, rtt_ms)}
    program = PROGRAM.format(code=code, address=address).encode()
    with steady(chosen.pid, link() if rtt_ms else None):
        ran = subprocess.run([sys.executable, "-I", "-"], input=program, capture_output=True)
    # The code may print too, before and when it ends; or end its Python, which is no time.
    _, found, after = ran.stdout.rpartition(b"\nseconds: ")
    if ran.returncode or not found:
        said = ran.stderr.decode(errors="replace").strip() or "it ended without a word"
        raise LabError(
            f"The code failed in its own Python: {said.splitlines()[-1]}. Mend it and run again."
        )
    return float(after.split()[0])
