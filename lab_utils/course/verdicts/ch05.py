"""Chapter 05: what a pattern costs, what a hash costs, and what a repository that asks N + 1 times costs."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

ALIKE = 1.3  # two times within this factor are the same
NOTICED = 1.1  # on a client's clock, which has more in it than the server's work, this much is a difference
GROWS = 2  # a time that grows by this factor or more follows the size of the database
NOTICED_S = 1e-3  # how long nobody else being served is called a wait
SMALLER = 0.75  # a hash of this share of the other's bytes is compact
NO_GAIN = 1.2


@judge("B3", "KEYS takes as long for a pattern at the front of a name as for one in the middle or at the end.")
def b3(prefix_us, infix_us, suffix_us, prefix_s, suffix_s):
    """The server's microseconds for patterns with equally many matches, and the client's seconds for two of them."""
    server, clock = max(infix_us, suffix_us) / prefix_us, suffix_s / prefix_s
    seen = (f"at equal counts the server needs ~{prefix_us:,.0f} µs for the prefix, ~{infix_us:,.0f} µs for the infix, "
            f"~{suffix_us:,.0f} µs for the suffix")
    if server < ALIKE:
        return Verdict(HOLDS, seen)
    if clock < NOTICED:
        return Verdict(DEPENDS, f"{seen}; but on the client's clock they are within ~{times(clock)}")
    return Verdict(FAILS, f"{seen}; on the client's clock the suffix takes ~{times(clock)} as long as the prefix")


@judge("B4", "A pattern at the end of the name is faster, because it returns fewer names.")
def b4(prefix_s, suffix_s, plain_prefix_s, plain_suffix_s):
    """Seconds of 4,500 names by prefix and 1,350 by suffix: read by the parser in use, and by redis-py's plain Python one."""
    now, plain = suffix_s / prefix_s, plain_suffix_s / plain_prefix_s
    seen = (f"the suffix takes ~{times(now)} the prefix's time as this client reads it, "
            f"~{times(plain)} when plain Python reads the names")
    if now < 1 / ALIKE and plain < 1 / ALIKE:
        return Verdict(HOLDS, seen)
    if plain < 1 / NOTICED:
        return Verdict(DEPENDS, f"{seen}. Fewer names save the client's reading, not the server's searching")
    return Verdict(FAILS, f"{seen}: fewer names, and still not faster")


@judge("B5", "Attributes joined in the name of the key, and KEYS, give flexible queries.")
def b5(few, many, keys_few_s, keys_many_s, index_few_s, index_many_s):
    """Seconds of the same query by KEYS and by an index set, with `few` and with `many` keys in the database."""
    growth, index = keys_many_s / keys_few_s, index_many_s / index_few_s
    seen = (f"from {few:,} to {many:,} keys the query by KEYS goes from {duration(keys_few_s)} to {duration(keys_many_s)}, "
            f"the one by an index set from {duration(index_few_s)} to {duration(index_many_s)}")
    if growth < GROWS:
        return Verdict(HOLDS, seen)
    if index >= growth / GROWS:
        return Verdict(HOLDS, f"{seen}: an index fares no better")
    a_key = (keys_many_s - keys_few_s) / (many - few)
    return Verdict(DEPENDS, f"{seen}. It depends on every other key: at {duration(a_key)} a key, ~{NOTICED_S / a_key:,.0f} "
                            "keys are enough for everybody to wait 1 ms")


@judge("B6", "KEYS is faster than HGETALL, so attributes belong in the name of the key.")
def b6(keys_s, hgetall_s, keys_mget_s):
    """Seconds of 500 names by KEYS, of 500 fields with values by HGETALL, and of 500 names with values by KEYS and MGET."""
    seen = (f"KEYS takes {duration(keys_s)} for the names alone, HGETALL {duration(hgetall_s)} for names and values, "
            f"KEYS and MGET {duration(keys_mget_s)} for both")
    if keys_s * ALIKE > hgetall_s:
        return Verdict(FAILS, f"{seen}: not even the unequal race is won")
    if keys_mget_s > hgetall_s:
        return Verdict(DEPENDS, f"{seen}: only as long as nobody wants the values")
    return Verdict(HOLDS, seen)


@judge("B7", "Redis may pack a hash, so that it takes less memory.")
def b7(packed_bytes, table_bytes, keys_bytes, most_fields, longest_value):
    """Bytes of the same 500 records in three layouts, and where the packing was seen to end."""
    seen = (f"500 records: ~{packed_bytes:,} bytes packed, ~{table_bytes:,} as a hash table, ~{keys_bytes:,} as keys; "
            f"packed up to ~{most_fields:,} fields and values of ~{longest_value:,} bytes")
    if packed_bytes > SMALLER * table_bytes:
        return Verdict(FAILS, f"{seen}: too little to matter")
    if packed_bytes > SMALLER * keys_bytes:
        return Verdict(DEPENDS, f"{seen}: less than a hash table, not less than keys")
    return Verdict(HOLDS, seen)


@judge("D7", "A repository's find runs KEYS and then one HGETALL for each record, and the traffic becomes huge.")
def d7(records, naive_turns, mended_turns, naive_s, mended_s):
    """Round trips of the two ways for so many records, and their seconds at a distance."""
    gain = naive_s / mended_s
    seen = (f"{records:,} records: {naive_turns:,} round trips and {duration(naive_s)}; "
            f"mended, {mended_turns:,} and {duration(mended_s)}")
    if naive_turns <= mended_turns or gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: nothing to mend")
    if naive_turns < records:
        return Verdict(DEPENDS, f"{seen}: fewer turns than records")
    return Verdict(HOLDS, f"{seen}, ~{times(gain)} faster")
