"""What the lab counts with: several at once, in threads and in coroutines."""

from concurrent.futures import ThreadPoolExecutor

from helpers import refusal

import lab_utils as lab


def test_counts_in_threads_take_turns_are_exact_and_do_not_wait_for_a_counted_function(r):
    def work(number):
        def gets(r):
            for _ in range(number):
                r.get("key")

        return [lab.count(gets, clients[number]) for _ in range(5)]

    clients = {number: lab.connect() for number in (10, 20, 30)}
    with ThreadPoolExecutor(3) as pool:
        for number, costs in zip(clients, pool.map(work, clients), strict=True):
            for cost in costs:
                assert (cost.round_trips, cost.commands, cost.connections) == (number, number, 0)
                assert cost.server_reads is not None  # nobody else was at the server meanwhile


def test_a_helper_inside_an_async_function_says_so_instead_of_waiting_for_ever(r):
    async def inner(r):
        await r.ping()

    async def outer(_):
        lab.count(inner, r)

    assert "`async def`" in refusal(lab.count, outer, r)
