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
    """Return the names of the imported packages that are Redis clients, other than redis-py.

    The result is a list. Modules that are not in a folder of installed packages are left out.
    """
    files = {
        name: getattr(sys.modules.get(module), "__file__", "") for module, name in UNSEEN.items()
    }
    return [
        name
        for name, file in files.items()
        if "site-packages" in str(file) or "dist-packages" in str(file)
    ]
