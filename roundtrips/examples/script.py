"""A script that copies scores into a board, in slices; it fails if it makes too many round trips.

python script.py
"""

import os

import redis

from roundtrips import budget

SCORES = {f"player:{number}": number for number in range(2_500)}
SLICE = 1_000


def copy(r: redis.Redis) -> None:
    """Write all SCORES to the sorted set "board", in one round trip for each thousand."""
    names = list(SCORES)
    for start in range(0, len(names), SLICE):
        r.zadd("board", {name: SCORES[name] for name in names[start : start + SLICE]})


if __name__ == "__main__":
    with (
        redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost")) as client,
        budget(max=3) as t,
    ):
        copy(client)
    print(t.report())
