"""Start a second private server, for experiments that would disturb the lab's usual one."""

import redis

from ..arguments import Option, as_options
from ..errors import LabError
from . import ownership
from .keeper import all_or_none
from .private_server import find_binary, start, wheel_binary


def spare(*settings: str, valkey: bool = False, **options: Option) -> redis.Redis:
    """Start a private server beside the one that `lab.connect` uses, and return a client of it.

    The server is the same program as the lab's own, normally Redis; with `valkey=True` it is
    Valkey. `settings` are lines of redis.conf, such as "maxmemory 10mb"; the lab sets the server's
    address and password, whatever they say. `options` go to redis-py's client unchanged. The client
    connects to the server itself, at no distance. The server ends with the Jupyter kernel. Even if
    REDIS_URL names a server, that server is not used here. Raises LabError where no server program
    is found, or where the server does not start with these settings.
    """
    for setting in settings:
        if not isinstance(setting, str) or "\n" in setting or not setting.strip():
            raise LabError(
                f'lab.spare takes lines of redis.conf, each a string such as "maxmemory 10mb", and '
                f"got {setting!r}. Write one setting a string."
            )
    with all_or_none():
        started = start(wheel_binary("Valkey") if valkey else find_binary(), *settings)
        for name, *path in map(str.split, settings):
            if name.lower() == "unixsocket":
                ownership.add(started, " ".join(path))
        with as_options(options, "lab.spare"), started.connect(**options) as probe:
            probe.ping()
        return started.connect(**options)
