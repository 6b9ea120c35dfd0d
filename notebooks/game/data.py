"""Fill a small game's database: 200 players, a board, posts with likes, one logged-in visitor."""

import json
from urllib.parse import quote


PLAYERS, POSTS = 200, 60
VISITOR, TOKEN = "7", "t7"
COUNTRIES = ("Chile", "Estonia", "Ghana", "Japan", "Kenya", "Norway")


def fill(r):
    """Write all of the game's keys to the server of `r`, a redis.Redis, in one pipeline."""
    pipe = r.pipeline(transaction=False)
    for number in range(PLAYERS):
        country = COUNTRIES[number % len(COUNTRIES)]
        pipe.hset(f"user:{number}", mapping={"name": f"player{number}", "country": country})
        pipe.zadd("board", {str(number): number * 37 % 1009})
        if number % 3 == 0:
            pipe.set(f"online:{number}", "1")
    for number in range(POSTS):
        post = {"by": str(number * 7 % PLAYERS), "text": f"I won game {number}"}
        pipe.set(f"post:{number}", json.dumps(post))
        pipe.sadd(f"likes:{number}", *range(number % 5 + 1))
    pipe.delete(f"feed:{VISITOR}")
    pipe.rpush(f"feed:{VISITOR}", *range(POSTS))
    pipe.set(f"hits:{VISITOR}", 1_000, ex=3600)
    pipe.set(f"session:{TOKEN}", VISITOR, ex=3600)
    pipe.execute()


def address(r) -> str:
    """Return the URL of the server of `r`, a redis.Redis, password included: do not print it."""
    options = r.get_connection_kwargs()
    login = f"{options.get('username') or ''}:{quote(options.get('password') or '', safe='')}@"
    return f"redis://{login}{options['host']}:{options['port']}/{options.get('db', 0)}"
