"""What a trace shows that one would change, each with its evidence; and, apart, what is only worth a look.

A finding is what the wire proves. Where the program may have its reasons (it polls, it is a cache, the reply decides what comes
next), it is worth a look and no more; where there is nothing to be had, nothing is said.
"""

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass

from ..callsites import NOWHERE, CallSite
from ..commands import FIELDS, blocks, named
from ..keys import SEPARATORS
from ..roundtrip import LOST
from ..words import counted, size

FEWEST_IN_A_LOOP = 5
FEWEST_TRANSACTIONS = 3  # of one command each
FEWEST_CONNECTIONS = 3
FEWEST_SCANS, SMALL_COUNT, GOOD_COUNT = 10, 100, 1_000
FEWEST_TEXTS, LONG_TEXT = 3, 150  # bytes of a command; EVALSHA takes about 70
LONGEST_PAUSE_S = 0.02  # between turns of one loop; after a longer one something else began
LARGE_REPLY = 100_000  # bytes
NOTHING = 5  # bytes of a reply that says nil; a value takes more

ONE_BY_ONE, PIPELINES, UNSAFE = "03_loops_pipelines_mset", "04_multi_exec", "10_limits_and_failures"
READS = named("""
    GET HGET HGETALL HMGET MGET EXISTS TTL PTTL TYPE STRLEN LLEN SCARD ZCARD HLEN LRANGE SMEMBERS SISMEMBER ZSCORE ZRANGE
    ZRANK HEXISTS HKEYS HVALS LINDEX GETRANGE ZCOUNT BITCOUNT
""")
WRITES = named("""
    SET SETEX HSET HMSET DEL UNLINK EXPIRE PEXPIRE INCRBY INCR DECR DECRBY INCRBYFLOAT HINCRBY HINCRBYFLOAT HDEL SADD SREM
    ZADD ZREM ZINCRBY LPUSH RPUSH LTRIM APPEND PERSIST XADD PFADD
""")
TAKES_SEVERAL = frozenset({"SADD", "ZADD", "LPUSH", "RPUSH", "SREM", "ZREM", "HDEL", "PFADD"})  # members of one key
TAKES_KEYS = {"GET": "values = r.mget(keys)", "DEL": "r.delete(*keys)", "UNLINK": "r.unlink(*keys)"}
KEY_ALONE = named("GET HGETALL EXISTS TTL PTTL TYPE STRLEN LLEN SCARD ZCARD HLEN SMEMBERS HKEYS HVALS DEL UNLINK PERSIST")
# Done twice is not done once.
ADDS_UP = named("""
    INCR INCRBY INCRBYFLOAT DECR DECRBY HINCRBY HINCRBYFLOAT ZINCRBY APPEND LPUSH RPUSH LPOP RPOP SPOP XADD GETDEL
    RPOPLPUSH LMOVE
""")
TAKES_A_JOB = named("""
    LPOP RPOP BLPOP BRPOP LMOVE BLMOVE RPOPLPUSH BRPOPLPUSH SPOP ZPOPMIN ZPOPMAX BZPOPMIN BZPOPMAX XREADGROUP
""")
FILLS = ("SET", "SETEX", "PSETEX")
CHANGED = "a read, and a write of the same key"
CHANGES_OF = {"GET": ("SET",), "HGET": ("HSET",)}


@dataclass(frozen=True)
class Finding:
    """Something to change: `what` it is, what `shows` it, the round trips it `saves`, `site`, `chapter`, code to write `instead`.

    It saves at most so many: two loops over other keys, one straight after the other, look like one on the wire. `sure` is False
    for what is only worth a look.
    """

    kind: str
    what: str
    shows: str
    saves: int
    site: CallSite
    chapter: str
    instead: str
    sure: bool = True

    def __str__(self):
        saving = f" {self.saving.capitalize()}." if self.saves else ""
        return f"{self.site}: {self.what}: {self.shows}.{saving} Chapter {self.chapter}."

    @property
    def saving(self):
        """'saves up to 19 round trips', or '' where it saves none."""
        return f"saves up to {counted(self.saves, 'round trip')}" if self.saves else ""


class Findings(list):
    """Findings, the one that saves most first; shown with those that are worth a look apart."""

    def __repr__(self):
        sure = [each for each in self if each.sure]
        rest = [each for each in self if not each.sure]
        blocks = ["\n".join([title, *[in_lines(each) for each in found]])
                  for title, found in (("What to change", sure), ("Worth a look", rest)) if found]
        return "\n".join(blocks) or "Nothing found to change."


def in_lines(finding):
    saving = f" ({finding.saving})" if finding.saves else ""
    return "\n".join([f"  {finding.what}{saving}", f"    {finding.shows}", f"    {finding.site}; chapter {finding.chapter}",
                      *[f"      {line}" for line in finding.instead.splitlines()]])


def findings_of(record):
    """The Findings of a Record."""
    work = [turn for turn in record.log if not turn.setup]
    by_line = defaultdict(list)
    for turn in work:
        if turn.site != NOWHERE:  # else there is no line to change
            by_line[turn.worker].append(turn)
    node_of = nodes_of(record)
    found = []
    for turns in by_line.values():
        for several in stretches(turns):
            found += loops(several, node_of)
            found += small_transactions(several)
        found += read_then_written(turns)
        found += retried(turns)
    found += [*whole_keyspace(work), *small_scans(work), *texts_again(work), *connections(record), *blocking(record, work),
              *reading_transactions(work), *large_replies(work)]
    return Findings(sorted(merged(found), key=lambda each: (not each.sure, -each.saves)))


def stretches(turns):
    """The turns of a line, in pieces that neither a long pause interrupts nor a command whose reply decides what comes next."""
    piece = []
    for turn in turns:
        if piece and (turn.sent - piece[-1].replied > LONGEST_PAUSE_S or decides(turn)):
            yield piece
            piece = []
        piece.append(turn)
    if piece:
        yield piece


def decides(turn):
    """Whether a key was watched or a lock asked for here: what is done then can't be sent together with what comes after it."""
    return any(command.name == "WATCH" or (command.name == "SET" and int(command.detail or 0) & 1) for command in turn.commands)


def merged(found):
    """Findings of one kind at one place are one, the first, with the round trips of all; loops only if of the same command."""
    groups = defaultdict(list)
    for each in found:
        command = each.shows.split()[0] if each.kind == "loop" else None
        groups[each.kind, each.site, each.sure, command].append(each)
    for several in groups.values():
        first, *others = several
        again = f"; and so {counted(len(others), 'time')} more" if others else ""
        yield Finding(first.kind, first.what, first.shows + again, sum(each.saves for each in several), first.site, first.chapter,
                      first.instead, first.sure)


# Turn by turn


def single(turn):
    """The only command of an answered turn, or None."""
    return turn.commands[0] if len(turn.commands) == 1 and turn.outcome == "answered" and sum(turn.names.values()) == 1 else None


def loops(turns, node_of):
    """One command for each of many keys, fields or members, from one place."""
    groups = defaultdict(list)
    for turn in turns:
        command = single(turn)
        if command and command.key is not None and (command.name in READS or command.name in WRITES):
            # A line of the caller's may be many of a library's: there a loop is told by keys of one shape.
            shape = shape_of(command.pattern) if turn.site.through else None
            groups[turn.site, command.name, shape].append(turn)
    for (site, name, _), several in groups.items():
        if len(several) >= FEWEST_IN_A_LOOP:
            for found in loop(site, name, several, turns, node_of):
                if found.kind != "loop" or found.saves >= FEWEST_IN_A_LOOP - 1:  # runs of two or three are no loop
                    yield found


def shape_of(pattern):
    """What is alike in the patterns of keys that one loop names: how many parts they have, and the first of several."""
    parts = SEPARATORS.split(pattern)
    return len(parts), parts[0] if len(parts) > 1 else None


def loop(site, name, several, turns, node_of):
    commands = [single(turn) for turn in several]
    if name == "SET" and any(int(command.detail or 0) & 1 for command in commands):
        return  # SET NX: the reply decides what comes next
    keys, number = {command.key for command in commands}, len(several)
    fields = {command.detail for command in commands}
    if len(keys) == 1 and site.through and in_a_row(several, turns) < FEWEST_IN_A_LOOP:
        return  # places in a library that happen to use the same key
    takes_members = len(keys) == 1 and name in TAKES_SEVERAL
    apart = runs(several, turns, same_item=None if takes_members else item_of)
    several_nodes = len(set(node_of.values())) > 1
    # A pipeline is one round trip for each node that it goes to.
    # In a walk, which learns most keys from replies of its own, it is one for each generation of keys.
    walks = len(keys) > 1 and name in READS and 2 * sum(turn.generation > 1 for turn in several) >= number
    saves = number - sum(len({(node_of.get(turn.connection), walks and turn.generation) for turn in run}) for run in apart)
    in_runs = f", in {counted(len(apart), 'run')}" if len(apart) > 1 else ""
    shows = f"{name} {commands[0].pattern}, {number:,} times one after the other{in_runs}"
    if takes_members:
        yield Finding("loop", f"{name} takes several members at once", shows, saves, site, ONE_BY_ONE,
                      f"r.{name.lower()}(key, {'mapping' if name == 'ZADD' else '*members'})")
    elif len(keys) == 1 and name == "HGET" and len(fields) > 1:
        yield Finding("loop", "HMGET gets several fields at once", shows, saves, site, ONE_BY_ONE,
                      "values = r.hmget(key, fields)")
    elif len(keys) == 1 and name == "HSET" and len(fields) > 1:
        yield Finding("loop", "HSET sets several fields at once", shows, saves, site, ONE_BY_ONE, "r.hset(key, mapping=fields)")
    elif len(keys) < FEWEST_IN_A_LOOP:
        if name in READS and len(keys) * 2 < number:
            yield Finding("again", "the same key is read again", shows, number - len(keys), site, ONE_BY_ONE,
                          "value = r.get(key)  # once, and keep it", sure=False)
    else:
        one_at_a_time = walks or fills_a_cache(name, several, turns) or consumed_between(several, turns)
        call = one_call(name, commands, several_nodes) + (f"\n# or what {site.through} has for many keys" if site.through else "")
        yield Finding("loop", "one round trip for each of many keys", shows, saves, site, ONE_BY_ONE, call,
                      sure=not one_at_a_time)


def in_a_row(several, turns):
    """How many of these turns follow one another at most, with none of another kind between."""
    known = {id(turn) for turn in several}
    return max(len(list(run)) for wanted, run in itertools.groupby(turns, lambda turn: id(turn) in known) if wanted)


def runs(several, turns, same_item):
    """Turns of one place, in the pieces that the loop there ran in, as far as the wire tells: each is at least one round trip.

    A piece ends before an item that was in it already (a page that is made twice), and where what other places did in between
    is not what they mostly do between two turns of the loop.
    """
    mine, between, gaps = set(map(id, several)), [], []
    for turn in turns:
        if id(turn) in mine:
            gaps.append(tuple(between))
            between = []
        else:
            between.append(turn.site)
    usual = Counter(gaps[1:]).most_common(1)
    pieces, seen, last = [], set(), None
    for turn, gap in zip(several, gaps, strict=True):
        item = same_item(turn) if same_item else None
        again = item is not None and item in seen and item != last
        if not pieces or again or gap != usual[0][0]:
            pieces.append([])
            seen = set()
        pieces[-1].append(turn)
        seen.add(item)
        last = item
    return pieces


def item_of(turn):
    """What a turn of a loop is about: a key, or one field of it."""
    command = single(turn)
    return command.key, command.detail if command.name in FIELDS else None


def nodes_of(record):
    """{connection: the address of the server it leads to}."""
    return {number: place.address for number, place in enumerate(record.places)}


def fills_a_cache(name, several, turns):
    """Whether reads that found nothing were followed by writes of the same keys: a cache does that, one key after the other."""
    known = [(turn, single(turn)) for turn in turns if single(turn)]
    missed = {command.key for turn, command in known if command.name == "GET" and turn.bytes_received <= NOTHING}
    written = {command.key for _, command in known if command.name in FILLS}
    return name in ("GET", *FILLS) and any(single(turn).key in missed & written for turn in several)


def consumed_between(several, turns):
    """Whether about as many jobs were taken from a queue meanwhile: a worker finishes each before it takes the next."""
    taken = [turn for turn in turns if any(command.name in TAKES_A_JOB for command in turn.commands)]
    return 2 * len(taken) >= len(several)


def one_call(name, commands, several_nodes):
    if not several_nodes and name in TAKES_KEYS:
        return TAKES_KEYS[name]
    if not several_nodes and name == "SET" and not any(command.detail for command in commands):
        return "r.mset(values)  # {key: value}"
    reads = name in READS
    call = {"INCRBY": "incr", "DEL": "delete"}.get(name, name.lower())
    rest = "" if name in KEY_ALONE else ", ..."
    return (f"pipe = r.pipeline(transaction=False)\nfor key in keys:\n    pipe.{call}(key{rest})\n"
            + ("values = " if reads else "") + "pipe.execute()")


def small_transactions(turns):
    groups = defaultdict(list)
    for turn in turns:
        if turn.names.get("MULTI") and sum(turn.names.values()) == 3:
            groups[turn.site].append(turn)
    for site, several in groups.items():
        watches = any(command.name == "WATCH" for turn in turns for command in turn.commands)
        saves = len(several) - len(runs(several, turns, same_item=None))
        if len(several) >= FEWEST_TRANSACTIONS and saves and not watches:
            yield Finding("small pipelines", "a pipeline for each command", f"{len(several):,} transactions of one command each",
                          saves, site, ONE_BY_ONE,
                          "pipe = r.pipeline()  # before the loop\n...\npipe.execute()  # after it")


def read_then_written(turns):
    """A value that was read, and then written from the same line: what another client wrote in between is lost."""
    read, watched, locks = {}, set(), {}
    released = {command.key for turn in turns for command in turn.commands if command.name in ("EVALSHA", "EVAL", "DEL")}
    for turn in turns:
        for command in turn.commands:
            if command.name == "WATCH":
                watched.add(command.key)
            elif command.name == "EXEC":
                watched.clear()
            elif command.name == "SET" and int(command.detail or 0) & 1:
                locks[command.key] = turn
            elif command.name in ("EVALSHA", "EVAL", "DEL") and command.key in locks:
                del locks[command.key]
        command = single(turn)
        if not command or command.key is None:
            continue
        field = command.detail if command.name in ("HGET", "HSET") else None
        if command.name in CHANGES_OF:
            read[command.name, command.key, field] = turn
            continue
        before = next((read.pop((reading, command.key, field)) for reading, writing in CHANGES_OF.items()
                       if command.name in writing and (reading, command.key, field) in read), None)
        if before is None or command.key in watched or any(key in released for key in locks):
            continue
        found, expires = before.bytes_received > NOTHING, int(command.detail or 0) & 2 and command.name == "SET"
        read_it = f"{single(before).name} {command.pattern}"
        instead = instead_of_reading(command.name)
        if found:
            shows = f"{read_it}, then {command.name}: what another client writes in between is lost"
            yield Finding("read, then written", CHANGED, shows, 1, turn.site, "07_lua_scripts", instead, sure=not expires)
        elif not expires:
            shows = f"{read_it} found nothing, then {command.name}"
            yield Finding("read, then written", CHANGED, shows, 0, turn.site, PIPELINES, instead, sure=False)


def instead_of_reading(name):
    number = "r.hincrby(key, field, 1)" if name == "HSET" else "r.incr(key)"
    return f"{number}  # for a number; else a script, or WATCH: r.transaction(change, key)"


def retried(turns):
    for lost, again in itertools.pairwise(turns):
        same = [command.name for command, other in zip(lost.commands, again.commands, strict=False)
                if (command.name, command.key) == (other.name, other.key)]
        unsafe = [name for name in same if name in ADDS_UP]
        if lost.outcome == LOST and unsafe:
            shows = f"{unsafe[0]} got no answer and was sent once more"
            yield Finding("retried", "sent again, though twice is not once", shows, 0, again.site, UNSAFE,
                          "r = redis.Redis(..., retry=Retry(NoBackoff(), 0))  # and look first whether it was done")


# Kinds of command


def by_site(turns, is_one):
    groups = defaultdict(list)
    for turn in turns:
        if any(is_one(command) for command in turn.commands):
            groups[turn.site].append(turn)
    return groups.items()


def whole_keyspace(turns):
    for site, several in by_site(turns, lambda command: command.name == "KEYS"):
        yield Finding("keys", "KEYS looks at every key, and nobody else is served meanwhile",
                      f"KEYS, {counted(len(several), 'time')}", 0, site, "05_keys_and_hashes",
                      "for key in r.scan_iter(match=pattern, count=1000): ...  # or keep the names in a set")


def small_scans(turns):
    def is_small(command):
        return command.name in ("SCAN", "HSCAN", "SSCAN", "ZSCAN") and (command.detail or 0) < SMALL_COUNT

    for site, several in by_site(turns, is_small):
        if len(several) >= FEWEST_SCANS:
            count = int(several[0].commands[0].detail)
            yield Finding("small scans", "a SCAN with a small COUNT", f"{len(several):,} round trips with COUNT {count}",
                          len(several) - scans_needed(several, count), site, "05_keys_and_hashes",
                          f"r.scan_iter(match=pattern, count={GOOD_COUNT})")


def scans_needed(turns, count):
    """How many round trips the same scans take with the larger COUNT: each scan is at least one."""
    scans, last = [], None
    for turn in turns:
        command = turn.commands[0]
        if not scans or (command.key is not None if command.name == "SCAN" else command.key != last):
            scans.append(0)
        scans[-1] += 1
        last = command.key
    return sum(math.ceil(number * (count + 1) / GOOD_COUNT) for number in scans)


def texts_again(turns):
    texts = defaultdict(list)
    for turn in turns:
        command = single(turn)
        if command and command.name in ("EVAL", "EVAL_RO"):
            texts[turn.site, command.detail].append(turn)
    for (site, _), several in texts.items():
        total = sum(turn.bytes_sent for turn in several)
        if len(several) >= FEWEST_TEXTS and total > LONG_TEXT * len(several):
            yield Finding("script's text", "the same script's text is sent again",
                          f"EVAL, {len(several):,} times, {size(total)} in all", 0, site, "07_lua_scripts",
                          "script = r.register_script(TEXT)  # once\nscript(keys=[...], args=[...])  # EVALSHA: 40 bytes")


def connections(record):
    opened = defaultdict(dict)
    for turn in record.log:
        if turn.setup:
            address = record.places[turn.connection].address if turn.connection < len(record.places) else "?"
            opened[turn.worker, address, turn.site].setdefault(turn.connection, []).append(turn)
    lost = sum(turn.outcome == LOST for turn in record.log)
    for (_, _, site), each in opened.items():
        if len(each) - lost >= FEWEST_CONNECTIONS:
            trips = sum(map(len, each.values()))
            yield Finding("connections", "a new connection each time", f"{len(each):,} connections, one after the other, "
                          f"at {trips // len(each)} round trips each", trips - trips // len(each), site, "01_round_trips",
                          "r = redis.Redis(...)  # once, when the program starts; it keeps its connections")


def blocking(record, turns):
    for turn in turns:
        command = turn.commands[0] if len(turn.commands) == 1 else None
        if not command or not blocks(command):
            continue
        limit = record.places[turn.connection].timeout if turn.connection < len(record.places) else None
        if limit and (command.detail == 0 or command.detail >= limit):
            asked = "for ever" if command.detail == 0 else f"up to {command.detail:g} s"
            yield Finding("blocking", "it blocks as long as its connection waits, or longer",
                          f"{command.name} waits {asked}, the socket gives up after {limit:g} s", 0, turn.site, UNSAFE,
                          "r = redis.Redis(..., socket_timeout=None)  # a client of its own for blocking commands", sure=True)


# Worth a look


def reading_transactions(turns):
    for turn in turns:
        inner = [name for name in turn.names if name not in ("MULTI", "EXEC")]
        if "MULTI" in turn.names and len(inner) and all(name in READS for name in inner) and sum(turn.names.values()) > 3:
            yield Finding("transaction", "a transaction that only reads", turn.label, 0, turn.site, PIPELINES,
                          "pipe = r.pipeline(transaction=False)  # unless the values must be of one moment", sure=False)


def large_replies(turns):
    for turn in turns:
        command = single(turn)
        if command and command.name in ("GET", "HGETALL", "JSON.GET") and turn.bytes_received > LARGE_REPLY:
            shows = f"{command.name} {command.pattern} brought {size(turn.bytes_received)}"
            yield Finding("large value", "a large value", shows, 0, turn.site, "06_pickle_and_json",
                          "value = r.hget(key, field)  # if one field of it is all you need", sure=False)
