"""Let many clients change the same key at once, and count their round trips."""

from concurrent.futures import ThreadPoolExecutor

import lab_utils as lab

CROWDS = (1, 2, 4, 8)


def crowds(way, stock_up, sales, rtt_ms):
    """Run `way(client)` `sales` times, shared by 1, then 2, 4 and 8 threads; count the round trips.

    `way` returns True or False. Each number of threads shares one client at `rtt_ms` ms and makes
    `sales` calls; before, `stock_up()` fills the database anew. Returns ({number of threads: mean
    round trips of one call}, how many of the calls by 8 threads returned True).
    """
    client = lab.connect(rtt_ms=rtt_ms)
    trips = {}
    sold = []

    def sell(client):
        with ThreadPoolExecutor(clients) as pool:
            sold.extend(pool.map(way, [client] * sales))

    for clients in CROWDS:
        stock_up()
        sold.clear()
        trips[clients] = round(lab.count(sell, client).round_trips / sales, 1)
    return trips, sum(sold)
