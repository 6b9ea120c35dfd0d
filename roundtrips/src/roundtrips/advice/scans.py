"""A scan in steps of ten, which is what a server takes where no COUNT is given.

    for key in r.scan_iter(match="user:*"):     # a round trip for each ten keys

    for key in r.scan_iter(match="user:*", count=1000):

It saves 99 round trips of a hundred; a step of a thousand takes the server less than a millisecond.
HSCAN, SSCAN and ZSCAN likewise. A COUNT that somebody chose is left alone.
"""

from math import ceil

from ..commands import DEFAULT_SCAN, Command
from .finding import Finding, Found
from .work import Work

FEWEST, COUNT = 10, 1_000
ITERATORS = {
    "SCAN": ("key", "scan_iter(match=pattern, "),
    "HSCAN": ("field, value", "hscan_iter(key, "),
    "SSCAN": ("member", "sscan_iter(key, "),
    "ZSCAN": ("member, score", "zscan_iter(key, "),
}


def find(work: Work) -> Found:
    """Yield call sites that made ten such steps or more."""
    for several in work.repeated(is_small):
        if len(several) >= FEWEST:
            name, loop = several[0].commands[0].name, work.client(several[0]).loop
            item, call = ITERATORS[name]
            instead = f"{loop} {item} in r.{call}count={COUNT:_}):\n    print({item})"
            shows = f"{len(several):,} round trips, {DEFAULT_SCAN} at a time"
            # Where a SCAN begins is seen; of the others, that they are of other keys.
            begun = [trip.commands[0].key for trip in several if trip.commands[0].key is not None]
            scans = len(begun) if name == "SCAN" else len(set(begun))
            saves = len(several) - max(scans, ceil(len(several) * (DEFAULT_SCAN + 1) / COUNT))
            what = f"{name} in small steps"
            yield Finding("small scans", what, shows, saves, several[0].site, instead)


def is_small(command: Command) -> bool:
    return command.name in ITERATORS and command.detail == DEFAULT_SCAN
