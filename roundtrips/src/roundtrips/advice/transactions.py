"""Find transactions of one command each, sent for each of many keys.

    for key in keys:
        r.pipeline().set(key, 1).execute()      # MULTI, SET, EXEC: a round trip for each

    pipe = r.pipeline(transaction=False)        # one for all, in slices of a thousand
    for key in keys:
        pipe.set(key, 1)
    pipe.execute()

The pipeline saves all round trips but one. Each command is atomic by itself, so MULTI adds nothing.
One large MULTI would make all other clients wait until its last command.
"""

import itertools
from collections.abc import Iterator

from . import code
from .finding import Finding
from .work import ADDS_UP, Work, by_call_site

FEWEST = 3


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that sent three or more transactions of one command.

    Transactions that follow a WATCH are left out, and those that a library sends.
    """
    for trips in (
        each for each in work.stretches() if not any("WATCH" in trip.names for trip in each)
    ):
        places = by_call_site(
            trips, lambda trip: "MULTI" in trip.names and sum(trip.names.values()) == 3
        )
        for several in itertools.chain.from_iterable(map(work.by_database, places)):
            site = several[0].site
            saves = work.saved([several])
            if len(several) < FEWEST or not saves or site.through:
                continue
            name = next(name for name in several[0].names if name not in ("MULTI", "EXEC"))
            pipe = code.pipeline(code.call_of(name), work.client(several[0]), len(several))
            instead = f"{code.IF_KNOWN}\n{pipe}"
            instead += f"\n{code.COUNTS_TWICE}" if name in ADDS_UP else ""
            shows = f"{len(several):,} transactions of one command each"
            what = "a transaction for each command"
            yield Finding("small pipelines", what, shows, saves, site, instead)
