"""Code in an interpreter of its own, timed once, with all that it loads and opens on the way."""

import secrets
import sys
from subprocess import PIPE, TimeoutExpired

from ..arguments import check_text
from ..errors import LabError
from ..testbed.chosen_server import server
from ..testbed.keeper import Kept
from ..testbed.link import check_distance, link
from ..testbed.pinning import steady

PROGRAM = """import timeit
print({mark!r}, timeit.timeit({code!r}, number=1, globals={{'address': {address!r}}}))
"""
TIMEOUT_S = 120


def run_fresh(code: str, rtt_ms: float = 0) -> float:
    """Return the seconds that `code` takes once in a fresh Python, imports included.

    It is `timeit.timeit(code, number=1)`. The code finds `address`, the keyword arguments with
    which redis.Redis reaches the lab's server, `rtt_ms` away. Starting Python itself is not in the
    time. The first run may be slower: the disk has to be read. Raises LabError with the last line
    of its traceback if the code fails.
    """
    check_text(code, "code")
    chosen = server()
    check_distance(rtt_ms)
    address = chosen.options
    if rtt_ms:
        address = {**address, "host": "127.0.0.1", "port": link().port(chosen, rtt_ms)}
    mark = secrets.token_hex(8)  # the code may print too
    with steady(chosen.pid, link() if rtt_ms else None):
        said, errors = ended(PROGRAM.format(code=code, address=address, mark=mark).encode())
    _, found, took = said.decode(errors="replace").rpartition(mark)
    if not found:
        lines = errors.decode(errors="replace").strip().splitlines()
        why = lines[-1] if lines else "it ended without a word"
        raise LabError(f"The code failed in its own Python: {why}. Mend it and run again.")
    return float(took)


def ended(program):
    """Return (what it printed, its errors) of a program that ran in a Python of its own."""
    kept = Kept([sys.executable, "-I", "-"], feed=program, stdout=PIPE, stderr=PIPE)
    try:
        return kept.process.communicate(timeout=TIMEOUT_S)
    except TimeoutExpired:
        return b"", f"it had not ended after {TIMEOUT_S} s".encode()
    finally:
        kept.stop()
