"""Record for lab.capture each message that crosses the link, and when it was at either end."""

import base64
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import redis
from roundtrips.resp import commands_in

from ..arguments import check_client, check_function, check_ran
from ..errors import LabError
from ..testbed import event_loop, ownership
from ..testbed.cpu_times import note_disturbance
from ..testbed.link import distance_through, link, recording, through
from ..testbed.pinning import steady
from ..words import counted, duration
from .recording import Recording

LONGEST_LINE = 200  # bytes of a reply's only line; a longer one is a piece of a large value


@dataclass(frozen=True)
class Message:
    """Bytes that travelled together in one direction, over the link.

    `way` is "request" or "reply", `data` the bytes. `at_client` and `at_server` are when they were
    at either end, in seconds after the first message left. `written` is when the server had written
    a reply, which is before `at_server` if TCP's window delayed the reply; for a request it is
    `at_server`.
    """

    way: str
    at_client: float
    at_server: float
    data: bytes
    written: float | None = None

    def left(self) -> float:
        """Return when the message left its sender, in seconds after the first message left."""
        return self.at_client if self.way == "request" else self.at_server

    @property
    def text(self) -> str:
        """Return the message in a few words, such as 'SET key1', '3 commands' or '+OK'."""
        return request_text(self.data) if self.way == "request" else reply_text(self.data)


@dataclass(frozen=True)
class Capture:
    """All messages between client and server during one call of a function, in order, as Messages.

    The repr is a table. `rtt_ms` is the distance in ms that they travelled.
    """

    messages: list[Message]
    rtt_ms: float

    @property
    def requests(self) -> list[Message]:
        return [message for message in self.messages if message.way == "request"]

    @property
    def replies(self) -> list[Message]:
        return [message for message in self.messages if message.way == "reply"]

    def __repr__(self) -> str:
        lines = [f"{'no':>3}  {'time':>9}  {'':<17}  {'bytes':>6}  message"]
        for number, message in enumerate(self.messages, 1):
            ends = "client to server" if message.way == "request" else "server to client"
            lines.append(
                f"{number:>3}  {duration(message.left()):>9}  {ends:<17}  {len(message.data):>6,}  "
                f"{message.text}"
            )
        return "\n".join(lines)

    def plot(self, turns: int = 6, title: str | None = None, gap: str | None = None) -> Any:
        """Draw the messages of the first `turns` turns as arrows between client and server.

        A turn is one request or several, then their replies. `title` replaces the usual title.
        `gap` is a few words to write beside the server's line between a reply and the next request,
        where the line is coloured then; None leaves both out. Returns the figure.
        """
        from ..figures.ladder import plot_ladder

        return plot_ladder(self, turns, title, gap)


def capture(fn: Callable, client: redis.Redis) -> Capture:
    """Call `fn(client)` once and return a Capture of the messages that crossed the link.

    `client` must be a client of one of the lab's servers. Its distance stays the same; at RTT 0 the
    messages go through a link without delay, since the link records them. Raises LabError for other
    clients, if `fn` opens further connections, and if `fn` returns while something is still on its
    way; also the errors of `fn`.
    """
    check_function(fn, "lab.capture")
    check_client(client, "lab.capture")
    stands_on = ownership.check(client)
    kwargs = client.connection_pool.connection_kwargs
    rtt_ms = distance_through(client)
    port = link().port(stands_on, 0) if rtt_ms is None else kwargs["port"]
    options = {
        name: value
        for name, value in kwargs.items()
        if name in event_loop.SHARED_OPTIONS - {"host", "port", "path"}
    }
    with through(stands_on, port, **options) as own, steady(stands_on.pid, link()):
        own.ping()
        with recording() as passed, Recording() as seen, note_disturbance(stands_on.pid, link()):
            check_ran(fn(own), "lab.capture")
    if seen.opened:
        raise LabError(
            "This function opened connections of its own; lab.capture shows the one it "
            "is given. Let it use that client only."
        )
    if seen.unanswered:
        raise still_on_its_way()
    return Capture(messages(seen, passed.events), rtt_ms or 0)


def messages(seen: Recording, events: list[list]) -> list[Message]:
    """Return the Messages of a call, in the order in which they left their senders.

    `seen` is the client's closed Recording, `events` what the link recorded, as `link.recording`
    describes it. Both are matched by position in the stream of bytes. A request is one write of the
    client, even if the link passed it on in pieces; a reply is what the link read from the server
    at once. Times are in seconds after the first message left.
    """
    found = [*requests(seen, events), *replies(seen, events)]
    start = min((message.at_client for message in found), default=0)
    since_start = [
        Message(
            each.way,
            each.at_client - start,
            each.at_server - start,
            each.data,
            None if each.written is None else each.written - start,
        )
        for each in found
    ]
    return sorted(since_start, key=Message.left)


def requests(seen: Recording, events: list[list]) -> Iterator[Message]:
    """Yield a Message for each write of the client: when it left, and when all of it arrived.

    `seen` is the client's closed Recording, `events` what the link recorded, as `link.recording`
    describes it. Times are those of time.perf_counter().
    """
    there = arrivals(
        (len(base64.b64decode(data)), left)
        for _, way, _, _, left, data in events
        if way == "request"
    )
    sent = 0
    for write in seen.writes:
        for data in write.chunks:
            sent += len(data)
            at_server = time_of(sent, there)
            yield Message("request", seen.began + write.at, at_server, data, at_server)


def replies(seen: Recording, events: list[list]) -> Iterator[Message]:
    """Yield a Message for each reply: when the server sent it, and when all of it was read.

    `seen` is the client's closed Recording, `events` what the link recorded, as `link.recording`
    describes it. Times are those of time.perf_counter().
    """
    back = arrivals((len(read.data), seen.began + read.at) for read in seen.reads)
    sent = 0
    for _, way, written, leaves, _, encoded in events:
        if way == "reply":
            data = base64.b64decode(encoded)
            sent += len(data)
            yield Message("reply", time_of(sent, back), leaves, data, written)


def arrivals(pieces: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return [(bytes that had arrived by then, time)] for `pieces`, [(bytes of a piece, time)]."""
    pieces = list(pieces)
    so_far = itertools.accumulate(size for size, _ in pieces)
    return [(count, at) for count, (_, at) in zip(so_far, pieces, strict=True)]


def time_of(count: int, arrivals: list[tuple[int, float]]) -> float:
    """Return when the first `count` bytes had arrived; raise LabError if they never did.

    `arrivals` is [(bytes arrived so far, time)], in order; the result is one of these times.
    """
    came = next((at for so_far, at in arrivals if count <= so_far), None)
    if came is None:
        raise still_on_its_way()
    return came


def still_on_its_way() -> LabError:
    return LabError(
        "This function returned while something was still on its way to Redis or back. "
        "Let it wait for its threads, with thread.join(), and read every reply."
    )


def request_text(data: bytes) -> str:
    commands = list(commands_in([data]))
    if not commands:
        return f"{len(data):,} bytes"
    if len(commands) > 3:
        return counted(len(commands), "command")
    return " · ".join(b" ".join(command[:2]).decode(errors="replace")[:24] for command in commands)


def reply_text(data: bytes) -> str:
    first, _, rest = data.partition(b"\r\n")
    # One line, or what a short pipeline is answered.
    if (not rest and len(first) <= LONGEST_LINE) or re.fullmatch(
        rb"([+:-][^\r\n]{0,20}\r\n){2,3}", data
    ):
        return " ".join(
            line.decode(errors="replace")[:24] for line in data.removesuffix(b"\r\n").split(b"\r\n")
        )
    if first[:1] == b"$" and rest.count(b"\r\n") == 1:
        return rest[:-2].decode(errors="replace")[:24]
    return f"{len(data):,} bytes"
