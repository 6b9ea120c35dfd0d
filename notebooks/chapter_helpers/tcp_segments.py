"""Count the TCP segments that a piece of code sends and receives, by Linux's own counters."""

import socket
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from lab_utils.arguments import check_function, check_ran
from lab_utils.course.checking import borrowed
from lab_utils.testbed.chosen_server import connect

PUT_OFF_S = 0.1  # Linux sends an ack that it has put off after 0.04 s

# Offsets in struct tcp_info, include/uapi/linux/tcp.h, stable since Linux 4.6.
SIZE = 280
OFFSETS = 136, 140, 152, 156  # segments out, segments in, data in, data out


@dataclass(frozen=True)
class Segments:
    """Numbers of TCP segments during one call: those with data, and ACKs without data."""

    data_sent: int
    data_received: int
    acks_sent: int
    acks_received: int

    def __str__(self):
        return (
            f"data sent {self.data_sent}, received {self.data_received}   "
            f"acks sent {self.acks_sent}, received {self.acks_received}"
        )


def segments(fn: Callable, rtt_ms: float = 0) -> Segments | None:
    """Call `fn(client)` over one connection and return its Segments; return None unless on Linux.

    The client is a redis.Redis at a distance of `rtt_ms` ms. `fn` is called twice, and the second
    call is counted. Numbers of data segments are exact up to about 1,000 commands; numbers of ACKs
    vary from call to call. Raises LabError for anything but a plain function.
    """
    check_function(fn, "segments", "loop, rtt_ms=1")
    if sys.platform != "linux":
        return None
    with connect(rtt_ms, max_connections=1) as client:
        check_ran(fn(client), "segments")  # and so that the connection has settled
        time.sleep(PUT_OFF_S)
        before = readings(client)
        fn(client)
        time.sleep(PUT_OFF_S)
        out, received, data_in, data_out = (
            after - start for after, start in zip(readings(client), before, strict=True)
        )
    return Segments(data_out, data_in, out - data_out, received - data_in)


def readings(client):
    info = borrowed(client)._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, SIZE)
    return [struct.unpack_from("I", info, offset)[0] for offset in OFFSETS]
