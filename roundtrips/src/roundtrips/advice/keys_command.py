"""KEYS, which looks at every key, and nobody else is served meanwhile.

    for key in r.keys("user:*"):

    for key in r.scan_iter(match="user:*", count=1000):

It costs a round trip for each thousand keys, and saves everybody else the wait.
"""

from .finding import Finding, Found
from .work import Work


def find(work: Work) -> Found:
    """Yield call sites that sent KEYS twice or more."""
    for several in work.repeated(lambda command: command.name == "KEYS"):
        instead = (
            f"{work.client(several[0]).loop} key in r.scan_iter(match=pattern, count=1_000):\n"
            "    print(key)  # no picture of one moment: a key may come twice"
        )
        what = "KEYS looks at every key, and nobody else is served meanwhile"
        yield Finding("keys", what, f"KEYS, {len(several):,} times", 0, several[0].site, instead)
