"""Judges of the claims that chapter 06 tries: pickle, JSON and what else a value may be stored as."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

CLEARLY = 1.2  # times faster, from which on one way counts as faster than another


@judge("B8", "The json module is slower than pickle at parsing.", "the client")
def b8(pickle_loads_s, json_loads_s, pickle_s, json_s, orjson_s, msgpack_s, pickle_trip_s, json_trip_s, trip_rtt_ms):
    """Seconds to decode one value; to encode and decode it, by each library; of a whole SET and GET, `trip_rtt_ms` away."""
    seen = f"json takes {duration(json_loads_s)} to decode, pickle {duration(pickle_loads_s)}"
    adds = (f"to encode and decode json takes {duration(json_s)}, pickle {duration(pickle_s)}, msgpack {duration(msgpack_s)}, "
            f"and orjson, which is JSON too, {duration(orjson_s)}. At an RTT of {trip_rtt_ms:g} ms a SET and a GET take "
            f"{duration(pickle_trip_s)} with pickle and {duration(json_trip_s)} with json")
    if json_loads_s < pickle_loads_s * CLEARLY:
        return Verdict(FAILS, seen, adds)
    return Verdict(HOLDS, f"{seen}, ~{times(json_loads_s / pickle_loads_s)} faster", adds)


@judge("B9", "Redis takes byte strings; pickle makes them of nearly any data, json of few types.", "the data")
def b9(tried, pickle_same, json_same, json_changed):
    """Counts: types tried, how many came back the same from pickle and from json, how many json changed in silence."""
    counted = f"of {tried} types pickle brought back {pickle_same} as they were and json {json_same}"
    adds = f"json changed {json_changed} of them without an error. Byte strings are what SET and GET take: Redis has more types"
    if pickle_same <= json_same:
        return Verdict(FAILS, counted, adds)
    if pickle_same >= 0.8 * tried and json_same <= 0.5 * tried:
        return Verdict(HOLDS, counted, adds)
    return Verdict(DEPENDS, f"on the types you use: {counted}", adds)


@judge("B10", "Pickled data can become incompatible, even between Python versions.", "the data")
def b10(plain_tried, plain_read, other_tried, other_read):
    """Counts of pickles tried and read: plain data from several Pythons, and values that name a class or a newer protocol."""
    seen = (f"a class that moved, a class whose own format changed, a protocol newer than the reader's: {other_read} of "
            f"{other_tried} could be read")
    adds = (f"of {plain_tried} pickles of plain data, by other Pythons and protocols, {plain_read} could be read. And what the "
            "article leaves out: to load a pickle runs code of whoever could write the key")
    return Verdict(HOLDS if plain_read + other_read < plain_tried + other_tried else FAILS, seen, adds)
