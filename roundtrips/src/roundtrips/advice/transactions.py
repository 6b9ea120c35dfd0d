"""A transaction for each of many commands.

    for key in keys:
        r.pipeline().set(key, 1).execute()      # MULTI, SET, EXEC: a round trip for each

    pipe = r.pipeline(transaction=False)        # one for all, in slices of a thousand
    for key in keys:
        pipe.set(key, 1)
    pipe.execute()

It saves all round trips but one. Each command is atomic by itself, so MULTI gave it nothing; one
large MULTI would keep everybody else waiting until its last command.
"""

from . import code
from .finding import Finding, Found
from .work import ADDS_UP, Work, by_site, runs

FEWEST = 3
RQ = "jobs = queue.enqueue_many([queue.prepare_data(function, args=[item]) for item in items])"


def find(work: Work) -> Found:
    """Yield call sites of transactions of one command each, where no key was watched."""
    for trips in work.stretches():
        if any("WATCH" in trip.names for trip in trips):
            continue
        for several in by_site(trips, lambda trip: is_small(trip.names)):
            pieces, site = runs(several, trips, by_item=False), several[0].site
            saves = work.saved(pieces)
            if len(several) < FEWEST or not saves or site.through not in (None, "rq"):
                continue
            name = next(name for name in several[0].names if name not in ("MULTI", "EXEC"))
            instead = code.pipeline(
                code.call_of(name), work.client(several[0]), max(map(len, pieces))
            )
            instead += f"\n{code.COUNTS_TWICE}" if name in ADDS_UP else ""
            holds = work.condition(pieces, trips)
            instead = f"{holds}\n{instead}" if holds else instead
            shows = f"{len(several):,} transactions of one command each"
            yield Finding(
                "small pipelines",
                "a transaction for each command",
                shows,
                saves,
                site,
                RQ if site.through else instead,
                not site.through and not holds,
            )


def is_small(names: dict[str, int]) -> bool:
    return "MULTI" in names and sum(names.values()) == 3
