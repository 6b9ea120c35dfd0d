"""RESP, the protocol of Redis, versions 2 and 3: values read out of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


class ReplyError(Exception):
    """An error that the server replied with, as a value."""


class Push(list[Any]):
    """What a server sends without being asked."""


class Incomplete(Exception):
    """The bytes end before the value does."""


def commands_in(chunks: Iterable[bytes | str]) -> Iterator[list[bytes]]:
    """Yield the commands in written bytes, each as a list of bytes.

    One that is cut off at the end is left out. Raises ValueError for no RESP.
    """
    return values_in(chunks)


def replies_in(chunks: Iterable[bytes | str]) -> Iterator[Any]:
    """Yield the replies in read bytes.

    A reply is bytes, int, float, bool, None, a list, a list of pairs for a map, or a ReplyError.
    What a server pushes, such as an invalidation, answers no command and is left out. Raises
    ValueError for no RESP.
    """
    return (value for value in values_in(chunks) if not isinstance(value, Push))


def in_bytes(chunks: Iterable[bytes | str]) -> bytes:
    """Join what redis-py hands to a socket: a list of bytes, str or memoryviews."""
    return b"".join(chunk.encode() if isinstance(chunk, str) else bytes(chunk) for chunk in chunks)


def values_in(chunks: Iterable[bytes | str]) -> Iterator[Any]:
    data, at = in_bytes(chunks), 0
    while at < len(data):
        try:
            value, at = read(data, at)
        except Incomplete:
            return
        except RecursionError:
            raise ValueError("arrays within arrays, too deep to be a reply") from None
        yield value


def read(data: bytes, at: int) -> tuple[Any, int]:
    """Return (value, where the next one begins) of the value that begins at `at`.

    Raises Incomplete, and ValueError for no RESP.
    """
    end = data.find(b"\r\n", at)
    if end < 0:
        raise Incomplete
    kind, line, then = data[at : at + 1], data[at + 1 : end], end + 2
    if kind in SIMPLE:
        return SIMPLE[kind](line), then
    if kind in BULK:
        return read_bulk(data, BULK[kind], int(line), then)
    if kind in COLLECTIONS:
        return read_collection(data, COLLECTIONS[kind], int(line), then)
    raise ValueError(f"{kind!r} begins no value in RESP")


def read_bulk(data: bytes, make: Any, size: int, at: int) -> tuple[Any, int]:
    if size < 0:
        return None, at
    if len(data) < at + size + 2:
        raise Incomplete
    if data[at + size : at + size + 2] != b"\r\n":
        raise ValueError(f"a value of {size} bytes is longer than that")
    return make(data[at : at + size]), at + size + 2


def read_collection(data: bytes, make: Any, size: int, at: int) -> tuple[Any, int]:
    if size < 0:
        return None, at
    found = []
    for _ in range(2 * size if make is pairs else size):
        value, at = read(data, at)
        found.append(value)
    return make(found), at


def error(line: bytes) -> ReplyError:
    return ReplyError(line.decode(errors="replace"))


def pairs(values: list[Any]) -> list[tuple[Any, Any]]:
    return list(zip(values[::2], values[1::2], strict=True))


SIMPLE: dict[bytes, Any] = {
    b"+": bytes,
    b"-": error,
    b":": int,
    b"(": int,
    b",": float,
    b"#": lambda line: line == b"t",
    b"_": lambda line: None,
}
# A verbatim string begins with its format, as in "txt:".
BULK: dict[bytes, Any] = {b"$": bytes, b"!": error, b"=": lambda text: text[4:]}
COLLECTIONS: dict[bytes, Any] = {b"*": list, b"~": list, b">": Push, b"%": pairs}
