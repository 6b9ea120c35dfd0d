"""Build the start page of a small game the way one writes it first: many single questions.

`r` is a redis.Redis with decode_responses=True.
"""

import json

BOARD, FEED = 50, 30  # lines
LIMIT = 10_000  # visits in an hour


def session(r, token: str) -> str | None:
    """Return the id of the user who logged in with `token`, and extend the session by an hour.

    Returns None if nobody logged in with it, or if the session is over.
    """
    user = r.get(f"session:{token}")
    if user:
        r.expire(f"session:{token}", 3600)
    return user


def allowed(r, user: str) -> bool:
    """Return True and count a visit of the user id `user`; after 10,000 visits return False.

    The count is deleted when no visit was counted for an hour.
    """
    hits = int(r.get(f"hits:{user}") or 0)
    if hits >= LIMIT:
        return False
    r.set(f"hits:{user}", hits + 1)
    r.expire(f"hits:{user}", 3600)
    return True


def board(r) -> list[str]:
    """Return the 50 best players as a list of lines: score, `*` if online, name, country."""
    lines = []
    for user, score in r.zrange("board", 0, BOARD - 1, desc=True, withscores=True):
        name = r.hget(f"user:{user}", "name")
        country = r.hget(f"user:{user}", "country")
        mark = "*" if r.exists(f"online:{user}") else " "
        lines.append(f"{score:5.0f} {mark} {name}, {country}")
    return lines


def feed(r, user: str) -> list[str]:
    """Return the latest 30 posts for the user id `user` as a list of lines: name, text, likes."""
    lines = []
    for number in r.lrange(f"feed:{user}", 0, FEED - 1):
        post = json.loads(r.get(f"post:{number}"))
        likes = r.scard(f"likes:{number}")
        name = r.hget(f"user:{post['by']}", "name")
        lines.append(f"{name}: {post['text']} ({likes} likes)")
    return lines


def page(r, token: str, session=session, allowed=allowed, board=board, feed=feed) -> str:
    """Return the page as text, for the visitor who logged in with `token`.

    Each of the four functions may be replaced by one with the same arguments and results.
    """
    user = session(r, token)
    if user is None:
        return "Please log in."
    if not allowed(r, user):
        return "Too many visits. Come back in an hour."
    return "\n".join(["The best players", *board(r), "", "What is new", *feed(r, user)])
