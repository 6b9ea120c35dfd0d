"""A second private server, for what one does not do to a server that others use: flush its scripts, change its settings."""

from . import servers


def spare(*settings, **options):
    """A `redis.Redis` on a private server of its own, started for this call, beside the one that `lab.connect` uses.

    `settings` are lines of redis.conf, such as "maxmemory 10mb"; `options` go to redis-py unchanged. There is no link in
    front of it. It ends with the kernel, as the lab's own server does. Raises LabError where no server binary is found,
    even when REDIS_URL names a server: that one is never used here.
    """
    return servers.start(servers.find_binary(), *settings).connect(**options)
