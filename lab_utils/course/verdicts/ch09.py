"""Chapter 09: what hiredis gains, by the shape of the reply."""

from ...words import times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

ABOUT_TEN = 5  # "about 10 times" is confirmed from this factor on
NO_GAIN = 1.2


@judge("B1", "hiredis makes redis-py faster, as the author hears about 10 times.", "the size")
def b1(get, list_10, list_1000, list_10000, pipeline):
    """How many times faster redis-py was with hiredis than with its own parser: one GET, LRANGE of 10, 1,000 and
    10,000 items, a pipeline of 1,000 GETs."""
    gains = get, list_10, list_1000, list_10000, pipeline
    seen = (f"a GET ~{times(get)}, lists of 10, 1,000 and 10,000 items ~{times(list_10)}, ~{times(list_1000)} and "
            f"~{times(list_10000)}, a pipeline of 1,000 GETs ~{times(pipeline)}")
    if min(gains) >= ABOUT_TEN:
        return Verdict(HOLDS, seen)
    if max(gains) >= NO_GAIN:
        return Verdict(DEPENDS, f"on the shape of the reply: {seen}. hiredis speeds up large replies, not many replies")
    return Verdict(FAILS, seen)
