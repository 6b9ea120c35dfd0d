"""RESP, read from bytes: commands as a client sends them, replies as a server does. See redis.io, "Redis serialization protocol".

It is read here and not by hiredis, so that tracing needs redis alone: where hiredis is installed redis-py reads with it, and a
program that is traced must run as it did.
"""


class ReplyError(Exception):
    """An error that a server replied with; its text is what the server wrote."""


class Push(list):
    """What a server sends without being asked."""


class Incomplete(Exception):
    """The bytes end before the value does."""


def commands_in(chunks):
    """The commands in written bytes, each as a list of bytes. One that is cut off at the end is left out."""
    return values_in(chunks)


def replies_in(chunks):
    """The replies in read bytes: bytes, int, float, bool, None, list, a list of pairs for a map, or a ReplyError; RESP2 and 3.

    What a server pushes, such as an invalidation, answers no command and is left out. Raises ValueError for no RESP.
    """
    return (value for value in values_in(chunks) if not isinstance(value, Push))


def values_in(chunks):
    data, at = b"".join(chunks), 0
    while at < len(data):
        try:
            value, at = read(data, at)
        except Incomplete:
            return
        except RecursionError:
            raise ValueError("arrays within arrays, too deep to be a reply") from None
        yield value


def read(data, at):
    """(value, where the next one begins) of the value that begins at `at`. Raises Incomplete, and ValueError for no RESP."""
    end = data.find(b"\r\n", at)
    if end < 0:
        raise Incomplete
    kind, line, then = data[at:at + 1], data[at + 1:end], end + 2
    if kind in SIMPLE:
        return SIMPLE[kind](line), then
    if kind in BULK:
        return read_bulk(data, BULK[kind], int(line), then)
    if kind in COLLECTIONS:
        return read_collection(data, COLLECTIONS[kind], int(line), then)
    raise ValueError(f"{kind!r} begins no value in RESP")


def read_bulk(data, make, size, at):
    if size < 0:
        return None, at
    if len(data) < at + size + 2:
        raise Incomplete
    if data[at + size:at + size + 2] != b"\r\n":
        raise ValueError(f"a value of {size} bytes is longer than that")
    return make(data[at:at + size]), at + size + 2


def read_collection(data, make, size, at):
    if size < 0:
        return None, at
    found = []
    for _ in range(2 * size if make is pairs else size):
        value, at = read(data, at)
        found.append(value)
    return make(found), at


def error(line):
    return ReplyError(line.decode(errors="replace"))


def pairs(values):
    return list(zip(values[::2], values[1::2], strict=True))


SIMPLE = {b"+": bytes, b"-": error, b":": int, b"(": int, b",": float, b"#": lambda line: line == b"t", b"_": lambda line: None}
BULK = {b"$": bytes, b"!": error, b"=": lambda text: text[4:]}  # a verbatim string begins with its format, as in "txt:"
COLLECTIONS = {b"*": list, b"~": list, b">": Push, b"%": pairs}
