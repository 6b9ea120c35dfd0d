"""Build the start page of a small game in four round trips: one pipeline has many questions."""

import json

from .page import BOARD, FEED, LIMIT

# Counts a visit, to live ARGV[2] s; beyond ARGV[1] (page.py's rule) refuses it, changes nothing.
COUNT_VISIT = """
local hits = tonumber(redis.call('GET', KEYS[1]) or 0)
if hits >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], hits + 1, 'EX', ARGV[2])
return 1
"""


def about(r, players: list[str], numbers: list[str]) -> tuple[list, list, list, list]:
    """Read players and posts in one round trip.

    `r` is a redis.Redis; `players` are the players' ids, `numbers` the posts' numbers. Returns four
    lists: [name, country] of each player, 1 or 0 for whether each is online, each post as a dict
    with "by" and "text", and each post's number of likes.
    """
    pipe = r.pipeline(transaction=False)
    for player in players:
        pipe.hmget(f"user:{player}", "name", "country")
    for player in players:
        pipe.exists(f"online:{player}")
    for number in numbers:
        pipe.get(f"post:{number}")
    for number in numbers:
        pipe.scard(f"likes:{number}")
    replies = iter(pipe.execute())
    users = [next(replies) for _ in players]
    online = [next(replies) for _ in players]
    posts = [json.loads(next(replies)) for _ in numbers]
    likes = [next(replies) for _ in numbers]
    return users, online, posts, likes


def names_of(r, posts: list[dict]) -> list[str]:
    """Return the names of the posts' authors, read in one round trip.

    `r` is a redis.Redis; `posts` are dicts whose "by" is the author's id.
    """
    pipe = r.pipeline(transaction=False)
    for post in posts:
        pipe.hget(f"user:{post['by']}", "name")
    return pipe.execute()


def page(r, token):
    user = r.getex(f"session:{token}", ex=3600)
    if user is None:
        return "Please log in."

    pipe = r.pipeline(transaction=False)
    pipe.eval(COUNT_VISIT, 1, f"hits:{user}", LIMIT, 3600)
    pipe.zrange("board", 0, BOARD - 1, desc=True, withscores=True)
    pipe.lrange(f"feed:{user}", 0, FEED - 1)
    allowed, best, numbers = pipe.execute()
    if not allowed:
        return "Too many visits. Come back in an hour."

    players = [player for player, _ in best]
    users, online, posts, likes = about(r, players, numbers)
    authors = names_of(r, posts)

    lines = ["The best players"]
    for (_, score), (name, country), is_online in zip(best, users, online, strict=True):
        lines.append(f"{score:5.0f} {'*' if is_online else ' '} {name}, {country}")
    lines += ["", "What is new"]
    for name, post, liked in zip(authors, posts, likes, strict=True):
        lines.append(f"{name}: {post['text']} ({liked} likes)")
    return "\n".join(lines)
