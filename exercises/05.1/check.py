"""Checks of chapter 05: data laid out for its question, a search by two conditions, and hashes that stay packed."""

from collections import Counter
from collections.abc import Iterator

from ...arguments import shown
from ...tracing.cost import cost_of
from ...tracing.tap import Tap
from ...words import counted
from ..checking import Refused, clean, commands_sent, exercise_client, names_sent, refuse_over, text
from ..exercises import exercise

WALKS = ("KEYS", "SCAN")  # commands that look at every key of the database
NO_WALKS = ("A name that can be worked out need not be searched for. Which names does the question itself tell you?",
            "Where several entries answer the question, keep them, or their names, under one key: a hash or a set.")
# 05.1
ORDERS = {"anna": 25, "anna:lena": 25, "bo": 200}  # orders by customer; one name begins with the other, as names do
MOST_BYTES = 150  # read for each order, and 500 more: room for its number and what surrounds it
# 05.2
CUSTOMERS = 60
CITIES, PLANS = ("Lima", "Oslo", "Pune"), ("free", "paid")
GHOST = 61  # in the indexes, but its record is gone
# 05.3
PAGES, MOST_KEYS = 10_000, 200
LONG = 64  # characters of a field: a longer one unpacks its hash
PACKED = ("listpack", "listpackex", "ziplist")


def names(client):
    return set(client.scan_iter(count=10_000))


def watched(fn, client):
    """(Cost, {name of a command: how often it was sent}, what fn returned)"""
    with Tap() as tap:
        result = fn(client)
        if isinstance(result, Iterator):
            result = list(result)  # what a generator asks for when it is read counts as well
    return cost_of(tap), Counter(names_sent(tap)), result


def refuse_walks(sent):
    walks = [name for name in WALKS if sent[name]]
    if walks:
        raise Refused(f"right answer, but by {' and '.join(walks)}, which looks at every key of the database", *NO_WALKS)


@exercise("05.1", "write save(r, customer, number, text) and find(r, customer), which returns the texts of their orders", (
    "Decide first what find will ask for. Then let save write exactly that.",
    "One key for each customer can hold everything that find returns. Which type has a name for every entry?",
    'A hash for each customer: r.hset(f"exercise:orders:{customer}", number, text), and r.hvals(...) finds them.',
))
def orders(answer):
    save, find = answer
    with exercise_client() as client:
        before = names(client)
        try:
            right = save_all(save, client)
            costs = [found(find, client, customer, texts, right) for customer, texts in right.items()]
        finally:
            clean(client)
            foreign = names(client) - before
            if foreign:
                client.delete(*foreign)  # or the next try would find them there and say nothing
    if foreign:
        raise Refused(f"right answer, but {counted(len(foreign), 'key')} of yours did not begin with exercise:",
                      'f"exercise:…:{customer}" keeps them apart from everybody else\'s.')
    return (f"{sum(ORDERS.values())} orders saved, each in 1 round trip; found in {counted(max(costs), 'round trip')}, "
            "without KEYS or SCAN")


def save_all(save, client):
    """Saves the orders of everybody in turn, one of them twice; {customer: [texts]}."""
    right = {customer: [] for customer in ORDERS}
    number = 0
    for turn in range(max(ORDERS.values())):
        for customer, count in ORDERS.items():
            if turn < count:
                number += 1
                content = f"order {number} of {customer}"
                cost, _, _ = watched(lambda r, args=(customer, number, content): save(r, *args), client)
                refuse_over(cost, 1, "each order is saved", "What belongs to one order can leave together.",
                            "pipe = r.pipeline(); queue both commands; pipe.execute()")
                right[customer].append(content)
    save(client, "bo", number, "the last order of bo, changed")
    right["bo"][-1] = "the last order of bo, changed"
    return {**right, "nobody": []}


def found(find, client, customer, texts, right):
    cost, sent, got = watched(lambda r: find(r, customer), client)
    got = [str(text(value)) for value in (got.values() if isinstance(got, dict) else got or ())]
    if sorted(got) != sorted(texts):
        raise Refused(*wrong_orders(got, customer, texts, right, [name for name in WALKS if sent[name]]))
    refuse_walks(sent)
    refuse_over(cost, 2, "right answer")
    if cost.bytes_received > MOST_BYTES * len(texts) + 500:
        raise Refused(f"right answer, but {cost.bytes_received:,} bytes were read for {len(texts)} orders: "
                      "other customers' orders came along", "Give each customer a key of their own, and read that alone.")
    return cost.round_trips


def wrong_orders(got, customer, texts, right, walks):
    """What is wrong with the orders that were found, and hints that fit."""
    if got and set(got) == {"None"}:
        return (f"find(r, {customer!r}) returned None {counted(len(got), 'time')}: the names that it asks for are not those that "
                "save writes",
                "Print a name that save writes and one that find asks for, and compare them.")
    if customer == "bo" and len(got) > len(texts):
        return (f"an order of {customer} that was saved twice is found twice, as it was and as it is",
                "Saved again it must land in the same place. What of an order stays the same when its text changes?",
                "Its number: as the field of a hash it can stand there only once.")
    others = [name for name, their in right.items() if name != customer and set(got) & set(their)]
    if others:
        by = f" {walks[0]} looks at every key, and finds whatever fits the pattern" if walks else ""
        alike = ", whose name only begins the same" if others[0].startswith(customer) else ""
        return f"find(r, {customer!r}) returned orders of {others[0]!r} too: that is another customer{alike}.{by}", *NO_WALKS
    return (f"find(r, {customer!r}) returned {counted(len(got), 'text')}, of which {len(set(got) & set(texts)):,} are right; "
            f"{customer} has {counted(len(texts), 'order')}",)


@exercise("05.2", "write find(r, city, plan): the records of the customers in that city and on that plan", (
    "Two sets name the candidates: one by city, one by plan. The server can intersect them.",
    "SINTER gives the ids in one turn; a pipeline of HGETALLs reads the records in the second.",
    'ids = r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}"), then pipe.hgetall for each id; leave out what is empty',
))
def two_conditions(answer):
    with exercise_client() as client:
        records = write_customers(client)
        wanted = [record for record in records.values() if record["city"] == "Oslo" and record["plan"] == "paid"]
        cost = checked(answer, client, "Oslo", "paid", wanted)
        checked(answer, client, "Rome", "paid", [])
    return (f"{len(wanted)} records of {CUSTOMERS} by two conditions in {counted(cost.round_trips, 'round trip')}, "
            f"{counted(cost.commands, 'command')}")


def write_customers(client):
    """Writes the records and both indexes, and a ghost into the indexes; {id: record}."""
    records = {number: {"name": f"customer {number}", "city": CITIES[number % 3], "plan": PLANS[number % 2]}
               for number in range(1, CUSTOMERS + 1)}
    pipe = client.pipeline(transaction=False)
    for number, record in records.items():
        pipe.hset(f"exercise:customer:{number}", mapping=record)
        pipe.sadd(f"exercise:city:{record['city']}", number)
        pipe.sadd(f"exercise:plan:{record['plan']}", number)
    pipe.sadd("exercise:city:Oslo", GHOST)
    pipe.sadd("exercise:plan:paid", GHOST)
    pipe.execute()
    return records


def checked(answer, client, city, plan, wanted):
    with Tap() as tap:
        got = list(answer(client, city, plan) or ())
    cost, sent = cost_of(tap), Counter(names_sent(tap))
    refuse_bytes_in_names(commands_sent(tap))
    if not all(isinstance(record, dict) for record in got):
        raise Refused(f"find(r, {city!r}, {plan!r}) returned {shown(got[0])} where a record was to stand",
                      "The sets hold ids. HGETALL of exercise:customer:<id> replies with the record, as a dict.")
    got = [{str(text(field)): str(text(value)) for field, value in record.items()} for record in got]
    if any(not record for record in got):
        raise Refused("right records, but an empty one among them: the index names a customer whose record is gone",
                      "HGETALL of a key that is gone replies with an empty dict. Leave those out.")
    if sorted(got, key=sorted_items) != sorted(wanted, key=sorted_items):
        right = sum(record in wanted for record in got)
        raise Refused(f"find(r, {city!r}, {plan!r}) returned {counted(len(got), 'record')}, {right} of them right; "
                      f"there are {len(wanted)} to find")
    refuse_walks(sent)
    refuse_over(cost, 2, "right records")
    if sent["HGETALL"] + sent["HMGET"] > len(wanted) + 1:
        raise Refused(f"right records, but {sent['HGETALL'] + sent['HMGET']} were read to return {len(wanted)}: "
                      "let the server apply both conditions", "Which members do the two sets have in common? A command of its "
                                                              "own tells.",
                      'r.sinter(f"exercise:city:{city}", f"exercise:plan:{plan}")')
    return cost


def refuse_bytes_in_names(commands):
    """A member of a set is bytes; put into a name as it stands, it brings its b and its quotes along."""
    for name in (part.decode(errors="replace") for command in commands for part in command[1:]):
        if name.startswith("exercise:") and "b'" in name:
            raise Refused(f"you ask for {name!r}, and no key has that name: redis-py returns the members of a set as bytes, "
                          "and an f-string writes b'…' for them", "int(…) or .decode() makes a number or a text of the bytes.")


def sorted_items(record):
    return sorted(record.items())


@exercise("05.3", "write place(number), which returns (key, field): where the counter of page `number` is kept", (
    "A hash stays packed up to a number of fields. The section on memory found it on your server.",
    "Give every hundred pages a hash of their own: which page is in which hash must follow from its number.",
    'return f"exercise:visits:{number // 100}", number % 100',
))
def packed(answer):
    places = [answer(number) for number in range(PAGES)]
    if not all(isinstance(place, (tuple, list)) and len(place) == 2 for place in places):
        raise Refused(f"place(0) returned {places[0]!r}; it must return a key and a field: two values",
                      "return key, field")
    places = [(str(text(key)), str(text(field))) for key, field in places]
    if not all(key.startswith("exercise:") for key, _ in places):
        raise Refused(f"place(0) names the key {places[0][0]!r}; let the keys begin with exercise:",
                      'f"exercise:visits:{…}", and something of the number in the braces.')
    if len(set(places)) < PAGES:
        raise Refused(f"{PAGES:,} counters need {PAGES:,} places, and these are {len(set(places)):,}: two pages share a counter",
                      "From the key and the field one must be able to tell the number. number // 100 and number % 100 do, "
                      "together.")
    sizes = Counter(key for key, _ in places)
    if len(sizes) > MOST_KEYS:
        raise Refused(f"every counter has a place, in {len(sizes):,} keys; the budget is {MOST_KEYS}",
                      f"More fields in each hash make fewer keys: {PAGES:,} pages in {MOST_KEYS} hashes are {PAGES // MOST_KEYS} "
                      "fields in each, at least.",
                      'return f"exercise:visits:{number // 100}", number % 100')
    return written(places, sizes)


def written(places, sizes):
    """Writes the counters to the server and asks it what it made of them."""
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
        hints = ("A hash stays packed up to a length of its fields and values. The section on memory found it on your server.",
                 "The field need not say what the key says already: number % 100 is two characters.") * (longest > LONG)
        raise Refused(f"{len(loose)} of {counted(len(sizes), 'key')}: hashes that are no longer packed; "
                      f"{largest} has {sizes[largest]:,} fields, the longest of {longest} characters", *hints)
    return f"{PAGES:,} counters in {len(sizes):,} keys, every one packed, ~{nbytes / PAGES:.1f} bytes each"
