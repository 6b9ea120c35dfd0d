"""The commands in what a client wrote: what hiredis packs, and nothing of what is cut off."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrips.resp import commands_in

hiredis = pytest.importorskip("hiredis")
commands = st.lists(st.lists(st.binary(), min_size=1), min_size=1)


@given(commands, st.integers(1, 50))
@settings(deadline=None)
def test_commands_are_read_as_hiredis_packs_them(commands, size):
    packed = [hiredis.pack_command(tuple(command)) for command in commands]
    data = b"".join(packed)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert list(commands_in(chunks)) == commands
    for left_out in range(1, len(packed[-1])):
        assert list(commands_in([data[:-left_out]])) == commands[:-1]


def test_what_is_no_resp_is_no_command():
    chunks = [b"*1\r\n$4\r\nPING\r\n", "HTTP/1.1 400 Bad Request\r\n"]
    assert list(commands_in(chunks)) == [[b"PING"]]
