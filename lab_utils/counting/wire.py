"""What crossed the link, message by message, with the time at both ends."""

import base64
from collections.abc import Callable
from dataclasses import dataclass

from roundtrips.resp import commands_in

from ..arguments import check_client, check_function, check_ran
from ..errors import LabError
from ..testbed import event_loop, guard
from ..testbed.evidence import watched
from ..testbed.link import distance_through, link, recording, through
from ..testbed.pinning import steady
from ..words import counted, duration
from .recording import Recording


@dataclass(frozen=True)
class Message:
    """Bytes that travelled together in one direction.

    `way` is "request" or "reply"; `at_client` and `at_server` are seconds after the first message
    left, at either end.
    """

    way: str
    at_client: float
    at_server: float
    data: bytes

    @property
    def text(self) -> str:
        """'SET key1', '3 commands', '+OK': what the message says, short."""
        return request_text(self.data) if self.way == "request" else reply_text(self.data)


@dataclass(frozen=True)
class Capture:
    """The messages of one run, in order, and the distance they travelled."""

    messages: list[Message]
    rtt_ms: float

    @property
    def requests(self) -> list[Message]:
        return [message for message in self.messages if message.way == "request"]

    @property
    def replies(self) -> list[Message]:
        return [message for message in self.messages if message.way == "reply"]

    def __repr__(self):
        """Return a table with the columns of a packet capture: number, time, who to whom, bytes."""
        lines = [f"{'no':>3}  {'time':>9}  {'':<17}  {'bytes':>6}  message"]
        for number, message in enumerate(self.messages, 1):
            sent, ends = (
                (message.at_client, "client to server")
                if message.way == "request"
                else (message.at_server, "server to client")
            )
            lines.append(
                f"{number:>3}  {duration(sent):>9}  {ends:<17}  {len(message.data):>6,}  "
                f"{message.text}"
            )
        return "\n".join(lines)

    def plot(self, turns=6, title=None, gap=None):
        """Draw the ladder of the messages; `gap` marks the server's line between two turns."""
        from ..figures.ladder import plot_ladder

        return plot_ladder(self, turns, title, gap)


def capture(fn: Callable, client) -> Capture:
    """Run `fn(client)` once, at the client's distance; return a Capture of what crossed the link.

    The client must be on a server of the lab's; one at RTT 0 is put behind a link without delay for
    this run, since there is no other place to watch from. One connection only: `fn` must not open
    more. Raises LabError otherwise.
    """
    check_function(fn, "lab.capture")
    check_client(client, "lab.capture")
    stands_on = guard.check(client)
    kwargs = client.connection_pool.connection_kwargs
    rtt_ms = distance_through(client)
    port = link().port_without_delay(stands_on) if rtt_ms is None else kwargs["port"]
    options = {
        name: value
        for name, value in kwargs.items()
        if name in event_loop.SHARED_OPTIONS - {"host", "port", "path"}
    }
    with through(stands_on, port, **options) as own, steady(stands_on.pid, link()):
        own.ping()
        with recording() as passed, Recording() as seen, watched(stands_on.pid, link()):
            check_ran(fn(own), "lab.capture")
    if seen.opened:
        raise LabError(
            "This function opened connections of its own; lab.capture shows the one it "
            "is given. Let it use that client only."
        )
    if seen.unanswered:
        raise still_on_its_way()
    return Capture(messages(seen, passed.events), rtt_ms or 0)


def messages(seen, events):
    """Join what the client wrote and read with what the link passed on, by place in the stream.

    A request is one write of the client's, however the link cut it up; a reply is what the link got
    from the server at once.
    """
    found = [*requests(seen, events), *replies(seen, events)]
    start = min((at_client for _, at_client, _, _ in found), default=0)
    found.sort(key=lambda row: row[1] if row[0] == "request" else row[2])
    return [
        Message(way, at_client - start, at_server - start, data)
        for way, at_client, at_server, data in found
    ]


def requests(seen, events):
    """Yield (way, when it left, when all of it was there, bytes) of each write."""
    there = arrivals(
        (len(base64.b64decode(data)), left) for _, way, _, left, data in events if way == "request"
    )
    sent = 0
    for write in seen.writes:
        for data in write.chunks:
            sent += len(data)
            yield "request", seen.began + write.at, time_of(sent, there), data


def replies(seen, events):
    """Yield (way, when all of it was read, when the server sent it, bytes) of each reply."""
    back = arrivals((len(read.data), seen.began + read.at) for read in seen.reads)
    sent = 0
    for _, way, arrived, _, encoded in events:
        if way == "reply":
            data = base64.b64decode(encoded)
            sent += len(data)
            yield "reply", time_of(sent, back), arrived, data


def arrivals(pieces):
    """Return [(bytes so far, time)] of pieces given as (size, time)."""
    found, so_far = [], 0
    for size, at in pieces:
        so_far += size
        found.append((so_far, at))
    return found


def time_of(count, arrivals):
    """Return when so many bytes had come. Raises LabError if they had not when all ended."""
    came = next((at for so_far, at in arrivals if count <= so_far), None)
    if came is None:
        raise still_on_its_way()
    return came


def still_on_its_way():
    return LabError(
        "This function returned while something was still on its way to Redis or back. "
        "Let it wait for its threads, with thread.join(), and read every reply."
    )


def request_text(data):
    commands = list(commands_in([data]))
    if not commands:
        return f"{len(data):,} bytes"
    if len(commands) > 2:
        return counted(len(commands), "command")
    return " · ".join(b" ".join(command[:2]).decode(errors="replace")[:24] for command in commands)


def reply_text(data):
    first, _, rest = data.partition(b"\r\n")
    if not rest:
        return first.decode(errors="replace")[:24]
    if first[:1] == b"$" and rest.count(b"\r\n") == 1:
        return rest[:-2].decode(errors="replace")[:24]
    return f"{len(data):,} bytes"
