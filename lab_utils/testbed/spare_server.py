"""A second private server, for what one does not do to a server that others use."""

from ..arguments import as_options
from ..errors import LabError
from . import private_server
from .keeper import all_or_none

# Settings by which a server would escape the lab, or the lab its server; those that fit in any
# place are not here.
KEPT_BY_THE_LAB = {
    "aclfile",
    "bind",
    "daemonize",
    "dir",
    "include",
    "logfile",
    "port",
    "rename-command",
    "requirepass",
    "user",
}


def spare(*settings: str, **options):
    """Start a private server beside the one that `lab.connect` uses, and return a client of it.

    `settings` are lines of redis.conf, such as "maxmemory 10mb"; `options` go to redis-py
    unchanged. There is no link in front of it. It ends with the kernel, as the lab's own server
    does. Raises LabError where no server binary is found, even when REDIS_URL names a server: that
    one is never used here; or where a setting would take it out of the lab's hands.
    """
    for setting in settings:
        if not isinstance(setting, str) or "\n" in setting or not setting.strip():
            raise LabError(
                f'lab.spare takes lines of redis.conf, each a string such as "maxmemory 10mb", and '
                f"got {setting!r}. Write one setting a string."
            )
        if setting.split()[0].strip("\"'").lower() in KEPT_BY_THE_LAB:
            raise LabError(
                f"lab.spare cannot start a server with {setting!r}: where it listens, runs and "
                "writes, and who may log in, is the lab's, so that it ends with your kernel. Set "
                "it with CONFIG SET, or leave it out."
            )
    with all_or_none():
        started = private_server.start(private_server.find_binary(), *settings)
        with as_options(options, "lab.spare"), started.connect(**options) as probe:
            probe.ping()
        return started.connect(**options)
