"""Who waits for whom: what the figure computes from, of what was counted and a bystander felt."""

from math import ceil

from . import Explorable


def explore(figure, waits: dict, costs: dict[int, list], gets: int) -> Explorable:
    """Return the figure of Bystanders, {"SCAN by 1,000": …}, and Costs by keys in the database.

    KEYS and SCAN look at all keys, every other way at `gets` of them.
    """
    ways, measured = {}, []
    for name, felt in waits.items():
        way, _, count = name.partition(" by ")
        count = int(count.replace(",", "") or 0) or None
        points = {}
        for keys in sorted(costs):  # the least time: other programs can only add to it
            least = min((each[name] for each in costs[keys]), key=lambda cost: cost.server_us or 0)
            at = keys if way in ("KEYS", "SCAN") else gets
            points[at] = least.server_us or 1
        took = 1e6 * min(run.took for run in felt.runs)
        gap = max(0, took - points[at]) / least.round_trips if count else 0
        ways[way] = {"points": [*points.items()], "at_once": None, "gap_us": gap, "ahead": 0}
        if way == "pipeline":  # in pieces of one read; when one has been served, the next is there
            ways[way] |= {"at_once": ceil(gets / (least.server_reads or 1)), "ahead": 1}
        run = sorted(felt.runs, key=lambda run: run.worst)[len(felt.runs) // 2]
        first, worst = max(run.samples, key=lambda ping: ping[1])
        dots = [[round(1000 * (due - first), 2), round(1000 * wait, 2)] for due, wait in run.samples
                if 0 <= due - first <= worst and not count and way != "pipeline"]
        measured.append(dict(way=way, keys=at, count=count, worst=1000 * felt.worst, dots=dots))
    return Explorable("who", figure, {"ways": ways, "measured": measured, "from": (
        "Script, MULTI and pipeline: a GET of each key. Computed from the time inside commands on "
        "this machine. A dot was measured. Reading and answering come on top; and a PING waits for "
        "a second slice of SCAN where the next request is there before its answer leaves.")})
