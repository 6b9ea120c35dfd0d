"""Did the variants do the same work: the same commands, the same reply, or the same keys after?

A reply that only says that something was done, such as True or OK, is no more evidence than None:
it says the same for other data. What was written is told by the keys.
"""

import hashlib
import itertools
from collections import Counter, namedtuple

from roundtrips.resp import commands_in

from ..arguments import check_ran, check_sent, shown
from ..counting.recording import Recording
from ..counting.watching import opened
from ..errors import LabError
from ..testbed import event_loop, guard
from ..testbed.guard import admin_of

STATUS = (None, "OK", b"OK", "QUEUED", b"QUEUED", "PONG", b"PONG", "", b"")
FRAME = (b"MULTI", b"EXEC")  # what a transaction puts around the commands that do the work
MOST_KEYS, MOST_BYTES = 10_000, 100_000_000  # setting back a larger database would take too long

# One run: what it returned, the bytes of each of its writes, a digest of the database afterwards,
# and how many changes it made.
Seen = namedtuple("Seen", "reply sent digest changes")


def check_same_work(variants: dict, client, setup=None) -> None:
    """Run every variant once, each from the same beginning; raise LabError if their work differs.

    That is shown by the same commands, by replies that are the same and evidence, or by changes
    that each made and that left the same keys and values. What a variant changed is set back before
    the next one, since work such as INCR or LPUSH goes on where the last run ended; in a large
    database it is not, and `setup(client)` has to do it.
    """
    with admin_of(client) as admin:
        beginning = snapshot(admin) if is_small(admin) else None
        seen = {}
        for name, fn in variants.items():
            if beginning is not None and any(run.changes for run in seen.values()):
                set_back(admin, beginning)
            seen[name] = evidence(fn, client, admin, setup)
    if not is_same(list(seen.values())):
        raise LabError(complaint(seen))


def is_same(runs):
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


def evidence(fn, client, admin, setup):
    """Return what is Seen of one run."""
    if setup:
        check_ran(setup(client), "lab.compare")
    before = changes(admin)
    with opened(fn, client) as work, Recording() as seen:
        reply = check_ran(work()[0], "lab.compare")
    now = changes(admin)
    made = now - before if now >= before else now  # a server that saves begins at 0 again
    sent = [write.data for write in seen.writes if not write.setup]
    if event_loop.is_async(fn):
        check_sent(sent, "lab.compare")
    return Seen(reply, sent, digest(admin), made)


def commands_of(sent):
    found = (tuple(command) for write in sent for command in commands_in([write]))
    return [command for command in found if command[0] not in FRAME]


def is_evidence(reply, changed=False):
    """Return False for a status, nothing, a list of such; for a count if something `changed`."""
    if isinstance(reply, (list, tuple, set, frozenset)):
        return any(is_evidence(each, changed) for each in reply)
    if isinstance(reply, dict):
        return bool(reply)
    if isinstance(reply, int):
        return not isinstance(reply, bool) and not changed
    return not isinstance(reply, (type(None), str, bytes)) or reply not in STATUS


def same_reply(one, other):
    """Return whether they are equal, as lists too: a loop gathers what MGET returns at once."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_reply, one, other))
    try:
        return bool(one == other)
    except Exception:  # an array of numpy has many answers, or none
        return False


def changes(admin):
    """Return how many changes the server has made to its keys so far."""
    return admin.info("persistence")["rdb_changes_since_last_save"]


def digest(admin):
    """Return one value for all keys and values of the database, whatever their order."""
    if guard.check(admin).private:
        return admin.execute_command("DEBUG", "DIGEST")  # which takes in the whole server
    return digest_by_dump(admin)


def digest_by_dump(admin):
    total, keys = 0, admin.scan_iter(count=1_000)
    while batch := list(itertools.islice(keys, 1_000)):
        pipe = admin.pipeline(transaction=False)
        for key in batch:
            pipe.dump(key)
        for key, value in zip(batch, pipe.execute(), strict=True):
            both = hashlib.blake2b(key + b"\0" + (value or b""), digest_size=16)
            total ^= int.from_bytes(both.digest(), "big")
    return total


def is_small(admin):
    return admin.dbsize() <= MOST_KEYS and admin.info("memory")["used_memory"] <= MOST_BYTES


def snapshot(admin):
    """Return {key: (its DUMP, milliseconds until it expires or 0)} of the whole database."""
    keys = list(admin.scan_iter(count=1000))
    pipe = admin.pipeline(transaction=False)
    for key in keys:
        pipe.dump(key).pttl(key)
    told = pipe.execute()
    return {
        key: (value, max(0, ttl))
        for key, value, ttl in zip(keys, told[::2], told[1::2], strict=True)
        if value
    }


def set_back(admin, beginning):
    """Make the database what it was: deletes what is new, restores what has changed or gone."""
    now = snapshot(admin)
    pipe = admin.pipeline(transaction=False)
    for key in now.keys() - beginning.keys():
        pipe.delete(key)
    for key, (value, ttl) in beginning.items():
        if key not in now or now[key][0] != value:
            pipe.restore(key, ttl, value, replace=True)
    pipe.execute()


def complaint(seen):
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
