"""The lab's colours, by role: a colour means one thing in every figure.

Blue-grey is waiting, and pale, since nothing happens then; orange is the client's CPU, green the server's. Each way of
doing the work has a colour and a marker of its own. All of them are told apart by colour-blind readers (Okabe and Ito).
"""

# Time: what filled it.
WAITING = "#D6E2EF"  # a request is on its way
WAITING_EDGE = "#7C9CBF"
CLIENT = "#E69F00"
SERVER = "#009E73"

# Time that is neither a request's nor work: each has a hatch too, since it may stand beside the others in small pieces.
HANDSHAKE, HANDSHAKE_HATCH = "#B9B9B9", "////"  # a connection is being opened
QUEUE, QUEUE_HATCH = "#FFFFFF", "...."  # a caller waits until the pool has a connection for it
FAILED, FAILED_HATCH = "#F2C6B6", "xxxx"  # no answer came, or one that sends the request elsewhere

# What is not a measurement of this machine.
PUBLISHED = "#999999"
GUESS = "#CC79A7"  # a hollow diamond, never a bar

# Words, lines, and a series without a role.
INK, QUIET, RULE = "#222222", "#666666", "#333333"
NO_ROLE = "#555555"

# The share of time spent waiting: all work, half and half, all waiting.
SHARE_OF_WAITING = (CLIENT, "#F7F4EE", "#2F6496")

# A way of doing it: (colour, marker). Other names of the same way stand beside it.
WAYS = {
    "one by one": ("#D55E00", "o"),
    "pipeline": ("#0072B2", "s"),
    "transaction": ("#CC79A7", "D"),
    "one command": ("#009E73", "^"),
    "script": ("#56B4E9", "v"),
    "threads": ("#000000", "P"),
    "asyncio": ("#8A6D00", "X"),
}
ALSO = {
    "loop": "one by one", "loops": "one by one", "ping-pong": "one by one", "multi": "transaction", "exec": "transaction",
    "mset": "one command", "mget": "one command", "hmget": "one command", "lua": "script", "eval": "script",
    "thread": "threads", "tasks": "asyncio", "async": "asyncio",
}


def way(name):
    """(colour, marker) of a way of doing it, known by a word in its name: "16 threads", "loop"; a dark grey dot else."""
    lowered = name.lower()
    for known in WAYS:
        if known in lowered:
            return WAYS[known]
    for word in lowered.replace(",", " ").split():
        if word in ALSO:
            return WAYS[ALSO[word]]
    return NO_ROLE, "o"
