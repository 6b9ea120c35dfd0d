"""Code in an interpreter of its own, timed once, with all that it loads and opens on the way."""

import subprocess
import sys

from .errors import LabError
from .link import check_distance, link, without_address
from .servers import server
from .steady import steady

PROGRAM = "import timeit\nprint(timeit.timeit({code!r}, number=1, globals={{'address': {address!r}}}))\n"
TIMEOUT_S = 120


def run_fresh(code, rtt_ms=0):
    """Seconds that `code`, a string, takes once in a fresh Python: `timeit.timeit(code, number=1)`, imports included.

    The code finds `address`, the keyword arguments with which redis.Redis reaches the lab's server, `rtt_ms` away.
    Starting Python itself is not in the time. The first run may be slower: the disk has to be read.
    Raises LabError with the last line of its traceback if the code fails.
    """
    chosen = server()
    check_distance(chosen, rtt_ms)
    address = chosen.options
    if rtt_ms:
        address = {**without_address(address), "host": "127.0.0.1", "port": link().port(chosen, rtt_ms)}
    with steady(chosen.pid, link() if rtt_ms else None):
        ended = subprocess.run([sys.executable, "-I", "-"], input=PROGRAM.format(code=code, address=address),
                               capture_output=True, text=True, timeout=TIMEOUT_S)
    if ended.returncode:
        raise LabError(f"The code failed in its own Python: {ended.stderr.strip().splitlines()[-1]}. Mend it and run again.")
    return float(ended.stdout.split()[-1])
