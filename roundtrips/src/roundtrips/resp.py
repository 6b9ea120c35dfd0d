"""Parse RESP, the protocol of Redis: the commands in the bytes that a client wrote."""

from collections.abc import Iterable, Iterator


def commands_in(chunks: Iterable[bytes | str]) -> Iterator[list[bytes]]:
    """Yield the commands in written bytes, each as a list of bytes: its name and arguments.

    The iteration ends at a command that is cut off, and at bytes that are not RESP.
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
    """Return chunks as one bytes object.

    `chunks` are what redis-py passes to a socket: bytes, str or memoryviews.
    """
    return b"".join([each.encode() if isinstance(each, str) else bytes(each) for each in chunks])


def read_command(data: bytes, at: int) -> tuple[list[bytes], int]:
    """Return (command, next): the command that begins at index `at`, and where the next begins.

    The command is a list of bytes. Raises ValueError for a command that is cut off, and for bytes
    that are not a command.
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
