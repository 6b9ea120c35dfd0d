"""Check exercise 02.3: decode one reply of the server from its bytes."""

from lab_utils.course.checking import Refused

AS_IT_CAME = "Redis keeps bytes and knows no alphabet: return them as they came, without decode()."
HINTS_TO = {  # a reply that was read wrongly
    b":": ("What stands after the colon is a number: int() reads it from bytes too.",),
    b"$": (
        "The number says how many bytes follow the first line, line ends among them. -1 says "
        "that there is no value.",
        "size = int(line[1:]); return None if size == -1 else rest[:size]",
    ),
    b"*": (
        "Its items follow one after the other, each a reply of its own, and each may be an "
        "array again.",
        "Write a helper that returns (value, rest), so that an array can read its items one "
        "after the other.",
    ),
    b"_": ("_ is RESP3's word for no value: None.",),
}
REPLIES = (
    (b"+OK\r\n", b"OK"),
    (b":42\r\n", 42),
    (b"$12\r\nvalue1value2\r\n", b"value1value2"),
    (b"$-1\r\n", None),
    (b"_\r\n", None),
    (b"$2\r\n\r\n\r\n", b"\r\n"),
    (b"$0\r\n\r\n", b""),
    (b"*0\r\n", []),
    (b"*2\r\n$1\r\na\r\n:-7\r\n", [b"a", -7]),
    (b"*2\r\n$2\r\n\r\n\r\n:7\r\n", [b"\r\n", 7]),
    (b"*2\r\n*1\r\n+x\r\n$-1\r\n", [[b"x"], None]),
    (b":-1\r\n", -1),
    (b"*101\r\n" + b"$3\r\nabc\r\n" * 101, [b"abc"] * 101),
)


def check(answer) -> str:
    for data, expected in REPLIES:
        found = answer(data)
        if found != expected or type(found) is not type(expected):
            hints = (AS_IT_CAME,) if isinstance(found, str) else HINTS_TO.get(data[:1], ())
            raise Refused(f"decode({data}) is {found!r}; it should be {expected!r}", *hints)
    return f"{len(REPLIES)} replies read, arrays in arrays and line ends in values among them"
