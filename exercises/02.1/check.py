"""Write a command as the bytes that redis-py sends."""

from lab_utils.course.checking import Refused, packer

LENGTHS = (
    "The length is counted in bytes, so turn a part into bytes first: str(part).encode() "
    "unless it is bytes already."
)


def check(answer):
    pack_command = packer()
    for parts in (
        ("PING",),
        ("SET", "exercise:a", "value1"),
        ("SET", "exercise:a", 12),
        ("SET", "exercise:a", b"\r\n\x00"),
        ("SET", "exercise:a", "Łódź"),
    ):
        expected = b"".join(pack_command(*parts))
        try:
            found = answer(*parts)
        except TypeError as error:
            if all(isinstance(part, str) for part in parts):
                raise
            raise Refused(f"encode{parts} raised TypeError: {error}", LENGTHS) from None
        if not isinstance(found, bytes):
            raise Refused(
                f"encode{parts} returned {type(found).__name__}, not bytes",
                "text.encode() makes bytes of a text, and b'...' % values writes bytes "
                "with values in them.",
            )
        if found != expected:
            plain = all(isinstance(part, (str, int)) and str(part).isascii() for part in parts)
            raise Refused(
                f"encode{parts} is {found}, and redis-py sends {expected}",
                *(() if plain else (LENGTHS,)),
            )
    return "the same bytes as redis-py for 5 commands"
