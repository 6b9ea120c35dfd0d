"""Define the lab's colours by role: a colour means the same in every figure.

Blue-grey is waiting, and pale, since nothing happens then; orange is the client's CPU, green the
server's. Each way of doing the work has a colour and a marker of its own. Ways that meet in one
figure can be distinguished by readers with any of the three colour blindnesses; a test computes
this. A series without a role is dark grey, with its name beside it.
"""

import re
from dataclasses import dataclass, replace

from ..words import milliseconds, plain_duration

# Time: what filled it. A fill as pale as waiting, or as light as orange, has an edge that stands
# out from the page at 3:1 or more; darker fills would meet the colours of the ways.
WAITING = "#C5D6E8"  # a request is on its way
WAITING_EDGE = "#5E7FA6"
CLIENT = "#E69F00"
CLIENT_EDGE = "#8F6100"
SCRIPT_EDGE = "#1F6F9F"
SERVER = "#009E73"
MESSAGE = "#2F6496"  # arrows of messages: a request solid, a reply dashed

# Time that is neither a request's nor work; hatched too, since its pieces may be small.
HANDSHAKE, HANDSHAKE_HATCH = "#B9B9B9", "////"  # a connection is being opened
FAILED, FAILED_HATCH = "#F2C6B6", "xxxx"  # no answer, or one that sends the request elsewhere

RISK = "#F4BFBF"  # a time in which other clients get in, or nothing goes on

# What is not a measurement of this machine.
PUBLISHED = "#949494"
GUESS = "#D11540"  # a hollow diamond, never a bar
GOOD_GUESS = "#EEEEEE"  # the band in which a guess was good

# Words, lines, and a series without a role.
INK, QUIET, RULE = "#222222", "#666666", "#333333"
NO_ROLE = "#555555"
GRID = "#E6E6E6"
PAPER = "#FFFFFF"

ROAD = "#EEF1F5"  # what a request travels on
FRAMING = "#A9BDD2"  # lengths and line ends of the protocol

# A cell of a row of cells, by what it is.
CELLS = {
    "your words": MESSAGE,
    "lengths and line ends": FRAMING,
    "replies": NO_ROLE,
    "envelopes": ROAD,
    "kept": NO_ROLE,
    "lost": RISK,
}

# A claim's verdict, and nothing else: holds, depends, does not hold here; grey: was not tried.
VERDICTS = ("#4B7F52", "#C9A227", "#A23B3B", "#DDDDDD")

# The share of time spent waiting: all work, half and half, all waiting.
SHARE_OF_WAITING = (CLIENT, "#F7F4EE", MESSAGE)

# How far away: the farther, the darker.
DISTANCES = ("#6C91BF", "#2570BA", "#335E80", "#21426E", "#0E2B49")
BY_NUMBER = {1: (2,), 2: (1, 4), 3: (0, 2, 4), 4: (0, 1, 2, 4), 5: (0, 1, 2, 3, 4)}
PLACES = ("same host", "next door", "same zone", "in one zone", "across zones")
A_DISTANCE = re.compile(r"(RTT )?[\d.]+ ms( away)?$")

# A way of doing it: (colour, marker).
WAYS = {
    "one by one": ("#D55E00", "o"),
    "pipeline": ("#0072B2", "s"),
    "transaction": ("#AE7AAC", "p"),
    "one command": ("#5B2A86", "^"),
    "script": ("#56B4E9", "v"),
    "threads": ("#000000", "P"),
    "asyncio": ("#5C4200", "X"),
}
# What the chapters call them, as whole names; a count before it ("16 threads") aside.
NAMED = {
    "one by one": (
        "loop",
        "plain",
        "naive",
        "ping-pong",
        "loop on one connection",
        "3 one by one",
        "scan",
        "scan + mget",
        "plain, oversells",
        "indexed",
        "scan and unlink",
    ),
    "pipeline": (
        "pipelined",
        "asyncio pipeline",
        "pipeline(), by default",
        "pipeline, execute_command",
        "3 in a pipeline",
        "100 in a pipeline",
        "its own pipeline",
        "both",
        "hashes",
        "connecting first",
        "connection open",
    ),
    "transaction": ("multi", "watch", "watch and a pause", "multi by 1,000"),
    "one command": (
        "mset",
        "mget",
        "hmget",
        "mset_nonatomic",
        "mset, packed beforehand",
        "decr",
        "index set + mget",
        "one json value",
    ),
    "script": ("lua",),
    "threads": ("parallel stream",),
    "asyncio": ("tasks", "asyncio, in turn", "asyncio, one shared", "asyncio, 50 connections"),
}
WAY_OF = {name: way for way, names in NAMED.items() for name in (way, *names)}
WAY_OF["threads"] = "threads"
COUNT = re.compile(r"[\d,]+ (?=(?:threads|tasks)$)")

# How a title says it.
IN_WORDS = {
    "loop": "in a loop",
    "one by one": "one by one",
    "pipeline": "in a pipeline",
    "transaction": "in a transaction",
    "threads": "in threads",
    "asyncio": "with asyncio",
    "mset": "with MSET",
    "mget": "with MGET",
    "hmget": "with HMGET",
    "script": "in a script",
    "lua": "in a script",
}
MOST_TOLD = 3
NUMBERED = re.compile(r"\d+ (?:threads|tasks|connections)$")

# What is no way, but has a role: the CPU, other people's figures, and what a formula says.
ROLES = {"client": (CLIENT, "s"), "server": (SERVER, "^"), "published": (PUBLISHED, "o")}
FORMULAS = ("n times as fast", "1 / rtt", "the waiting alone", "the cpu alone")
ROLES |= dict.fromkeys(FORMULAS, (RULE, ""))
# Packing is the client's work; these commands keep the server at work in one piece.
ROLES |= dict.fromkeys(("json", "orjson", "msgpack", "pickle"), (CLIENT, "o"))
ROLES |= dict.fromkeys(("keys", "keys + mget", "del", "unlink"), (SERVER, "^"))
# Of marks whose fill is too light for a page.
EDGES = {CLIENT: CLIENT_EDGE, WAYS["script"][0]: SCRIPT_EDGE, RISK: QUIET}
EDGES |= dict.fromkeys((WAITING, HANDSHAKE, FAILED, FRAMING), WAITING_EDGE)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Look:
    """How a series is drawn: colour, marker, whether the marker is filled, and line style.

    Colour, marker and line are as in Matplotlib. A second series of the same way of doing the work
    has a hollow marker and another line style.
    """

    color: str
    marker: str = "o"
    filled: bool = True
    line: str = "-"

    @property
    def edge(self) -> str:
        """The colour, such as "#8F6100", of the mark's outline: 3:1 or more against the page."""
        return EDGES.get(self.color, self.color)

    @property
    def face(self) -> str:
        return self.color if self.filled else PAPER

    @property
    def in_row(self) -> "Look":
        """The Look of a mark in a named row: filled, and round if the series has no role."""
        return replace(self, marker="o" if self.color == NO_ROLE else self.marker, filled=True)


def way(name: str) -> tuple[str, str]:
    """Return (colour, marker) for a way of doing the work, such as "16 threads" or "loop".

    For an unknown name they are dark grey and round.
    """
    known = ROLES | {name: WAYS[of] for name, of in WAY_OF.items()}
    return known.get(COUNT.sub("", name.lower()), (NO_ROLE, "o"))


def looks(names: list[str]) -> dict[str, Look]:
    """Choose how to draw each series of a figure; return {name: Look}.

    `names` is the list of the series' names. A name with a role, such as "loop", gets the colour of
    that role. Distances, such as "1 ms away", get shades of one colour. All other names are grey,
    with different markers.
    """
    far = [name for name in names if A_DISTANCE.match(name) or name in PLACES]  # from near to far
    shades = BY_NUMBER.get(len(far), BY_NUMBER[5] * len(far))
    found = {
        name: Look(DISTANCES[shades[place]], MARKERS[place % len(MARKERS)])
        for place, name in enumerate(far)
    }
    for name in sorted(names, key=lambda name: name.lower() not in WAYS):  # the plain name first
        color, marker = way(name)
        if name not in found and color != NO_ROLE:
            look = Look(color, marker, line="--" if color == RULE else "-")
            found[name] = apart(look, list(found.values()))
    spare = [name for name in names if name not in found]
    found |= {
        name: Look(
            NO_ROLE, MARKERS[place % len(MARKERS)], place < len(MARKERS), LINES[place % len(LINES)]
        )
        for place, name in enumerate(spare)
    }
    return {name: found[name] for name in names}


def apart(look: Look, others: list[Look]) -> Look:
    """Return a Look for a series that differs from `others`: `look`, or a hollow variant of it.

    `look` is returned if no Look in `others` equals it. Else the variant has a hollow marker and a
    dashed line, or a dotted line if the dashed variant is among `others`, too.
    """
    dashed, dotted = (replace(look, filled=False, line=line) for line in ("--", ":"))
    return next((other for other in (look, dashed) if other not in others), dotted)


def phrase(name: str) -> str | None:
    """Return how a title says a way of doing the work: 'in a pipeline' for "pipeline".

    Returns None for a name that titles have no such words for.
    """
    return f"in {name}" if NUMBERED.match(name) else IN_WORDS.get(name.lower())


def times_in_words(seconds: dict[str, float], notes: dict[str, str] | None = None) -> str:
    """Return times in words for a title: '151 ms in a loop, 5.28 ms in a pipeline'.

    `seconds` is {name of a way of doing the work: seconds}. If `phrase` does not know all names,
    each is written as 'HVALS in 5.28 ms'. Of more than three names only the slowest and the fastest
    appear. `notes`, {name: words}, follow in brackets.
    """
    if len(seconds) > MOST_TOLD:
        ends = [end(seconds, key=lambda name: seconds[name]) for end in (max, min)]
        seconds = {name: each for name, each in seconds.items() if name in ends}
    known = all(map(phrase, seconds))
    several = "," in "".join(seconds)
    parts = []
    for name, each in seconds.items():
        took = plain_duration(each)
        words = f"{took} {phrase(name)}" if known else f"{name} in {took}"
        parts.append(f"{words} ({notes[name]})" if notes and notes.get(name) else words)
    return ("; " if several else ", ").join(parts)


def away(rtt_ms: float) -> str:
    return f"{milliseconds(rtt_ms)} away" if rtt_ms else "With no distance"


def readable(color: str) -> str:
    """Return a colour for text on white: `color` if it is dark enough, else INK.

    Both are such as "#E69F00".
    """
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return color if 0.299 * red + 0.587 * green + 0.114 * blue < 130 else INK
