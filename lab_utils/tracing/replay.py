"""What a traced block would take at another distance: its turns played again, each longer by the difference.

What followed on a turn (on the same thread or task, the same connection, a line that one of the two started) follows on it again,
after as long as before: that was the program's own work. Turns that overlapped overlap again. Opening a connection costs one more
round trip than the turns on it: TCP's own.

It leaves out what a distance changes besides: bandwidth, a pool that would have been larger, tasks that meet elsewhere.
"""

from ..arguments import check_number

NEAR_S = 0.0002  # a shortest turn below this is no distance, but two processes on one machine
SHORTER = 10  # a tenth of the turns are shorter than the one that is taken
OWN_S = 0.00005  # of a turn on one machine


def seconds_at(record, rtt_ms, here_ms=None):
    """The seconds at `rtt_ms` of a Record that was made at `here_ms`."""
    check_number(rtt_ms, "rtt_ms", 0)
    here = distance_of(record) if here_ms is None else check_number(here_ms, "here_ms", 0) / 1000
    return replayed(record, rtt_ms / 1000 - here)


def distance_of(record):
    """The round trip in seconds at which it was made, by its shorter turns; the very shortest may be an accident of the clock."""
    seconds = sorted(turn.seconds for turn in record.turns if turn.outcome == "answered")
    shortest = seconds[len(seconds) // SHORTER] if seconds else 0.0
    return 0.0 if shortest < NEAR_S else shortest - OWN_S


def replayed(record, longer):
    """The seconds with each turn longer by so many (shorter, if below 0)."""
    played, opened = Played(record.starters), set()
    for turn in record.turns:
        before, now = played.before(turn)
        sent = now + turn.sent - before
        trips = 1
        if turn.setup and turn.connection not in opened:
            trips = 2
            opened.add(turn.connection)
        played.add(turn, sent + max(0.0, turn.seconds + trips * longer))
    rest = record.waits - max((turn.depth for turn in record.turns), default=0)  # of turns that were added up
    return max(0.0, played.end + record.seconds - played.end_before + max(0, rest) * longer)


class Played:
    """The turns played so far: when each line and connection was last heard of, before and now."""

    def __init__(self, starters):
        self.starters = starters
        self.pending, self.lines, self.below, self.connections = [], {}, {}, {}
        self.end_before = self.end = 0.0

    def before(self, turn):
        """(when the last thing this turn had to wait for ended, when it ends now)."""
        for place, (ended, now, line, connection) in reversed(list(enumerate(self.pending))):
            if ended <= turn.sent:
                self.note(self.lines, line, ended, now)
                self.note(self.connections, connection, ended, now)
                for above in self.above(line):
                    self.note(self.below, above, ended, now)
                del self.pending[place]
        known = [(self.lines, turn.line), (self.below, turn.line), (self.connections, turn.connection),
                 *[(self.lines, above) for above in self.above(turn.line)]]
        found = [ends[key] for ends, key in known if key in ends]
        return max((ended for ended, _ in found), default=0.0), max((now for _, now in found), default=0.0)

    def add(self, turn, now):
        self.pending.append((turn.replied, now, turn.line, turn.connection))
        self.end_before, self.end = max(self.end_before, turn.replied), max(self.end, now)

    def above(self, line):
        line = self.starters[line] if line < len(self.starters) else None
        while line is not None:
            yield line
            line = self.starters[line]

    @staticmethod
    def note(ends, key, ended, now):
        known = ends.get(key, (0.0, 0.0))
        ends[key] = max(known[0], ended), max(known[1], now)
