"""Move customers between cities with one client while another one builds an index of cities."""

import random
import threading

import lab_utils as lab

CITIES = ("Oslo", "Lima", "Pune", "Bonn")
CUSTOMERS = 2_000


def wrong_after(r, move, backfill) -> int:
    """Return how many customers are in the wrong city's set, or in none, once the sets are built.

    `r` is a redis.Redis. First its database is emptied, and 2,000 customers are written without
    such sets. Then `backfill()` builds the sets; meanwhile a thread calls `move(client, number,
    city)` for random customers and cities, such as `move(client, 17, "Oslo")`.
    """
    lab.empty(r)
    for number in range(CUSTOMERS):
        r.hset(f"customer:{number}", "city", random.choice(CITIES))
    done = threading.Event()

    def keep_moving():
        client = lab.connect()
        while not done.is_set():
            move(client, random.randrange(CUSTOMERS), random.choice(CITIES))

    writer = threading.Thread(target=keep_moving)
    writer.start()
    try:
        backfill()
    finally:
        done.set()
        writer.join()
    return wrong_entries(r)


def wrong_entries(r) -> int:
    """Return how many customers are missing in the set of their own city, or stand in another's.

    `r` is a redis.Redis. No other client may write while this runs.
    """
    members = {city: r.smembers(f"customers-in:{city}") for city in CITIES}
    pipe = r.pipeline(transaction=False)
    for number in range(CUSTOMERS):
        pipe.hget(f"customer:{number}", "city")
    wrong = 0
    for number, city in enumerate(pipe.execute()):
        stands_in = [each for each in CITIES if str(number).encode() in members[each]]
        wrong += stands_in != [city.decode()]
    return wrong
