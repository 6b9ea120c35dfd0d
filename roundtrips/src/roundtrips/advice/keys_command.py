"""Find KEYS, which visits every key while no other client is served.

    for key in r.keys("user:*"):

    for key in r.scan_iter(match="user:*", count=1000):

SCAN costs a round trip for each thousand keys, and no other client waits.
"""

from collections.abc import Iterator

from ..words import counted
from .finding import Finding
from .work import Work


def find(work: Work) -> Iterator[Finding]:
    """Yield a Finding for each call site that sent KEYS, even once."""
    for several in work.with_command(lambda command: command.name == "KEYS"):
        loop = "async for" if work.client(several[0]).asynchronous else "for"
        yield Finding(
            kind="keys",
            what="KEYS looks at every key, and nobody else is served meanwhile",
            shows=f"KEYS, {counted(len(several), 'time')}",
            saves=0,
            site=several[0].site,
            instead=f"{loop} key in r.scan_iter(match=pattern, count=1_000):\n"
            "    print(key)  # no picture of one moment: a key may come twice",
        )
