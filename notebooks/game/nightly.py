"""Print how many players each country has, as a nightly job may do.

The environment variable GAME_REDIS has the server's URL.
"""

import collections
import os

import redis

r = redis.Redis.from_url(os.environ["GAME_REDIS"], decode_responses=True)
players = collections.Counter()
for user in r.zrange("board", 0, -1):
    players[r.hget(f"user:{user}", "country")] += 1
for country, number in sorted(players.items()):
    print(f"{country:8} {number}")
