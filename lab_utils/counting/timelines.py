"""List the round trips of several clients of one server, in order, with requests and replies."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass

import hiredis
from roundtrips.resp import commands_in

from ..arguments import check_function, check_ran
from ..errors import LabError
from ..words import counted
from .recording import Recording

LONGEST_SAID, LONGEST_HEARD, SHOWN_COMMANDS = 48, 44, 6


@dataclass(frozen=True)
class Step:
    """One round trip, as texts: client `who` sent the request `says` and got the reply `hears`."""

    who: str
    says: str
    hears: str


@dataclass(frozen=True)
class Timeline:
    """The round trips of several clients: `steps` lists them as Steps, in the order of sending.

    The repr shows them as a table.
    """

    steps: list[Step]

    def __repr__(self) -> str:
        clients = sorted({step.who for step in self.steps})
        indent = {who: "    " * place for place, who in enumerate(clients)}
        width = max(len(step.says) for step in self.steps)
        lines = []
        for number, (who, says, hears) in enumerate(map(astuple, self.steps), 1):
            beyond = " " * (4 * len(indent) - 4 - len(indent[who]))
            lines.append(f"{number:>2}  {indent[who]}{who}  {says:<{width}}{beyond}  → {hears}")
        return "\n".join(lines)


def timeline(fn: Callable) -> Timeline:
    """Call `fn()` once and return a Timeline of the requests and replies of all its clients.

    A client is shown by the `client_name` with which it was connected: `a =
    lab.connect(client_name="A")`. Requests that set a connection up are left out. Raises LabError
    if `fn` sends nothing, and the errors of `fn`.
    """
    check_function(
        fn,
        "lab.timeline",
        "both",
        "a function without arguments, such as `def both(): a.get('key')`",
        takes=0,
    )
    with Recording() as seen:
        check_ran(fn(), "lab.timeline")
    found = steps(seen)
    if not found:
        raise LabError(
            "Nothing was said to Redis. Let the function call its clients, as in "
            "`def both(): a.get('key')`."
        )
    return Timeline(found)


def steps(seen: Recording) -> list[Step]:
    """Return the round trips of a closed Recording as Steps, in the order of sending.

    Each is one write of a client, with the replies to its commands.
    """
    found = []
    for number, connection in enumerate(seen.clients):
        who = connection.client_name or f"client {number + 1}"
        replies = replies_in(
            [read.data for read in seen.reads if read.connection == number and not read.setup]
        )
        for write in seen.writes:
            if write.connection == number and not write.setup:
                commands = list(commands_in([write.data]))
                answers = list(itertools.islice(replies, len(commands)))
                if commands:  # redis-py writes nothing at all for an empty batch
                    found.append(
                        (
                            write.at,
                            Step(who, commands_in_words(commands), replies_in_words(answers)),
                        )
                    )
    return [step for _, step in sorted(found, key=lambda pair: pair[0])]


def replies_in(chunks: Iterable[bytes]) -> Iterator[object]:
    """Yield the replies in received bytes, in order, as hiredis decodes them.

    `chunks` are the bytes read from one connection. Push messages, which answer no command, are
    skipped.
    """
    end = object()
    reader = hiredis.Reader(notEnoughData=end)
    for chunk in chunks:
        reader.feed(chunk)
    while (reply := reader.gets()) is not end:
        if not isinstance(reply, hiredis.PushNotification):
            yield reply


def commands_in_words(commands: list) -> str:
    if len(commands) > SHOWN_COMMANDS:
        return counted(len(commands), "command")
    return " · ".join(
        short(b" ".join(command).decode(errors="replace"), LONGEST_SAID) for command in commands
    )


def replies_in_words(replies: list) -> str:
    if len(replies) > SHOWN_COMMANDS:
        return f"{len(replies):,} replies"
    return short(" · ".join(map(in_words, replies)), LONGEST_HEARD * max(1, len(replies) // 2))


def in_words(reply: object) -> str:
    """Return a decoded reply as text: 'nil' for None, 'error WRONGTYPE' for such an error reply."""
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, hiredis.ReplyError):
        return f"error {str(reply).split(' ')[0]}"
    if isinstance(reply, dict):
        pairs = [f"{in_words(name)}: {in_words(value)}" for name, value in reply.items()]
        return f"[{', '.join(pairs)}]"
    if isinstance(reply, (list, set)):
        words = [in_words(item) for item in reply]
        return f"[{', '.join(sorted(words) if isinstance(reply, set) else words)}]"
    return "nil" if reply is None else str(reply)


def short(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
