"""A board of scores by Flask: a request with many round trips is logged, with where they come from.

flask --app flask_board run            then open http://127.0.0.1:5000/
"""

import logging
import os

import redis
from flask import Flask

from roundtrips.integrations.web import wsgi

r = redis.Redis.from_url(os.environ.get("REDIS_URL", "redis://localhost"), decode_responses=True)
app = Flask(__name__)


@app.get("/")
def board() -> list[str]:
    """Return the names of the ten best players, with a round trip for each name: too many."""
    best = r.zrevrange("board", 0, 9)
    return [r.hget(f"user:{user}", "name") or user for user in best]


def note(t, environ):
    if t.round_trips > 5:
        logging.getLogger("roundtrips").warning("%s\n%s", environ["PATH_INFO"], t.report())


# At many requests a second: sample=100 looks at one in a hundred.
app.wsgi_app = wsgi(app.wsgi_app, on_trace=note)
