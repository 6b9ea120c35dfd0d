"""Check exercise 02.1: write a command as the bytes that redis-py sends."""

from lab_utils.course.checking import Refused, of_kind, packer

LENGTHS = (
    "The length is counted in bytes, so turn a part into bytes first: str(part).encode() "
    "unless it is bytes already."
)


def check(answer) -> str:
    pack_command = packer()
    for parts in (
        ("PING",),
        ("SET", "exercise:a", "value1"),
        ("SET", "exercise:a", 12),
        ("SET", "exercise:a", b"\r\n\x00"),
        ("SET", "exercise:a", -12),
        ("SET", "exercise:a", ""),
        ("SET", "exercise:a", "Łódź"),
        ("MSET", *range(200)),
    ):
        expected = b"".join(pack_command(*parts))
        found = answer(*parts)
        of_kind(
            bytes,
            found,
            f"encode{parts}",
            "bytes",
            "text.encode() makes bytes of a text; b'...' % values puts values into bytes.",
        )
        if found != expected:
            raise Refused(
                f"encode{parts} is {found}, and redis-py sends {expected}",
                LENGTHS,
            )
    return "the same bytes as redis-py for 8 commands"
