"""The start page of a small game, as one writes it first: each asks Redis when it needs to.

`r` is a client with decode_responses=True.
"""

import json

BOARD, FEED = 50, 30  # lines
LIMIT = 10_000  # visits in an hour


def session(r, token):
    """Who is logged in, or None; the session lives on for an hour."""
    user = r.get(f"session:{token}")
    if user:
        r.expire(f"session:{token}", 3600)
    return user


def allowed(r, user):
    """Counts the visit. False for a visitor who has come too often."""
    hits = int(r.get(f"hits:{user}") or 0)
    if hits >= LIMIT:
        return False
    r.set(f"hits:{user}", hits + 1)
    r.expire(f"hits:{user}", 3600)
    return True


def board(r):
    """The best players, a line each."""
    lines = []
    for user, score in r.zrevrange("board", 0, BOARD - 1, withscores=True):
        name = r.hget(f"user:{user}", "name")
        country = r.hget(f"user:{user}", "country")
        mark = "*" if r.exists(f"online:{user}") else " "
        lines.append(f"{score:5.0f} {mark} {name}, {country}")
    return lines


def feed(r, user):
    """The latest posts, a line each."""
    lines = []
    for number in r.lrange(f"feed:{user}", 0, FEED - 1):
        post = json.loads(r.get(f"post:{number}"))
        likes = r.scard(f"likes:{number}")
        name = r.hget(f"user:{post['by']}", "name")
        lines.append(f"{name}: {post['text']} ({likes} likes)")
    return lines


def page(r, token, session=session, allowed=allowed, board=board, feed=feed):
    """The page as text. Any of its parts may be given as another function."""
    user = session(r, token)
    if user is None:
        return "Please log in."
    if not allowed(r, user):
        return "Too many visits. Come back in an hour."
    return "\n".join(["The best players", *board(r), "", "What is new", *feed(r, user)])
