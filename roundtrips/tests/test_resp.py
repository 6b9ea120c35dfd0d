"""RESP as roundtrips reads it: the same as hiredis, and nothing of what is cut off."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrips.resp import ReplyError, commands_in, replies_in

hiredis = pytest.importorskip("hiredis")

VALUES = [
    (b"+OK\r\n", b"OK"),
    (b":-12\r\n", -12),
    (b"$5\r\nvalue\r\n", b"value"),
    (b"$-1\r\n", None),
    (b"*-1\r\n", None),
    (b"$4\r\na\r\nb\r\n", b"a\r\nb"),
    (b"*2\r\n:1\r\n*1\r\n$0\r\n\r\n", [1, [b""]]),
    (b"_\r\n", None),
    (b"#t\r\n", True),
    (b"#f\r\n", False),
    (b",1.5\r\n", 1.5),
    (b"(12345678901234567890\r\n", 12345678901234567890),
    (b"=6\r\ntxt:ab\r\n", b"ab"),
    (b"~2\r\n:1\r\n:2\r\n", [1, 2]),
    (b"%1\r\n+key\r\n:1\r\n", [(b"key", 1)]),
]


@pytest.mark.parametrize("data, value", VALUES)
def test_every_type_of_value(data, value):
    assert list(replies_in([data])) == [value]


@pytest.mark.parametrize("data", [b"-WRONGTYPE no list\r\n", b"!18\r\nWRONGTYPE no list!\r\n"])
def test_an_error_is_told_apart(data):
    [found] = replies_in([data])
    assert isinstance(found, ReplyError) and str(found).startswith("WRONGTYPE no list")


@pytest.mark.parametrize("data, value", VALUES)
def test_what_is_cut_off_is_left_out(data, value):
    whole = b"+OK\r\n" + data
    for end in range(5, len(whole)):
        assert list(replies_in([whole[:end]])) == [b"OK"]


@pytest.mark.parametrize(
    "data, why",
    [
        (b"HTTP/1.1 400 Bad Request\r\n", "b'H' begins no value"),
        (b"$3\r\nabcd\r\n", "3 bytes is longer"),
        (b"*1\r\n" * 5_000, "too deep"),
    ],
)
def test_what_is_no_resp_is_refused(data, why):
    with pytest.raises(ValueError, match=why):
        list(replies_in([data]))


def test_what_is_pushed_answers_no_command():
    assert list(replies_in([b"+OK\r\n>2\r\n+invalidate\r\n*1\r\n+key\r\n:1\r\n"])) == [b"OK", 1]


@given(st.lists(st.lists(st.binary(), min_size=1)), st.integers(1, 50))
def test_commands_are_read_as_hiredis_packs_them(commands, size):
    data = b"".join(hiredis.pack_command(tuple(command)) for command in commands)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(commands_in(chunks)) == commands
