"""Find Redis clients other than redis-py: their round trips are not counted."""

import sys

UNSEEN = {  # {module: its name as a package}
    "aioredis": "aioredis",
    "aredis": "aredis",
    "asyncio_redis": "asyncio_redis",
    "coredis": "coredis",
    "glide": "valkey-glide",
    "glide_sync": "valkey-glide-sync",
    "txredisapi": "txredisapi",
}


def clients_here() -> list[str]:
    """Return the names of the client packages that this process has imported.

    Only installed packages count, other than redis-py.
    """
    names = []
    for module, name in UNSEEN.items():
        file = str(getattr(sys.modules.get(module), "__file__", ""))
        if "site-packages" in file or "dist-packages" in file:
            names.append(name)
    return names
