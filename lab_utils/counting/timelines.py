"""Who said what, and heard what: the turns of clients that share a server, in the order in which they happened."""

import itertools
from dataclasses import dataclass

import hiredis
from roundtrips.resp import commands_in

from ..arguments import check_function, check_ran
from ..errors import LabError
from ..words import counted
from .recording import Recording

LONGEST_SAID, LONGEST_HEARD, SHOWN_COMMANDS = 48, 44, 6


@dataclass(frozen=True)
class Step:
    """One turn: `who` sent `says` and got `hears`."""

    who: str
    says: str
    hears: str


@dataclass(frozen=True)
class Timeline:
    """The steps of a run, in the order in which they were sent."""

    steps: list

    @property
    def clients(self):
        """The clients' names, sorted."""
        return sorted({step.who for step in self.steps})

    def plot(self, title):
        """Draws each client as a vertical beside Redis, a step a row: what it said, what it heard; prints the same in words.

        At most two clients, else LabError.
        """
        from ..figures.who_said_what import plot_timeline

        return plot_timeline(self, title)

    def __repr__(self):
        clients = self.clients
        width = max(len(step.says) for step in self.steps)
        indent = {who: "    " * place for place, who in enumerate(clients)}
        lines = [f"{number:>2}  {indent[step.who]}{step.who}  {step.says:<{width}}{indent[clients[-1]][len(indent[step.who]):]}"
                 f"  → {step.hears}" for number, step in enumerate(self.steps, 1)]
        return "\n".join(lines)


def timeline(fn):
    """Runs `fn()` once and returns a Timeline of what its clients said and heard.

    A client goes by the `client_name` it was connected with: `a = lab.connect(client_name="A")`. What connecting itself
    costs is left out. Raises LabError if nothing was said; an error that `fn` raises goes through.
    """
    check_function(fn, "lab.timeline", "both", "a function without arguments, such as `def both(): a.get('key')`")
    with Recording() as seen:
        check_ran(fn(), "lab.timeline")
    found = steps(seen)
    if not found:
        raise LabError("Nothing was said to Redis. Let the function call its clients, as in `def both(): a.get('key')`.")
    return Timeline(found)


def steps(seen):
    """Joins what each connection wrote with the replies that it read, as many replies as commands."""
    found = []
    for number, connection in enumerate(seen.clients):
        told = replies_in([read.data for read in seen.reads if read.connection == number and not read.setup])
        for write in seen.writes:
            if write.connection == number and not write.setup:
                commands = list(commands_in([write.data]))
                if not commands:  # redis-py writes nothing at all for an empty batch
                    continue
                replies = list(itertools.islice(told, len(commands)))
                who = connection.client_name or f"client {number + 1}"
                found.append((write.at, Step(who, said(commands), heard(replies))))
    return [step for _, step in sorted(found, key=lambda pair: pair[0])]


def replies_in(chunks):
    """Yield the replies in read bytes; what a server pushes answers no command and is left out."""
    end = object()
    reader = hiredis.Reader(notEnoughData=end)
    for chunk in chunks:
        reader.feed(chunk)
    while (reply := reader.gets()) is not end:
        if not isinstance(reply, hiredis.PushNotification):
            yield reply


def said(commands):
    if len(commands) > SHOWN_COMMANDS:
        return counted(len(commands), "command")
    return " · ".join(short(b" ".join(command).decode(errors="replace"), LONGEST_SAID) for command in commands)


def heard(replies):
    if len(replies) > SHOWN_COMMANDS:
        return f"{len(replies):,} replies"
    return short(" · ".join(in_words(reply) for reply in replies), LONGEST_HEARD * max(1, len(replies) // 2))


def in_words(reply):
    """A reply as a person would say it; of an error its first word, which is its kind."""
    if reply is None:
        return "nil"
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
    return str(reply)


def short(text, longest):
    return text if len(text) <= longest else f"{text[:longest - 1]}…"


