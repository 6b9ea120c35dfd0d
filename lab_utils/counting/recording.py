"""Record everything that a `with` block sends and reads through redis-py, with bytes and times."""

from roundtrips.record import record_of
from roundtrips.recorder import Message, Recorder
from roundtrips.redis_py import cut_off
from roundtrips.roundtrip import RoundTrip


class Recording(Recorder):
    """Record all that a `with` block sends and reads through redis-py, with bytes and times.

    - `writes` and `reads` are lists of roundtrips' Messages, in order; `round_trips` is a list of
      its RoundTrips. Their times are in seconds after `began`, which is a time of
      time.perf_counter()
    - `clients` are redis-py's connections; the `connection` of a Message is an index in this list
    - `opened` is how many connections were set up in the `with` block
    - `unanswered` is how many requests had no reply yet when the `with` block ended
    """

    def __init__(self) -> None:
        super().__init__(payloads=True)

    def __enter__(self) -> "Recording":
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *error: object) -> None:
        try:
            if kind and not issubclass(kind, Exception):  # a Ctrl-C
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

    def _since_began(self, message: Message) -> Message:
        return message._replace(at=message.at - self.began, ended=message.ended - self.began)
