"""The kernel's own account of a connection: how many TCP segments a piece of code sent and got."""

import socket
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass

from lab_utils.arguments import check_function, check_ran
from lab_utils.course.checking import borrowed
from lab_utils.testbed.chosen_server import connect

# Offsets in struct tcp_info, include/uapi/linux/tcp.h, stable since Linux 4.6.
SIZE = 280
OFFSETS = 136, 140, 152, 156  # segments out, segments in, data in, data out


@dataclass(frozen=True)
class Segments:
    """TCP segments of one run: those that carry bytes, and acks that only acknowledge."""

    data_sent: int
    data_received: int
    acks_sent: int
    acks_received: int

    def __str__(self):
        return (
            f"data sent {self.data_sent}, received {self.data_received}   "
            f"acks sent {self.acks_sent}, received {self.acks_received}"
        )


def segments(fn: Callable, rtt_ms: float = 0, **options) -> Segments | None:
    """Run `fn(client)` over one connection and return its Segments; None but on Linux.

    Data segments of short work are exact; acks, and those of more than about 1,000 commands, vary
    with the moment. Raises LabError for anything but a plain function.
    """
    check_function(fn, "segments", "loop, rtt_ms=1")
    if sys.platform != "linux":
        return None
    with connect(rtt_ms, max_connections=1, **options) as client:
        check_ran(fn(client), "segments")  # and so that the connection has settled
        before = readings(client)
        fn(client)
        out, received, data_in, data_out = (
            after - start for after, start in zip(readings(client), before, strict=True)
        )
    return Segments(data_out, data_in, out - data_out, received - data_in)


def readings(client):
    info = borrowed(client)._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SIZE)
    return [struct.unpack_from("I", info, offset)[0] for offset in OFFSETS]
