"""Who waits for whom: what the figure computes from, of what was counted and a bystander felt."""

from math import ceil

from . import Explorable


def explore(figure, waits: dict, costs: dict[int, dict], gets: int) -> Explorable:
    """Return the figure of Bystanders, {"SCAN by 1,000": …}, and of Costs: {keys: {name: [Cost]}}.

    KEYS and SCAN look at all, others at `gets`; still where other clients use the server too.
    """
    ways, measured = {}, []
    for name, felt in waits.items():
        if any(each.server_us is None for runs in costs.values() for each in runs[name]):
            return figure
        way, _, count = name.partition(" by ")
        points, count = {}, int(count.replace(",", "") or 0) or None
        for keys in sorted(costs):  # the least time: other programs can only add to it
            least = min(costs[keys][name], key=lambda cost: cost.server_us)
            # a GET costs more among more keys: the last counts, as the PINGs were sent among so many
            points[keys if way in ("KEYS", "SCAN") else gets] = least.server_us
        keys, us = [*points.items()][-1]
        took = 1e6 * min(run.took for run in felt.runs) if count else us
        a_read = ceil(gets / least.server_reads) if way == "pipeline" else None
        ways[way] = {"points": [*points.items()], "gap_us": max(0, took - us) / least.round_trips,
                     "at_once": a_read, "ahead": 1 if a_read else 0}
        run = sorted(felt.runs, key=lambda run: run.worst)[len(felt.runs) // 2]
        first, worst = max(run.samples, key=lambda ping: ping[1])
        dots = [[round(1000 * (due - first), 2), round(1000 * wait, 2)] for due, wait in run.samples
                if 0 <= due - first <= worst and not (count or a_read)]
        measured.append(dict(way=way, keys=keys, count=count, worst=1000 * felt.worst, dots=dots))
    return Explorable("who", figure, {"ways": ways, "measured": measured, "from": (
        "Script, MULTI and pipeline: a GET of each key. Computed from the time inside commands on "
        "this machine; reading, answering, a busy CPU add to it. A dot was measured. In a pipeline "
        "a PING waits for the next piece too, which is there already; with SCAN now and then.")})
