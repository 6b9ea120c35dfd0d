"""Keep ten thousand counters in hashes that stay packed."""

from collections import Counter

from lab_utils.course.checking import Refused, counted, exercise_client, text

PAGES, MOST_KEYS = 10_000, 200
LONG = 64  # characters of a field: a longer one unpacks its hash
PACKED = ("listpack", "listpackex", "ziplist")


def check(answer):
    places = [answer(number) for number in range(PAGES)]
    if not all(isinstance(place, (tuple, list)) and len(place) == 2 for place in places):
        raise Refused(
            f"place(0) returned {places[0]!r}; it must return a key and a field: two values",
            "return key, field",
        )
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
    return written(places, sizes)


def written(places, sizes):
    """Write the counters to the server, and ask it what it made of them."""
    with exercise_client() as client:
        pipe = client.pipeline(transaction=False)
        for number, (key, field) in enumerate(places):
            pipe.hset(key, field, number)
        pipe.execute()
        for key in sizes:
            pipe.object("encoding", key)
        encodings = dict(zip(sizes, map(text, pipe.execute()), strict=True))
        for key in sizes:
            pipe.memory_usage(key)
        nbytes = sum(pipe.execute())
    loose = [key for key, encoding in encodings.items() if encoding not in PACKED]
    if loose:
        largest = max(loose, key=sizes.get)
        longest = max(len(field) for key, field in places if key == largest)
        hints = (
            "A hash stays packed up to a length of its fields and values. The section on "
            "memory found it on your server.",
            "The field need not say what the key says already: number % 100 is two characters.",
        ) * (longest > LONG)
        raise Refused(
            f"{len(loose)} of {counted(len(sizes), 'key')}: hashes that are no longer "
            f"packed; {largest} has {sizes[largest]:,} fields, the longest of {longest} "
            "characters",
            *hints,
        )
    return (
        f"{PAGES:,} counters in {len(sizes):,} keys, every one packed, ~{nbytes / PAGES:.1f} "
        "bytes each"
    )
