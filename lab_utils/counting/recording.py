"""Recording: the recorder of `roundtrips`, with the bytes of each write and read kept."""

from roundtrips.recorder import Message, Recorder
from roundtrips.redis_py import cut_off
from roundtrips.roundtrip import RoundTrip
from roundtrips.traces import record_of

from ..interrupts import uninterrupted


class Recording:
    """Open it with `with`; then it holds what the block did through redis-py.

    `writes` and `reads` are Messages, `round_trips` RoundTrips, in order, with their times in
    seconds after `began`, a time of time.perf_counter(). `opened` connections were set up;
    `clients` are redis-py's connections by their number.
    """

    def __init__(self) -> None:
        self._recorder = Recorder(payloads=True)

    def __enter__(self) -> "Recording":
        self._recorder.open()
        return self

    def __exit__(self, kind=None, *error) -> None:
        try:
            if kind and not issubclass(kind, Exception):  # a Ctrl-C
                with uninterrupted():
                    cut_off()
        finally:
            self._recorder.close()

    @property
    def began(self) -> float:
        return self._recorder.began

    @property
    def opened(self) -> int:
        return self._recorder.opened

    @property
    def clients(self) -> list:
        return self._recorder.clients

    @property
    def round_trips(self) -> list[RoundTrip]:
        return record_of(self._recorder, "plain").log

    @property
    def writes(self) -> list[Message]:
        return self._messages(written=True)

    @property
    def reads(self) -> list[Message]:
        return self._messages(written=False)

    def _messages(self, written: bool) -> list[Message]:
        return [
            each._replace(at=each.at - self.began, ended=each.ended - self.began)
            for each in self._recorder.messages
            if each.written == written
        ]

    @property
    def unanswered(self) -> bool:
        """Whether something was still on its way when the block ended."""
        return self._recorder.unanswered > 0


def chunks_of(command) -> list:
    """Return the chunks of a packed command, which redis-py may hand over as one or several."""
    return [command] if isinstance(command, (str, bytes)) else list(command)
