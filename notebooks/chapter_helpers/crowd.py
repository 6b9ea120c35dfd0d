"""Let many clients change the same key at once, and count their round trips."""

from concurrent.futures import ThreadPoolExecutor

import lab_utils as lab

CROWDS = (1, 2, 4, 8)


def crowds(way, stock_up, sales: int, rtt_ms: float) -> tuple[dict[int, float], int]:
    """Run `way(client)` `sales` times, shared by 1, then 2, 4 and 8 threads; count the round trips.

    `way` returns True or False. For each number of threads `stock_up()` fills the database anew,
    and the threads share one client at an RTT of `rtt_ms` ms for `sales` calls in all. Returns
    ({number of threads: mean round trips of one call}, how many of the calls by 8 threads returned
    True).
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
