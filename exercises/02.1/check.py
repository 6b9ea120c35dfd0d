"""Chapter 02: bytes written and read by hand."""

from ...testbed.chosen_server import connect
from ..checking import Refused, borrowed
from ..exercises import exercise


def packer():
    """redis-py's own function from the parts of a command to the bytes it sends, in chunks. Nothing is sent."""
    with connect() as client:
        return borrowed(client).pack_command


LENGTHS = "The length is counted in bytes, so turn a part into bytes first: str(part).encode() unless it is bytes already."
GROWING = ("Right for one key. What grows with n beside the number of keys: which names, and which numbers?",
           "k9 has 2 letters, k10 has 3. The number of parts is 2 * n + 1, and it grows in digits too.")


def hints_to(parts):
    """Hints to a command that was packed wrongly: those of the exercise, or to a part that is bytes or has other letters."""
    ascii_text = all(isinstance(part, (str, int)) and str(part).isascii() for part in parts)
    return () if ascii_text else (LENGTHS,)


@exercise(
    "02.1",
    task="return the command in strict RESP: *parts, then $length and the part, each line ending in \\r\\n",
    hints=(
        "Start with b'*%d\\r\\n' % len(parts). Each part is two lines: its length, and itself.",
        LENGTHS,
    ),
)
def encoder(answer):
    pack_command = packer()
    for parts in (("PING",), ("SET", "exercise:a", "value1"), ("SET", "exercise:a", 12), ("SET", "exercise:a", b"\r\n\x00"),
                  ("SET", "exercise:a", "Łódź")):
        expected = b"".join(pack_command(*parts))
        try:
            found = answer(*parts)
        except TypeError as error:
            if all(isinstance(part, str) for part in parts):
                raise
            raise Refused(f"encode{parts} raised TypeError: {error}", LENGTHS) from None
        if not isinstance(found, bytes):
            raise Refused(f"encode{parts} returned {type(found).__name__}, not bytes",
                          "text.encode() makes bytes of a text, and b'...' % values writes bytes with values in them.")
        if found != expected:
            raise Refused(f"encode{parts} is {found}, and redis-py sends {expected}", *hints_to(parts))
    return "the same bytes as redis-py for 5 commands"


@exercise(
    "02.2",
    task="return the length in bytes of MSET k0 v k1 v … for n keys",
    hints=(
        "Write out MSET k0 v: *3, $4 MSET, $2 k0, $1 v. Count the bytes of each line, the two of \\r\\n included.",
        "Key names grow: k9 has 2 letters, k10 has 3. The number of parts is 2 * n + 1, and it grows in digits too.",
    ),
)
def predicted_bytes(answer):
    pack_command = packer()
    for n in (1, 5, 10, 100, 1000):
        parts = [part for i in range(n) for part in (f"k{i}", "v")]
        sent = len(b"".join(pack_command("MSET", *parts)))
        found = answer(n)
        if found != sent:
            raise Refused(f"for n = {n:,} you say {found}, and redis-py sends {sent:,} bytes", *(GROWING if n > 1 else ()))
    return "to the byte, for 1, 5, 10, 100 and 1,000 keys"


AS_IT_CAME = "Redis keeps bytes and knows no alphabet: return them as they came, without decode()."
HINTS_TO = {  # a reply that was read wrongly
    b":": ("What stands after the colon is a number: int() reads it from bytes too.",),
    b"$": ("The number says how many bytes follow the first line, line ends among them. -1 says that there is no value.",
           "size = int(line[1:]); return None if size == -1 else rest[:size]"),
    b"*": ("Its items follow one after the other, each a reply of its own, and each may be an array again.",
           "Write a helper that returns (value, rest), so that an array can read its items one after the other."),
    b"_": ("_ is RESP3's word for no value: None.",),
}


@exercise(
    "02.3",
    task="return what one reply says",
    hints=(
        "The first byte tells the kind. Split off the first line with data.partition(b'\\r\\n').",
        "Write a helper that returns (value, rest), so that an array can read its items one after the other.",
    ),
)
def decoder(answer):
    for data, expected in ((b"+OK\r\n", b"OK"), (b":42\r\n", 42), (b"$6\r\nvalue1\r\n", b"value1"), (b"$-1\r\n", None),
                           (b"_\r\n", None), (b"$2\r\n\r\n\r\n", b"\r\n"), (b"$0\r\n\r\n", b""), (b"*0\r\n", []),
                           (b"*2\r\n$1\r\na\r\n:-7\r\n", [b"a", -7]), (b"*2\r\n*1\r\n+x\r\n$-1\r\n", [[b"x"], None])):
        found = answer(data)
        if found != expected or type(found) is not type(expected):
            hints = (AS_IT_CAME,) if isinstance(found, str) else HINTS_TO.get(data[:1], ())
            raise Refused(f"decode({data}) is {found!r}; it should be {expected!r}", *hints)
    return "10 replies read, arrays in arrays and line ends in values among them"
