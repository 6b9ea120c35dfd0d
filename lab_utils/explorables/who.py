"""Who waits for whom: what the figure computes from, of what was counted and a bystander felt."""

from . import Explorable

BY_READS = "pipeline", "slices"  # others are served between two reads of it
OF_ALL = "KEYS", "SCAN"  # these look at every key there is


def explore(figure, waits: dict, costs: list[tuple[int, dict]], number: int, what: str):
    """Return the figure of Bystanders, {"SCAN by 1,000": …}, and of (keys there were, Costs).

    KEYS and SCAN look at all keys, other ways at `number` of them: so many "GETs", say. "MULTI"
    beside "MULTI by 1,000" is all in one. A plain picture where the server is shared.
    """
    if figure is None or any(cost.server_us is None for _, run in costs for cost in run.values()):
        return figure
    ways, measured = {}, []
    for name, felt in waits.items():
        way, _, batch = name.partition(" by ")
        served = pieces(way, [(keys, run[name]) for keys, run in costs], felt, number)
        ways[way] = served | {"points": ways.get(way, served)["points"]}
        keys, count = served["points"][-1][0], int(batch.replace(",", "") or 0)
        if any(other.startswith(f"{way} by ") for other in waits):
            count = count or keys
        run = sorted(felt.runs, key=lambda run: run.worst)[len(felt.runs) // 2]
        first, worst = max(run.samples, key=lambda ping: ping[1])
        dots = [
            [round(1000 * (due - first), 2), round(1000 * wait, 2)]
            for due, wait in run.samples
            if 0 <= due - first <= worst and served["pieces"] == 1
        ]
        measured.append(
            {
                "way": way,
                "keys": keys,
                "count": count or None,
                "worst": 1000 * felt.worst,
                "dots": dots,
            }
        )
    return Explorable(
        "who",
        figure,
        {
            "ways": ways,
            "measured": measured,
            "what": what,
            "from": (
                "Bars: computed, from the time that the server spends inside commands, counted in runs of "
                "their own; of a pipeline reading and answering are in it, the client's pauses are not "
                "drawn. Tick: average. Dots: PINGs measured, where the work is one piece. In a pipeline"
                f"{', and now and then with SCAN,' * ('SCAN' in ways)} the next piece is there already, "
                "and a PING waits for it too. That a PING may wait for a CPU is not computed."
            ),
        },
    )


def pieces(way: str, counted: list, felt, number: int) -> dict:
    """Return in how many pieces the server works, of [(keys, Cost)], and how far apart they are.

    It takes a pipeline as its reads of the connection bring it, all else by round trips.
    """
    by_reads, of_all, least = way in BY_READS, way in OF_ALL, {}
    for keys, cost in sorted(counted, key=lambda each: each[0]):
        us = cost.server_cpu_us if by_reads else cost.server_us
        least[keys] = min(us, least.get(keys, us))
    # a GET costs more among more keys: use the count of the run with PINGs
    took = 1e6 * min(run.took for run in felt.runs)
    if not by_reads:  # counted in a run of its own, and part of one with PINGs
        least[keys] = min(least[keys], took)
    points = [*least.items()] if of_all else [(number, least[keys])]
    keys, us = points[-1]
    count = cost.server_reads if by_reads else cost.round_trips
    apart = 0 if by_reads else took - us
    return {
        "points": points,
        "size": "keys" if of_all else "each",
        "pieces": count,
        "at_once": -(-keys // count) if by_reads else None,
        "ahead": int(by_reads),
        "gap_us": apart / count if of_all else 0,
        "own_us": 0 if of_all else apart / keys,
    }
