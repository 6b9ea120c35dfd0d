"""Holds a database of somebody's Redis for one kernel, and empties it when the kernel is gone.

Run by `reservation.py`, by path. Its standard input is the lifeline (see `keeper.py`): a JSON line
that says what is wanted, and then nothing until the kernel ends. It answers with one JSON line.

A reservation is a subscription to a channel that nobody publishes to, whose name says which
database, whose and since when. PUBSUB CHANNELS shows it to every kernel, on other machines too. It
is no key, so it shows in no count of keys, no FLUSHDB loses it, and nobody's data can look like it;
and it ends with its connection, so a dead kernel holds nothing.
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
# Refused while queued, where a command or a key may not be used; nothing of it is run.
NEEDED = """SET key1 value1|GET key1|DEL key1|KEYS *|SCAN 0|DBSIZE|FLUSHDB|EVAL return_1 0|
SCRIPT LOAD return_1|MEMORY USAGE key1|OBJECT ENCODING key1|CLIENT INFO|PUBSUB NUMSUB key1|
CONFIG GET save|UNSUBSCRIBE key1|DUMP key1|RESTORE key1 0 value1"""
# An idle connection says within half a minute that its other end is gone, where the system lets it.
KEEPALIVE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


def main():
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
        signal.signal(
            number, signal.SIG_IGN
        )  # a logout sends it to all: the database is emptied still
    say(started=True)
    wanted, answer = json.loads(sys.stdin.readline()), {}
    try:
        connection = connected(wanted["options"])
        answer["info"] = info_of(connection)
        check_rights(connection)
        answer |= reserve(connection, wanted)
    except (redis.RedisError, OSError, ValueError) as error:  # a ValueError: no text, no number
        commands = getattr(error, "commands", [])
        answer |= {"error": type(error).__name__, "text": str(error), "commands": commands}
    say(**answer)
    if "channel" in answer and kernel_gone(connection, sys.stdin.fileno()):
        # On the very socket that held the reservation, and both at once: nobody can come between.
        commands = connection.pack_commands([("UNSUBSCRIBE",), ("FLUSHDB",)])
        connection._sock.sendall(b"".join(commands))
        connection.read_response()
        connection.read_response()


def say(**answer):
    print(json.dumps(answer), flush=True)


def connected(options):
    """Return a connection in RESP2, where a transaction may hold the reply of a subscription."""
    alive = KEEPALIVE.items()
    alive = {getattr(socket, name): value for name, value in alive if hasattr(socket, name)}
    options = {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S, **options}
    options |= {"db": 0, "protocol": 2, "retry": None}
    options |= {"socket_keepalive": True, "socket_keepalive_options": alive}
    return redis.Redis(**options).connection_pool.get_connection()


def ask(connection, *command):
    """Return the reply. An error from the server carries the name of the command, `commands`."""
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
    """Raise the server's own error, with the names of all commands that it refuses now."""
    refused = []
    ask(connection, "MULTI")
    for command in NEEDED.split("|"):
        try:
            ask(connection, *command.split())
        except redis.ResponseError as error:
            refused.append(error)
    ask(connection, "DISCARD")
    if refused:
        refused[0].commands = [name for error in refused for name in error.commands]
        raise refused[0]


def reserve(connection, wanted):
    """Reserve the database wanted, or the next higher one that is empty and nobody's.

    Looking and reserving are one transaction, so that of two kernels which want the same database
    one gets it. Returns {"database", "channel"}, or why there is none: {"keys"} of data that is not
    the lab's, {"no_database"}, or {"all_taken", "holders"}.
    """
    first = database = wanted["database"]
    patience, holders = time.monotonic() + FREED_WITHIN_S, []
    while True:
        try:
            ask(connection, "SELECT", database)
        except redis.ResponseError as error:
            if "DB index" not in str(error):
                raise  # this user may not SELECT, or nobody may
            taken = {"all_taken": first, "holders": holders}
            return {"no_database": database} if database == first else taken
        channel = wanted["channel"].format(database=database)
        keys, names = look_and_subscribe(connection, wanted["prefix"], channel)
        found = [name for name in names if name.startswith(f"{wanted['prefix']}{database} ")]
        if not keys and not found:
            return {"database": database, "channel": channel}
        ask(connection, "UNSUBSCRIBE")
        if database == first:
            holders = found
            if keys and not holders and not wanted["again"]:
                return {"keys": keys}
            if time.monotonic() < patience:
                time.sleep(0.05)
                continue
        database += 1


def look_and_subscribe(connection, prefix, channel):
    look = ("MULTI",), ("DBSIZE",), ("PUBSUB", "CHANNELS", f"{prefix}*"), ("SUBSCRIBE", channel)
    for command in look:
        ask(connection, *command)
    replies = ask(connection, "EXEC")
    if not isinstance(replies, list) or len(replies) != 3:
        raise redis.InvalidResponse(f"it answers EXEC with {replies!r}")
    keys, names, _ = replies
    return keys, [name.decode(errors="replace") for name in names]


def kernel_gone(connection, lifeline):
    """Wait. True when the kernel is gone: the lifeline closes; False when the connection is."""
    while True:
        ready = select.select([lifeline, connection._sock], (), ())[0]
        try:
            while connection._sock in ready and connection.can_read(timeout=0):
                connection.read_response()  # what somebody may have published
        except (redis.RedisError, OSError):
            return False
        if lifeline in ready:
            return True


main()
