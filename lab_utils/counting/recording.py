"""Recording: the recorder of `roundtrips`, with the bytes of each write and read kept."""

from roundtrips.recorder import Message, Recorder
from roundtrips.redis_py import cut_off
from roundtrips.roundtrip import RoundTrip
from roundtrips.traces import record_of

from ..interrupts import uninterrupted


class Recording(Recorder):
    """Open it with `with`; then it holds what the block did through redis-py.

    `writes` and `reads` are Messages, `round_trips` RoundTrips, in order, with their times in
    seconds after `began`, a time of time.perf_counter(). `opened` connections were set up,
    `unanswered` requests were still on their way when the block ended; `clients` are redis-py's
    connections by their number.
    """

    def __init__(self) -> None:
        super().__init__(payloads=True)

    def __enter__(self) -> "Recording":
        self.open()
        return self

    def __exit__(self, kind=None, *error) -> None:
        try:
            if kind and not issubclass(kind, Exception):  # a Ctrl-C
                with uninterrupted():
                    cut_off()
        finally:
            self.close()

    @property
    def round_trips(self) -> list[RoundTrip]:
        return record_of(self, "plain").log

    @property
    def writes(self) -> list[Message]:
        return [self._since_began(each) for each in self.messages if each.written]

    @property
    def reads(self) -> list[Message]:
        return [self._since_began(each) for each in self.messages if not each.written]

    def _since_began(self, message):
        return message._replace(at=message.at - self.began, ended=message.ended - self.began)
