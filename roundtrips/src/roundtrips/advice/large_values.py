"""A large value, read whole.

    profile = json.loads(r.get("profile:1"))    # 200 kB for one field of it

    mail = r.hget("profile:1", "mail")          # kept as a hash

It saves the bytes, and no round trip. Only worth a look: perhaps all of it is needed.
"""

from ..words import size
from .finding import Finding, Found
from .work import Work, single

LARGE = 100_000  # bytes
READS = {"GET": "hget(key, field)  # kept as a hash,", "HGETALL": "hmget(key, fields)  #"}


def find(work: Work) -> Found:
    """Yield call sites that read two such values or more."""
    for several in work.repeated(lambda command: command.name in READS):
        large = [trip for trip in several if trip.bytes_received > LARGE and single(trip)]
        if len(large) > 1:
            command, most = large[0].commands[0], max(trip.bytes_received for trip in large)
            call = f"{work.client(large[0]).wait}r.{READS[command.name]}"
            shows = f"{command.name} {command.pattern} brought {size(most)}"
            yield Finding("large value", "a large value", shows, 0, large[0].site,
                          f"value = {call} if a part of it is all you need", False)  # fmt: skip
