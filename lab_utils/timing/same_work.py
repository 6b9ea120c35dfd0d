"""Check that variants do the same work: same commands, same reply, or same keys afterwards.

A reply that only says that a command succeeded, such as True or OK, proves nothing: it is the same
for other data. For writes the keys are compared.
"""

from collections import Counter, namedtuple
from collections.abc import Callable

import redis
from roundtrips.resp import commands_in

from ..arguments import check_ran, check_sent, shown
from ..counting.recording import Recording
from ..counting.watching import connected_call
from ..errors import LabError
from ..testbed import event_loop, ownership
from ..testbed.ownership import admin_of

STATUS = (None, "OK", b"OK", "QUEUED", b"QUEUED", "PONG", b"PONG", "", b"")
FRAME = (b"MULTI", b"EXEC")  # what a transaction puts around the commands that do the work
MOST_KEYS, MOST_BYTES = 10_000, 100_000_000  # setting back a larger database would take too long

# One run: what it returned, the bytes of each of its writes, a digest of the database afterwards,
# and how many changes it made.
Seen = namedtuple("Seen", "reply sent digest changes")


def check_same_work(
    variants: dict[str, Callable], client: redis.Redis, setup: Callable | None = None
) -> None:
    """Run every compared function once from the same state; raise LabError if their work differs.

    `variants`, the compared functions, is {name: function}. Work is the same if the commands are
    the same; or if the replies are the same and are evidence of work (see `is_evidence`); or if
    each function changed keys and all left the same keys and values. Before each function the
    database is set back to its first state, since INCR or LPUSH would go on from what the last
    function left. A large database is not set back: `setup(client)`, which runs before each
    function, has to do that.
    """
    with admin_of(client) as admin:
        small = admin.dbsize() <= MOST_KEYS and admin.info("memory")["used_memory"] <= MOST_BYTES
        beginning = snapshot(admin) if small else None
        seen = {}
        for name, fn in variants.items():
            if beginning is not None and any(run.changes for run in seen.values()):
                set_back(admin, beginning)
            seen[name] = run_once(fn, client, admin, setup)
    if not is_same(list(seen.values())):
        raise LabError(complaint(seen))


def is_same(runs: list[Seen]) -> bool:
    first, changed = runs[0], any(run.changes for run in runs)
    if all(is_evidence(run.reply, changed) and same_reply(run.reply, first.reply) for run in runs):
        return True
    sent = [commands_of(run.sent) for run in runs]
    if sent[0] and all(commands == sent[0] for commands in sent):
        return True
    if any(run.digest != first.digest for run in runs):
        return False
    return all(run.changes for run in runs) or all(
        commands and Counter(commands) == Counter(sent[0]) for commands in sent
    )


def run_once(fn: Callable, client: redis.Redis, admin: redis.Redis, setup: Callable | None) -> Seen:
    """Call a compared function once; return its reply, what it sent and what it changed: a Seen.

    `fn` is the function, `setup` is a function of a client that runs before it, or None. `client`
    is the argument of both; `admin` is a client of the same server that does not use the link. A
    Seen has the bytes of each write, a digest of all keys afterwards, and the server's count of
    changes.
    """
    if setup:
        check_ran(setup(client), "lab.compare")
    before = changes(admin)
    with connected_call(fn, client) as work, Recording() as seen:
        reply = check_ran(work()[0], "lab.compare")
    now = changes(admin)
    made = now - before if now >= before else now  # a server that saves begins at 0 again
    sent = [write.data for write in seen.writes if not write.setup]
    if event_loop.is_async(fn):
        check_sent(sent, "lab.compare")
    return Seen(reply, sent, digest(admin), made)


def commands_of(sent: list[bytes]) -> list[tuple[bytes, ...]]:
    found = (tuple(command) for write in sent for command in commands_in([write]))
    return [command for command in found if command[0] not in FRAME]


def is_evidence(reply: object, changed: bool = False) -> bool:
    """Return whether a reply proves that work was done: True unless it is a status or None.

    A status is such as True, "OK" or an empty text. A list or set proves it if one of its items
    does, a dict if it is not empty. If the variant changed keys (`changed`), an int, such as the 1
    of DEL, proves nothing either.
    """
    if isinstance(reply, (list, tuple, set, frozenset)):
        return any(is_evidence(each, changed) for each in reply)
    if isinstance(reply, dict):
        return bool(reply)
    if isinstance(reply, int):
        return not isinstance(reply, bool) and not changed
    return not isinstance(reply, (type(None), str, bytes)) or reply not in STATUS


def same_reply(one: object, other: object) -> bool:
    """Return whether two replies are equal, item by item: a loop's list equals MGET's tuple."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_reply, one, other))
    try:
        return bool(one == other)
    except Exception:  # an array of numpy has many answers, or none
        return False


def changes(admin: redis.Redis) -> int:
    """Return how many changes to keys the server has counted since its last save.

    `admin` is a client of that server.
    """
    return admin.info("persistence")["rdb_changes_since_last_save"]


def digest(admin: redis.Redis) -> object:
    """Return a value that is the same for the same keys and values in the database, in any order.

    `admin` is a client of that database. On the lab's own server the value is bytes and covers all
    databases; on another server it is an int.
    """
    if ownership.check(admin).private:
        return admin.execute_command("DEBUG", "DIGEST")  # which takes in the whole server
    return hash(frozenset((key, value) for key, (value, _) in snapshot(admin).items()))


def snapshot(admin: redis.Redis) -> dict[bytes, tuple[bytes, int]]:
    """Return {key: (its DUMP, milliseconds until it expires or 0)} of the whole database.

    `admin` is a client of that database.
    """
    keys = list(admin.scan_iter(count=1000))
    pipe = admin.pipeline(transaction=False)
    for key in keys:
        pipe.dump(key).pttl(key)  # type: ignore[union-attr]
    told = pipe.execute()
    return {
        key: (value, max(0, ttl))
        for key, value, ttl in zip(keys, told[::2], told[1::2], strict=True)
        if value
    }


def set_back(admin: redis.Redis, beginning: dict[bytes, tuple[bytes, int]]) -> None:
    """Restore the database to its state at the time of `beginning`, which `snapshot` returned.

    New keys are deleted, changed and lost ones restored. `admin` is a client of the database.
    """
    now = snapshot(admin)
    pipe = admin.pipeline(transaction=False)
    for key in now.keys() - beginning.keys():
        pipe.delete(key)
    for key, (value, ttl) in beginning.items():
        if key not in now or now[key][0] != value:
            pipe.restore(key, ttl, value, replace=True)
    pipe.execute()


def complaint(seen: dict[str, Seen]) -> str:
    did = "; ".join(
        f"{name} returned {shown(run.reply)} and made {run.changes:,} changes"
        for name, run in seen.items()
    )
    if not any(is_evidence(run.reply) or run.changes for run in seen.values()):
        return (
            f"Nothing shows that these variants do the same work: {did}. Let each return what "
            "it read, so that the lab can compare; or pass same=False if they differ on "
            "purpose."
        )
    return (
        f"These variants do not do the same work, so their times cannot be compared: {did}. "
        "Mend the one that differs, or pass same=False if they differ on purpose."
    )
