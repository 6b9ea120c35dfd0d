"""Judge the claims of article B: each claim, its judge, and test cases for and against.

A judge is a function of measurements. It returns a Verdict: one of the words "holds", "depends",
"does not hold" and "untested", with a sentence that gives the measured reason.
"""

import statistics

from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, Verdict, by_degree, cases, judge
from lab_utils.words import duration, times

ARTICLE = "Using Redis efficiently from Python ([Dd]enzow(ill)? with DB and Python)"

NO_GAIN = 1.2  # times faster: a ratio below is no gain
ABOUT_TEN = 5  # B1: of most shapes of a reply: "about 10 times" is hearsay, and names no shape
CONSIDERABLE = 2  # B2: times faster: a gain that the article calls considerable; its own is 4.25
INDEXED = 2  # B3: an index would gain that at least: the article compares with relational databases
ALIKE = 1.3  # B4: two times within this factor are the same
# on a client's clock, which has more in it than the server's work, this much is a difference
NOTICED = 1.1
NOTICED_S = 1e-3  # B5: how long nobody else being served is called a wait
SMALLER = 0.75  # B7: a hash of this share of the other's bytes is compact


@judge(
    "B1",
    "09",
    "hiredis makes redis-py faster, as the author hears about 10 times.",
    "the size",
    after="redis-py's README had “up to a 10x speed improvement in parsing”",
)
def b1(get: float, list_10: float, list_1000: float, list_10000: float, pipeline: float) -> Verdict:
    """Judge B1 by how many times faster redis-py is with hiredis than with its own parser.

    Each argument is that factor for one kind of reply: of a GET, of LRANGE with 10, 1,000 and
    10,000 items, and of a pipeline of 1,000 GETs. The claim holds if their median is at least 5,
    depends if any is at least 1.2, and else does not hold.
    """
    gains = get, list_10, list_1000, list_10000, pipeline
    seen = (
        f"a GET ~{times(get)}, lists of 10, 1,000 and 10,000 items ~{times(list_10)}, "
        f"~{times(list_1000)} and ~{times(list_10000)}, a pipeline of 1,000 GETs "
        f"~{times(pipeline)}"
    )
    if statistics.median(gains) >= ABOUT_TEN:
        return Verdict(HOLDS, seen)
    if max(gains) >= NO_GAIN:
        return Verdict(
            DEPENDS,
            f"on the shape of the reply: {seen}. hiredis speeds up large replies, not many replies",
        )
    return Verdict(FAILS, seen)


cases(
    "B1",
    (
        DEPENDS,
        {"get": 1.2, "list_10": 1.5, "list_1000": 10.1, "list_10000": 16.0, "pipeline": 1.03},
    ),
    (HOLDS, {"get": 4.0, "list_10": 9.0, "list_1000": 11.0, "list_10000": 12.0, "pipeline": 1.5}),
    (FAILS, {"get": 1.0, "list_10": 1.0, "list_1000": 1.1, "list_10000": 1.1, "pipeline": 0.9}),
)


@judge(
    "B2",
    "13",
    "Seven commands take 1.19 ms one by one and 280 µs in a pipeline: a considerable gain.",
    "a default of the client",
)
def b2(calls_s: float, plain_s: float, default_s: float) -> Verdict:
    """Judge B2 by the seconds of the article's seven commands, sent in three ways.

    They are sent one by one (`calls_s`), in a pipeline without transaction (`plain_s`), and in
    redis-py's default pipeline (`default_s`). The claim holds if the default pipeline is at least
    twice as fast as one by one, depends if it is less but clearly faster, and else does not hold.
    """
    gain = calls_s / default_s
    seen = (
        f"{duration(calls_s)} one by one, {duration(default_s)} in redis-py's default "
        f"pipeline, a gain of ~{times(gain)}"
    )
    adds = (
        "that default is a transaction, so 9 commands left. Without MULTI and EXEC the "
        f"pipeline took {duration(plain_s)}"
    )
    if gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: none here", adds)
    if gain < CONSIDERABLE:
        return Verdict(DEPENDS, f"on the distance: {seen}, which is not considerable", adds)
    return Verdict(HOLDS, seen, adds)


cases(
    "B2",
    (HOLDS, {"calls_s": 0.0011, "plain_s": 2e-4, "default_s": 2.2e-4}),
    (DEPENDS, {"plain_s": 6.4e-4, "default_s": 6.5e-4}),
    (FAILS, {"plain_s": 0.0011, "default_s": 0.0012}),
)


@judge(
    "B3",
    "05",
    "KEYS performs the same, on whichever part of the name the pattern is, unlike an RDBMS.",
    "the client",
)
def b3(
    none_by_prefix_us: float,
    none_by_infix_us: float,
    prefix_s: float,
    infix_s: float,
    plain_prefix_s: float,
    plain_infix_s: float,
) -> Verdict:
    """Judge B3 by times of KEYS with a pattern at the front or in the middle of the name.

    A prefix is at the front, an infix in the middle. `none_by_prefix_us` and `none_by_infix_us` are
    the server's µs a call, for patterns that match no name. The others are the client's seconds a
    call, for patterns that match 4,500 names: "plain" with redis-py's own parser, written in
    Python, else with the parser in use. The claim does not hold if with the plain parser infixes
    take twice as long as prefixes, or longer. Otherwise it holds if infixes take less than twice as
    long at the server, and depends if they do not.
    """
    searching, plain = none_by_infix_us / none_by_prefix_us, plain_infix_s / plain_prefix_s
    seen = (
        f"in the middle of the name a pattern takes ~{times(plain)} the time of one at its "
        f"front when plain Python reads the names, ~{times(infix_s / prefix_s)} as this client "
        "reads them"
    )
    adds = (
        f"the server alone, searching in vain, took ~{none_by_prefix_us:,.0f} µs by prefix and "
        f"~{none_by_infix_us:,.0f} µs in the middle: a prefix lets it give up on a name at "
        "once"
    )
    if plain >= INDEXED:
        return Verdict(FAILS, seen, adds)
    if searching < INDEXED:
        return Verdict(HOLDS, seen, adds)
    return Verdict(
        DEPENDS, f"on the parser and the clock: {seen}; for the server ~{times(searching)}", adds
    )


cases(
    "B3",
    (
        DEPENDS,
        {
            "prefix_s": 6e-4,
            "infix_s": 0.001,
            "plain_prefix_s": 0.00355,
            "none_by_prefix_us": 179,
            "none_by_infix_us": 819,
            "plain_infix_s": 0.00397,
        },
    ),
    (HOLDS, {"none_by_infix_us": 190}),
    (FAILS, {"none_by_infix_us": 9_000, "plain_infix_s": 0.012}),
)


@judge(
    "B4",
    "05",
    "Only a pattern at the end of the name is faster, because it returns a third of the names.",
    "the client",
)
def b4(prefix_s: float, suffix_s: float, plain_prefix_s: float, plain_suffix_s: float) -> Verdict:
    """Judge B4 by the seconds of KEYS for 4,500 names by prefix and for 1,350 names by suffix.

    "plain" is with redis-py's own parser, written in Python, the other two are with the parser in
    use. The claim holds if the suffix is clearly faster with both parsers, depends if it is with
    one of them, and else does not hold.
    """
    now, plain = suffix_s / prefix_s, plain_suffix_s / plain_prefix_s
    seen = (
        f"the suffix takes ~{times(plain)} the prefix's time when plain Python reads the "
        f"names, ~{times(now)} as this client reads them"
    )
    if now < 1 / ALIKE and plain < 1 / ALIKE:
        return Verdict(HOLDS, seen)
    if plain < 1 / NOTICED:
        return Verdict(
            DEPENDS,
            f"on the parser: {seen}. Fewer names save the client's reading, "
            "not the server's searching",
        )
    if now < 1 / ALIKE:
        return Verdict(
            DEPENDS,
            f"on the parser: {seen}. Fewer names, and plain Python does not "
            "read them clearly faster",
        )
    return Verdict(FAILS, f"{seen}: fewer names, and still not clearly faster")


cases(
    "B4",
    (
        DEPENDS,
        {"prefix_s": 7e-4, "suffix_s": 0.0012, "plain_prefix_s": 0.0042, "plain_suffix_s": 0.0023},
    ),
    (HOLDS, {"suffix_s": 3e-4}),
    (DEPENDS, {"suffix_s": 3e-4, "plain_suffix_s": 0.0042}),
    (FAILS, {"plain_suffix_s": 0.0041}),
)


@judge(
    "B5",
    "05",
    "With attributes joined in the key's name, KEYS allows fairly flexible queries, without joins.",
    "the size",
)
def b5(
    queries: int,
    answered: int,
    few: int,
    many: int,
    keys_few_s: float,
    keys_many_s: float,
    index_few_s: float,
    index_many_s: float,
) -> Verdict:
    """Judge B5 by how many of `queries` queries by pattern gave the right answer: holds if all did.

    `answered` is the number of right ones. The other arguments are for the sentence: the seconds of
    one query, by KEYS ("keys") and by a set as an index ("index"), in a database of `few` and of
    `many` keys.
    """
    a_key = (keys_many_s - keys_few_s) / (many - few)
    adds = (
        f"each looks at every key. With {many - few:,} keys more, one query goes from "
        f"{duration(keys_few_s)} to {duration(keys_many_s)}, by an index set from "
        f"{duration(index_few_s)} to {duration(index_many_s)}. At {duration(a_key)} a key, "
        f"~{NOTICED_S / a_key:,.0f} keys are enough for everybody to wait 1 ms"
    )
    seen = f"{answered} of {queries} queries by pattern were answered right"
    return Verdict(HOLDS if answered == queries else FAILS, seen, adds)


cases(
    "B5",
    (
        HOLDS,
        {
            "few": 13_527,
            "many": 213_527,
            "keys_few_s": 5e-4,
            "keys_many_s": 0.0199,
            "index_few_s": 3e-4,
            "index_many_s": 3.1e-4,
            "queries": 3,
            "answered": 3,
        },
    ),
    (FAILS, {"answered": 2}),
)


@judge(
    "B6",
    "05",
    "KEYS for 500 names seems faster than HGETALL; it may be the other way round in "
    "some situations.",
    "the client",
)
def b6(
    keys_s: float, hgetall_s: float, keys_mget_s: float, alone_keys_s: float, alone_hgetall_s: float
) -> Verdict:
    """Judge B6 by the seconds of one reading of 500 names or values.

    `keys_s` is KEYS for the names, `hgetall_s` HGETALL for fields with values, `keys_mget_s` KEYS
    and MGET for names with values, all beside many other keys. "alone" is without other keys, read
    by redis-py's own parser in Python. The claim holds if KEYS is faster than HGETALL both beside
    others and alone, depends if in one of the two, and else does not hold.
    """
    here, alone = keys_s / hgetall_s, alone_keys_s / alone_hgetall_s
    seen = (
        f"KEYS takes ~{times(alone)} the time of HGETALL with its 500 keys alone and a parser "
        f"in plain Python, and ~{times(here)} beside all the other keys, as this client reads"
    )
    adds = (
        "KEYS returns names alone. With the values, KEYS and MGET take "
        f"{duration(keys_mget_s)}, HGETALL {duration(hgetall_s)}"
    )
    return by_degree(
        max(here, alone) < 1, min(here, alone) < 1, "the parser and on the keys around", seen, adds
    )


cases(
    "B6",
    (
        DEPENDS,
        {
            "keys_s": 5e-4,
            "hgetall_s": 1.8e-4,
            "keys_mget_s": 6e-4,
            "alone_keys_s": 5e-4,
            "alone_hgetall_s": 9e-4,
        },
    ),
    (HOLDS, {"keys_s": 0.00292, "hgetall_s": 0.0044, "keys_mget_s": 0.005}),
    (FAILS, {"alone_hgetall_s": 3e-4}),
)


@judge("B7", "05", "A hash may be compressed in memory, depending on the data in it.", "the size")
def b7(
    packed_bytes: int, table_bytes: int, keys_bytes: int, most_fields: int, longest_value: int
) -> Verdict:
    """Judge B7 by the bytes of memory of 500 records in one hash: holds if packed they take less.

    Redis stores a hash packed, in one block of memory, if it has at most `most_fields` fields,
    whose values have at most `longest_value` bytes; else as a hash table. `packed_bytes` is for a
    packed hash with the records as its 500 fields, `table_bytes` for the same hash as a table, and
    `keys_bytes` for 500 keys in place of a hash. The claim holds if `packed_bytes` is at most three
    quarters of `table_bytes`, and else does not hold.
    """
    seen = f"500 records take ~{packed_bytes:,} bytes packed and ~{table_bytes:,} as a hash table"
    adds = (
        f"packed, not compressed, and up to ~{most_fields:,} fields and values of "
        f"~{longest_value:,} bytes; as keys of their own the records take ~{keys_bytes:,} "
        "bytes"
    )
    return Verdict(HOLDS if packed_bytes <= SMALLER * table_bytes else FAILS, seen, adds)


cases(
    "B7",
    (
        HOLDS,
        {
            "packed_bytes": 16_400,
            "table_bytes": 36_200,
            "keys_bytes": 44_000,
            "most_fields": 512,
            "longest_value": 64,
        },
    ),
    (FAILS, {"packed_bytes": 35_000}),
)


@judge("B8", "06", "The json module is slower than pickle at parsing.", "the client")
def b8(
    pickle_loads_s: float,
    json_loads_s: float,
    pickle_s: float,
    json_s: float,
    orjson_s: float,
    msgpack_s: float,
    pickle_trip_s: float,
    json_trip_s: float,
    trip_rtt_ms: float,
) -> Verdict:
    """Judge B8 by the seconds to decode one value: holds if json is clearly slower than pickle.

    "_loads_s" are these seconds. "_s" alone are the seconds to encode and decode the value,
    "_trip_s" those of a SET and a GET of it, at an RTT of `trip_rtt_ms` ms.
    """
    seen = f"json takes {duration(json_loads_s)} to decode, pickle {duration(pickle_loads_s)}"
    adds = (
        f"to encode and decode json takes {duration(json_s)}, pickle {duration(pickle_s)}, "
        f"msgpack {duration(msgpack_s)}, and orjson, which is JSON too, {duration(orjson_s)}. "
        f"At an RTT of {trip_rtt_ms:g} ms a SET and a GET take {duration(pickle_trip_s)} with "
        f"pickle and {duration(json_trip_s)} with json"
    )
    if json_loads_s < pickle_loads_s * NO_GAIN:
        return Verdict(FAILS, seen, adds)
    return Verdict(HOLDS, f"{seen}, ~{times(json_loads_s / pickle_loads_s)} faster", adds)


cases(
    "B8",
    (
        HOLDS,
        {
            "pickle_loads_s": 3.2e-7,
            "json_loads_s": 8.7e-7,
            "pickle_s": 7.1e-7,
            "json_s": 2.5e-6,
            "orjson_s": 3.3e-7,
            "msgpack_s": 6.3e-7,
            "pickle_trip_s": 0.0021,
            "json_trip_s": 0.00211,
            "trip_rtt_ms": 1,
        },
    ),
    (FAILS, {"json_loads_s": 3e-7}),
)


@judge(
    "B9",
    "06",
    "Redis takes byte strings; pickle makes them of nearly any data, json of few types.",
    "the data",
)
def b9(tried: int, pickle_same: int, json_same: int, json_changed: int) -> Verdict:
    """Judge B9 by how many of `tried` types of value survived being encoded and decoded.

    All four are counts of types: `pickle_same` and `json_same` came back as they were, and
    `json_changed` were changed by json without an error. The claim holds if most types survive
    pickle and at most half of them json, depends if merely more survive pickle, and else does not
    hold.
    """
    counted = (
        f"of {tried} types pickle brought back {pickle_same} as they were and json {json_same}"
    )
    adds = (
        f"json changed {json_changed} of them without an error. Byte strings are what SET and "
        "GET take: Redis has more types"
    )
    more = pickle_same > json_same
    nearly_any_and_few = more and pickle_same >= 0.8 * tried and json_same <= 0.5 * tried
    return by_degree(nearly_any_and_few, more, "the types you use", counted, adds)


cases(
    "B9",
    (HOLDS, {"tried": 14, "pickle_same": 12, "json_same": 4, "json_changed": 2}),
    (DEPENDS, {"json_same": 10, "json_changed": 0}),
    (FAILS, {"pickle_same": 4, "json_same": 9, "json_changed": 0}),
)


@judge(
    "B10", "06", "Pickled data can become incompatible, even between Python versions.", "the data"
)
def b10(plain_tried: int, plain_read: int, other_tried: int, other_read: int) -> Verdict:
    """Judge B10 by how many pickles could be read of those tried: holds if any could not be read.

    All four are counts: "_tried" of pickles, "_read" of those that could be read. The "plain"
    pickles are of plain data, written by several versions of Python; the "other" ones are of
    instances of a class, or have a newer protocol.
    """
    seen = (
        "a class that moved, a class whose own format changed, a protocol newer than the "
        f"reader's: {other_read} of {other_tried} could be read"
    )
    adds = (
        f"of {plain_tried} pickles of plain data, by other Pythons and protocols, {plain_read} "
        "could be read. And what the article leaves out: to load a pickle runs code of whoever "
        "could write the key"
    )
    return Verdict(
        HOLDS if plain_read + other_read < plain_tried + other_tried else FAILS, seen, adds
    )


cases(
    "B10",
    (HOLDS, {"plain_tried": 8, "plain_read": 8, "other_tried": 4, "other_read": 0}),
    (HOLDS, {"plain_read": 5, "other_read": 4}),
    (FAILS, {"other_read": 4}),
)
