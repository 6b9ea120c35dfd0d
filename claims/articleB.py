"""Chapter 05: what a pattern costs, what a hash costs, and what a repository that asks N + 1 times costs."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

ALIKE = 1.3  # two times within this factor are the same
NOTICED = 1.1  # on a client's clock, which has more in it than the server's work, this much is a difference
INDEXED = 2  # the least that an index would gain: the article compares with those of relational databases
NOTICED_S = 1e-3  # how long nobody else being served is called a wait
SMALLER = 0.75  # a hash of this share of the other's bytes is compact
NO_GAIN = 1.2


@judge("B3", "KEYS performs the same, on whichever part of the name the pattern is, unlike an RDBMS.", "the client")
def b3(none_by_prefix_us, none_by_infix_us, prefix_s, infix_s, plain_prefix_s, plain_infix_s):
    """The server's microseconds for patterns that match no name, at the front and in the middle, and the client's seconds for
    4,500 names each: read by the parser in use, and by redis-py's plain Python one."""
    searching, plain = none_by_infix_us / none_by_prefix_us, plain_infix_s / plain_prefix_s
    seen = (f"in the middle of the name a pattern takes ~{times(plain)} the time of one at its front when plain Python reads the "
            f"names, ~{times(infix_s / prefix_s)} as this client reads them")
    adds = (f"the server alone, searching in vain, took ~{none_by_prefix_us:,.0f} µs by prefix and ~{none_by_infix_us:,.0f} µs "
            "in the middle: a prefix lets it give up on a name at once")
    if plain >= INDEXED:
        return Verdict(FAILS, seen, adds)
    if searching < INDEXED:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the parser and the clock: {seen}; for the server ~{times(searching)}", adds)


@judge("B4", "Only a pattern at the end of the name is faster, because it returns a third of the names.", "the client")
def b4(prefix_s, suffix_s, plain_prefix_s, plain_suffix_s):
    """Seconds of 4,500 names by prefix and 1,350 by suffix: read by the parser in use, and by redis-py's plain Python one."""
    now, plain = suffix_s / prefix_s, plain_suffix_s / plain_prefix_s
    seen = (f"the suffix takes ~{times(plain)} the prefix's time when plain Python reads the names, "
            f"~{times(now)} as this client reads them")
    if now < 1 / ALIKE and plain < 1 / ALIKE:
        return Verdict(HOLDS, seen)
    if plain < 1 / NOTICED:
        return Verdict(DEPENDS, f"on the parser: {seen}. Fewer names save the client's reading, not the server's searching")
    if now < 1 / ALIKE:
        return Verdict(DEPENDS, f"on the parser: {seen}. Fewer names, and plain Python does not read them clearly faster")
    return Verdict(FAILS, f"{seen}: fewer names, and still not clearly faster")


@judge("B5", "With attributes joined in the key's name, KEYS allows fairly flexible queries, without joins.", "the size")
def b5(queries, answered, few, many, keys_few_s, keys_many_s, index_few_s, index_many_s):
    """How many queries by pattern were tried and answered right; and seconds of one query by KEYS and by an index set, with `few`
    and with `many` keys in the database."""
    a_key = (keys_many_s - keys_few_s) / (many - few)
    adds = (f"each looks at every key. With {many - few:,} keys more, one query goes from {duration(keys_few_s)} to "
            f"{duration(keys_many_s)}, by an index set from {duration(index_few_s)} to {duration(index_many_s)}. At "
            f"{duration(a_key)} a key, ~{NOTICED_S / a_key:,.0f} keys are enough for everybody to wait 1 ms")
    seen = f"{answered} of {queries} queries by pattern were answered right"
    return Verdict(HOLDS if answered == queries else FAILS, seen, adds)


@judge("B6", "KEYS for 500 names seems faster than HGETALL; it may be the other way round in some situations.", "the client")
def b6(keys_s, hgetall_s, keys_mget_s, alone_keys_s, alone_hgetall_s):
    """Seconds of 500 names by KEYS, of 500 fields with values by HGETALL, and of 500 names with values by KEYS and MGET, beside
    all the other keys; and the first two with the 500 alone in the database, read by redis-py's plain Python parser."""
    here, alone = keys_s / hgetall_s, alone_keys_s / alone_hgetall_s
    seen = (f"KEYS takes ~{times(alone)} the time of HGETALL with its 500 keys alone and a parser in plain Python, and "
            f"~{times(here)} beside all the other keys, as this client reads")
    adds = (f"KEYS returns names alone. With the values, KEYS and MGET take {duration(keys_mget_s)}, HGETALL "
            f"{duration(hgetall_s)}")
    if max(here, alone) < 1:
        return Verdict(HOLDS, seen, adds)
    if min(here, alone) < 1:
        return Verdict(DEPENDS, f"on the parser and on the keys around: {seen}", adds)
    return Verdict(FAILS, seen, adds)


@judge("B7", "A hash may be compressed in memory, depending on the data in it.", "the size")
def b7(packed_bytes, table_bytes, keys_bytes, most_fields, longest_value):
    """Bytes of the same 500 records in three layouts, and where the packing was seen to end."""
    seen = f"500 records take ~{packed_bytes:,} bytes packed and ~{table_bytes:,} as a hash table"
    adds = (f"packed, not compressed, and up to ~{most_fields:,} fields and values of ~{longest_value:,} bytes; as keys of their "
            f"own the records take ~{keys_bytes:,} bytes")
    return Verdict(HOLDS if packed_bytes <= SMALLER * table_bytes else FAILS, seen, adds)


@judge("D7", "A repository's find runs KEYS and one HGETALL for each record, and the traffic becomes huge.", "the distance")
def d7(records, naive_turns, mended_turns, naive_s, mended_s):
    """Round trips of the two ways for so many records, and their seconds at a distance."""
    gain = naive_s / mended_s
    seen = f"{records:,} records: {naive_turns:,} round trips and {duration(naive_s)}"
    adds = (f"mended it takes {mended_turns:,} round trips and {duration(mended_s)}. Tried is the pattern; whether Spring runs "
            "KEYS is untested, and its own query engine, in the version we read, asks sets for the ids")
    if naive_turns <= mended_turns or gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: nothing to mend", adds)
    if naive_turns < records:
        return Verdict(DEPENDS, f"on the query: {seen}, fewer turns than records", adds)
    return Verdict(HOLDS, seen, adds)
