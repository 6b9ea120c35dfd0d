"""Find scans in steps of ten keys, the server's default if no COUNT is given.

    for key in r.scan_iter(match="user:*"):     # a round trip for each ten keys

    for key in r.scan_iter(match="user:*", count=1000):

COUNT 1000 saves 99 round trips of a hundred; a step of a thousand keys takes the server less than a
millisecond. The same holds for HSCAN, SSCAN and ZSCAN. A scan with a COUNT gives no finding.
"""

from collections.abc import Iterator
from math import ceil

from ..commands import DEFAULT_SCAN, Command
from .finding import Finding
from .work import Work

FEWEST, COUNT = 10, 1_000
ITERATORS = {
    "SCAN": ("key", "scan_iter(match=pattern, "),
    "HSCAN": ("field, value", "hscan_iter(key, "),
    "SSCAN": ("member", "sscan_iter(key, "),
    "ZSCAN": ("member, score", "zscan_iter(key, "),
}


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that sent ten or more scan commands of ten keys each."""
    for several in work.with_command(is_small):
        if len(several) >= FEWEST:
            name = several[0].commands[0].name
            loop = "async for" if work.client(several[0]).asynchronous else "for"
            item, call = ITERATORS[name]
            instead = f"{loop} {item} in r.{call}count={COUNT:_}):\n    print({item})"
            shows = f"{len(several):,} round trips, {DEFAULT_SCAN} at a time"
            # A SCAN shows where it begins. The other scans differ in their keys.
            begun = [trip.commands[0].key for trip in several if trip.commands[0].key is not None]
            scans = len(begun) if name == "SCAN" else len(set(begun))
            saves = len(several) - max(scans, ceil(len(several) * (DEFAULT_SCAN + 1) / COUNT))
            what = f"{name} in small steps"
            yield Finding("small scans", what, shows, saves, several[0].site, instead)


def is_small(command: Command) -> bool:
    return command.name in ITERATORS and command.detail == DEFAULT_SCAN
