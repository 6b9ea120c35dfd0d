"""RESP, the protocol of Redis: the commands in what a client wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def commands_in(chunks: Iterable[bytes | str]) -> Iterator[list[bytes]]:
    """Yield the commands in written bytes, each as a list of bytes.

    One that is cut off, or is no RESP, is the end.
    """
    data, at = in_bytes(chunks), 0
    while at < len(data):
        try:
            parts, at = read_command(data, at)
        except ValueError:
            return
        if not parts:
            return
        yield parts


def in_bytes(chunks: Iterable[bytes | str]) -> bytes:
    """Join what redis-py hands to a socket: a list of bytes, str or memoryviews."""
    return b"".join([each.encode() if isinstance(each, str) else bytes(each) for each in chunks])


def read_command(data: bytes, at: int) -> tuple[list[bytes], int]:
    """Return (the parts of the command that begins at `at`, where the next one begins).

    Raises ValueError for one that is cut off, and for what is none.
    """
    end = data.index(b"\r\n", at)
    number, at, parts = int(data[at + 1 : end]), end + 2, []
    for _ in range(number):
        end = data.index(b"\r\n", at)
        part = data[end + 2 : end + 2 + int(data[at + 1 : end])]
        at = end + 2 + len(part)
        if data[at : at + 2] != b"\r\n":
            raise ValueError("a part is longer or shorter than it says")
        parts.append(part)
        at += 2
    return parts, at
