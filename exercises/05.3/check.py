"""Check exercise 05.3: store ten thousand counters in hashes that stay packed in memory."""

from collections import Counter

from lab_utils.course.checking import Refused, counted, exercise_client, of_kind, text

PAGES, MOST_KEYS = 10_000, 200
PACKED = ("listpack", "listpackex", "ziplist")


def check(answer) -> str:
    places = [answer(number) for number in range(PAGES)]
    for place in places:
        of_kind((tuple, list), place, "place", "a key and a field", "return key, field")
    places = [(str(text(key)), str(text(field))) for key, field in places]
    if not all(key.startswith("exercise:") for key, _ in places):
        raise Refused(
            f"place(0) names the key {places[0][0]!r}; let the keys begin with exercise:",
            'f"exercise:visits:{…}", and something of the number in the braces.',
        )
    if len(set(places)) < PAGES:
        raise Refused(
            f"{PAGES:,} counters need {PAGES:,} places, and these are "
            f"{len(set(places)):,}: two pages share a counter",
            "From the key and the field one must be able to tell the number. number // "
            "100 and number % 100 do, together.",
        )
    sizes = Counter(key for key, _ in places)
    if len(sizes) > MOST_KEYS:
        raise Refused(
            f"every counter has a place, in {len(sizes):,} keys; the budget is {MOST_KEYS}",
            f"More fields in each hash make fewer keys: {PAGES:,} pages in {MOST_KEYS} "
            f"hashes are {PAGES // MOST_KEYS} fields in each, at least.",
            'return f"exercise:visits:{number // 100}", number % 100',
        )
    return proof_of_packing(places, sizes)


def proof_of_packing(places: list[tuple], sizes: dict[str, int]) -> str:
    """Write the counters to the server; return a sentence that says that every hash stayed packed.

    `places` has (key, field) for each counter, `sizes` is {key: number of its fields}. Raises
    Refused if the server stores a hash unpacked, as a hash table.
    """
    with exercise_client() as client:
        pipe = client.pipeline(transaction=False)
        for number, (key, field) in enumerate(places):
            pipe.hset(key, field, number)
        pipe.execute()
        for key in sizes:
            pipe.object("encoding", key)
        encodings = dict(zip(sizes, map(text, pipe.execute()), strict=True))
    loose = [key for key, encoding in encodings.items() if encoding not in PACKED]
    if loose:
        largest = max(loose, key=sizes.get)
        longest = max(len(field) for key, field in places if key == largest)
        raise Refused(
            f"{len(loose)} of {counted(len(sizes), 'key')}: hashes that are no longer "
            f"packed; {largest} has {sizes[largest]:,} fields, the longest of {longest} "
            "characters",
            "A hash stays packed up to a number of fields, and up to a length of its fields and "
            "values. The section on memory found both on your server.",
            'return f"exercise:visits:{number // 100}", number % 100: a hundred fields of two '
            "characters.",
        )
    return f"{PAGES:,} counters in {len(sizes):,} keys, every one packed"
