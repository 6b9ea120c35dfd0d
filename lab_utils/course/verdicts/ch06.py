"""Judges of the claims that chapter 06 tries: pickle, JSON and what else a value may be stored as."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

CLEARLY = 1.2  # times faster, from which on one way counts as faster than another


@judge("B8", "pickle is faster than JSON")
def b8(pickle_s, json_s, orjson_s, msgpack_s, pickle_trip_s, json_trip_s, trip_rtt_ms):
    """Seconds to encode and decode one value by each library; and of a whole SET and GET, `trip_rtt_ms` away."""
    trip = (f"At an RTT of {trip_rtt_ms:g} ms a SET and a GET take {duration(pickle_trip_s)} with pickle and "
            f"{duration(json_trip_s)} with json.")
    if json_s < pickle_s * CLEARLY:
        return Verdict(FAILS, f"json takes {duration(json_s)} to encode and decode, pickle {duration(pickle_s)}. {trip}")
    ahead = f"pickle takes {duration(pickle_s)}, ~{times(json_s / pickle_s)} faster than the json of the standard library"
    if orjson_s * CLEARLY < pickle_s:
        return Verdict(DEPENDS, f"on the library. {ahead}; orjson, which is JSON too, takes {duration(orjson_s)}, "
                                f"msgpack {duration(msgpack_s)}. {trip}")
    return Verdict(HOLDS, f"{ahead}; orjson takes {duration(orjson_s)}, msgpack {duration(msgpack_s)}. {trip}")


@judge("B9", "pickle stores nearly any Python object; JSON takes few types")
def b9(tried, pickle_same, json_same, json_changed):
    """Counts: types tried, how many came back the same from pickle and from json, how many json changed in silence."""
    counted = (f"of {tried} types pickle brought back {pickle_same} as they were and json {json_same}; "
               f"json changed {json_changed} without an error")
    if pickle_same <= json_same:
        return Verdict(FAILS, counted)
    if pickle_same >= 0.8 * tried and json_same <= 0.5 * tried:
        return Verdict(HOLDS, counted)
    return Verdict(DEPENDS, f"on the types you use: {counted}")


@judge("B10", "Pickles break between Python versions")
def b10(plain_tried, plain_read, other_tried, other_read):
    """Counts of pickles tried and read: plain data from several Pythons, and values that name a class or a newer protocol."""
    if plain_read < plain_tried:
        return Verdict(HOLDS, f"of {plain_tried} pickles of plain data written by other Pythons or protocols, "
                              f"{plain_read} could be read")
    if other_read < other_tried:
        return Verdict(DEPENDS, f"on what is in them. Plain data: all {plain_tried} could be read, whichever Python or protocol "
                                f"wrote them. A class that moved, a class whose own format changed, a protocol newer than the "
                                f"reader's: {other_read} of {other_tried}")
    return Verdict(FAILS, f"all {plain_tried + other_tried} pickles tried could be read")
