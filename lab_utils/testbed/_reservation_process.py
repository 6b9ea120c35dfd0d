"""Holds a database of somebody's Redis for one kernel, and empties it when the kernel is gone.

Run by `reservation.py`, by path. Its standard input is the lifeline (see `keeper.py`): a JSON line
that says what is wanted, and then nothing until the kernel ends. It answers with one JSON line.

A reservation is a subscription to a channel that nobody publishes to, whose name says which
database and whose. PUBSUB CHANNELS shows it to every kernel, on other machines too. It is no key,
so it shows in no count of keys and no FLUSHDB loses it; and it ends with its connection, so a dead
kernel holds nothing.
"""

import json
import select
import signal
import sys
import time

import redis

FREED_WITHIN_S = 0.7  # a kernel that was just restarted empties its database and lets go of it
ANSWER_S = 4  # for the server, each time


def main():
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:  # a logout sends them to all
        signal.signal(number, signal.SIG_IGN)
    wanted, answer = json.loads(sys.stdin.readline()), {}
    try:
        connection = connected(wanted["options"])
        answer["info"] = info_of(connection)
        answer |= reserve(connection, wanted)
    except (redis.RedisError, OSError, ValueError) as error:  # a ValueError: no text, no number
        answer |= {"error": type(error).__name__, "text": str(error)}
    print(json.dumps(answer), flush=True)
    if "channel" in answer and kernel_gone(connection, sys.stdin.fileno()):
        # On the very socket that held the reservation, and both at once: nobody can come between.
        commands = connection.pack_commands([("UNSUBSCRIBE",), ("FLUSHDB",)])
        connection._sock.sendall(b"".join(commands))
        connection.read_response()
        connection.read_response()


def connected(options):
    """Return a connection in RESP2, where a transaction may hold the reply of a subscription."""
    options = {"socket_timeout": ANSWER_S, "socket_connect_timeout": ANSWER_S, **options}
    options |= {"db": 0, "protocol": 2, "retry": None}
    return redis.Redis(**options).connection_pool.get_connection()


def ask(connection, *command):
    connection.send_command(*command)
    return connection.read_response()


def info_of(connection):
    text = ask(connection, "INFO")
    lines = text.decode(errors="replace").splitlines() if isinstance(text, bytes) else []
    return dict(line.split(":", 1) for line in lines if ":" in line)


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
                raise
            taken = {"all_taken": first, "holders": holders}
            return {"no_database": database} if database == first else taken
        channel = f"{wanted['prefix']}{database} {wanted['holder']}"
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
    keys, names, _ = ask(connection, "EXEC")
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
