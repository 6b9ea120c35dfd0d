"""A transaction that only reads.

    r.pipeline().get("a").get("b").execute()                    # MULTI … EXEC

    r.pipeline(transaction=False).get("a").get("b").execute()

It saves the server the queueing, and no round trip. Only worth a look: if both values must be of
one moment, MULTI is what gives that.
"""

from ..commands import named
from .finding import Finding, Found
from .work import Work

READS = named("""
    GET HGET HGETALL HMGET MGET EXISTS TTL PTTL TYPE STRLEN LLEN SCARD ZCARD HLEN XLEN LRANGE
    SMEMBERS SISMEMBER ZSCORE ZRANGE ZRANK HEXISTS HKEYS HVALS LINDEX GETRANGE ZCOUNT BITCOUNT
""")


def find(work: Work) -> Found:
    """Yield call sites that made two such transactions or more."""
    for several in work.repeated(lambda command: command.name == "MULTI"):
        trip, inner = several[0], {name for trip in several for name in trip.names}
        if inner - {"MULTI", "EXEC"} <= READS and sum(trip.names.values()) > 3:
            shows, instead = trip.label, "pipe = r.pipeline(transaction=False)"
            yield Finding("transaction", "a transaction that only reads", shows, 0, trip.site,
                          f"{instead}  # unless all must be of one moment", False)  # fmt: skip
