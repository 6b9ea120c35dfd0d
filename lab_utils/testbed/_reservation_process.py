"""Holds a database of somebody's Redis for one kernel, says so to every other kernel, and empties it when the kernel is gone.

Run by `reservation.py`, by path. Its standard input is the lifeline (see `keeper.py`). It reads JSON lines there, and answers
each with one. The first holds redis-py's connection options; the answer is what INFO says of the server.
The second names the database that is wanted; the answer is the one that was reserved. Then it waits.

A reservation is a subscription to a channel that nobody publishes to, whose name says which database, whose and since
when. PUBSUB CHANNELS shows it to every kernel. It is no key, so it shows in no count of keys, no FLUSHDB loses it, and
nobody's data can look like it; and it ends with its connection, so a dead kernel holds nothing.
"""

import json
import select
import signal
import socket
import sys
import time

import redis

FREED_WITHIN_S = 0.7  # a kernel that was just restarted empties its database and lets go of it
TIMEOUT_S = 5
NEEDED = (  # refused while queued, where a command or a key may not be used; nothing of it is run
    ("SET", "key1", "value1"), ("GET", "key1"), ("DEL", "key1"), ("KEYS", "*"), ("SCAN", "0"), ("DBSIZE",), ("FLUSHDB",),
    ("EVAL", "return 1", "0"), ("SCRIPT", "LOAD", "return 1"), ("MEMORY", "USAGE", "key1"), ("OBJECT", "ENCODING", "key1"),
    ("CLIENT", "INFO"), ("PUBSUB", "NUMSUB", "key1"), ("CONFIG", "GET", "save"),
    ("UNSUBSCRIBE", "key1"), ("DUMP", "key1"), ("RESTORE", "key1", "0", ""),
)
# An idle connection says within half a minute that its other end is gone, where the system lets it.
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


def main():
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
        signal.signal(number, signal.SIG_IGN)  # a logout sends it to all processes: the database is emptied still
    say(started=True)
    options = json.loads(sys.stdin.readline())
    connection = connected(options)
    say(info=info_of(connection))
    wanted = json.loads(sys.stdin.readline())
    check_rights(connection)
    channel, database = reserve(connection, wanted)
    say(database=database, channel=channel)
    if wait(connection, sys.stdin.fileno()) == "kernel gone":
        # On the very socket that held the reservation, never a new one, and both at once: nobody can come between.
        connection._sock.sendall(b"".join(connection.pack_commands([("UNSUBSCRIBE",), ("FLUSHDB",)])))
        connection.read_response()
        connection.read_response()


def say(**answer):
    print(json.dumps(answer), flush=True)


def connected(options):
    """One connection, in RESP2, where a subscription's reply may stand inside a transaction's."""
    options = {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S, **options}
    keepalive = {getattr(socket, name): value for name, value in KEEPALIVE.items() if hasattr(socket, name)}
    pool = redis.Redis(**{**options, "db": 0, "protocol": 2, "retry": None, "socket_keepalive": True,
                          "socket_keepalive_options": keepalive}).connection_pool
    return pool.get_connection()


def ask(connection, *command):
    """The reply. An error from the server carries the name of the command, `commands`."""
    connection.send_command(*command)
    try:
        return connection.read_response()
    except redis.RedisError as error:
        error.commands = [" ".join(part for part in map(str, command[:2]) if part.isupper())]
        raise


def info_of(connection):
    text = ask(connection, "INFO")
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    if not isinstance(text, str):
        raise redis.InvalidResponse(f"it answers INFO with {text!r}")
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def check_rights(connection):
    """Raises the server's own error, with the names of all commands that this user may not use, or that it can't run now."""
    refused = []
    ask(connection, "MULTI")
    for command in NEEDED:
        try:
            ask(connection, *command)
        except redis.ResponseError as error:
            refused.append(error)
    ask(connection, "DISCARD")
    if refused:
        refused[0].commands = [name for error in refused for name in error.commands]
        raise refused[0]


def reserve(connection, wanted):
    """(channel, database): the one wanted, or the next higher that is empty and reserved by nobody.

    Looking and reserving are one transaction, so that of two kernels which want the same database one gets it.
    """
    first = database = wanted["database"]
    patience = time.monotonic() + FREED_WITHIN_S
    while True:
        select_database(connection, database, first, wanted.get("holders"))
        channel = wanted["channel"].format(database=database)
        keys, others = look_and_subscribe(connection, wanted["prefix"], channel)
        holders = [name for name in others if name.startswith(f"{wanted['prefix']}{database} ")]
        if not keys and not holders:
            return channel, database
        if database == first:
            wanted["holders"] = holders
        ask(connection, "UNSUBSCRIBE")
        if database == first and keys and not holders and not wanted["again"]:
            say(keys=keys)
            sys.exit()
        if database == first and time.monotonic() < patience:
            time.sleep(0.05)
            continue
        database += 1


def select_database(connection, database, first, holders):
    try:
        ask(connection, "SELECT", database)
    except redis.ResponseError as error:
        if "DB index" not in str(error):
            raise  # this user may not SELECT, or nobody may
        say(**({"no_database": database} if database == first else {"all_taken": first, "holders": holders}))
        sys.exit()


def look_and_subscribe(connection, prefix, channel):
    for command in ("MULTI",), ("DBSIZE",), ("PUBSUB", "CHANNELS", f"{prefix}*"), ("SUBSCRIBE", channel):
        ask(connection, *command)
    replies = ask(connection, "EXEC")
    if not isinstance(replies, list) or len(replies) != 3:
        raise redis.InvalidResponse(f"it answers EXEC with {replies!r}")
    keys, names, _ = replies
    return keys, [name.decode(errors="replace") for name in names]


def wait(connection, lifeline):
    """Until the kernel is gone, when the lifeline closes, or the connection is."""
    while True:
        ready = select.select([lifeline, connection._sock], (), ())[0]
        if connection._sock in ready and lost(connection):
            return "connection lost"
        if lifeline in ready:
            return "kernel gone"


def lost(connection):
    """True where the connection has ended; what somebody may have published is read and forgotten."""
    try:
        while connection.can_read(timeout=0):
            connection.read_response()
    except (redis.RedisError, OSError):
        return True
    return False


try:
    main()
except (redis.RedisError, OSError, ValueError) as error:  # a ValueError where a host, a file or an answer is no text
    say(error=type(error).__name__, text=str(error), commands=getattr(error, "commands", []))
