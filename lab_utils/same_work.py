"""Did the variants do the same work? Compared fairly means: the same reply, or the same keys afterwards."""

import hashlib
import itertools

import redis

from . import aio, guard
from .counters import admin_of
from .errors import LabError


def check_same_work(variants, client, setup=None):
    """Runs every variant once and raises LabError unless all returned the same, or all wrote the same.

    A reply of None is no evidence. "Wrote the same" means that each changed something and left the database the same.
    """
    admin = admin_of(client)
    seen = {name: evidence(fn, client, admin, setup) for name, fn in variants.items()}
    admin.close()
    replies = [reply for reply, _, _ in seen.values()]
    if all(reply is not None and same_reply(reply, replies[0]) for reply in replies):
        return
    digests = {digest for _, digest, _ in seen.values()}
    if len(digests) == 1 and all(changes for _, _, changes in seen.values()):
        return
    raise LabError(complaint(seen))


def evidence(fn, client, admin, setup):
    """(reply, digest of the database afterwards, number of changes) of one run."""
    if setup:
        setup(client)
    before = changes(admin)
    reply = aio.run(run_async(fn, client)) if aio.is_async(fn) else fn(client)
    return reply, digest(admin), changes(admin) - before


async def run_async(fn, client):
    async with aio.client_like(client) as own:
        return await fn(own)


def same_reply(one, other):
    """Equal, or equal as lists: a loop gathers in a list what MGET returns in one."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return list(one) == list(other)
    return one == other


def changes(admin):
    """How many changes the server has made to its keys so far."""
    return admin.info("persistence")["rdb_changes_since_last_save"]


def digest(admin):
    """One value for all keys and values of the database, whatever their order. DEBUG DIGEST takes in the whole server."""
    if not guard.check(admin).private:
        return digest_by_dump(admin)
    try:
        return admin.execute_command("DEBUG", "DIGEST")
    except redis.ResponseError:  # a server that does not allow DEBUG
        return digest_by_dump(admin)


def digest_by_dump(admin):
    total, keys = 0, admin.scan_iter(count=1_000)
    while batch := list(itertools.islice(keys, 1_000)):
        pipe = admin.pipeline(transaction=False)
        for key in batch:
            pipe.dump(key)
        for key, value in zip(batch, pipe.execute(), strict=True):
            total ^= int.from_bytes(hashlib.blake2b(key + b"\0" + (value or b""), digest_size=16).digest(), "big")
    return total


def complaint(seen):
    did = "; ".join(f"{name} returned {shown(reply)} and made {count:,} changes" for name, (reply, _, count) in seen.items())
    if all(reply is None and not count for reply, _, count in seen.values()):
        return (f"Nothing shows that these variants do the same work: {did}. Let each return what it read, "
                "so that the lab can compare; or pass same=False if they differ on purpose.")
    return (f"These variants do not do the same work, so their times cannot be compared: {did}. "
            "Mend the one that differs, or pass same=False if they differ on purpose.")


def shown(reply):
    text = repr(reply)
    return text if len(text) <= 60 else f"{text[:57]}..."
