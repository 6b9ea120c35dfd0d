"""A task of Celery's, and two signals that log what each task asked of Redis.

celery -A celery_mail worker
"""

import logging
import os

import redis
from celery import Celery, signals

from roundtrips import trace

URL = os.environ.get("REDIS_URL", "redis://localhost")
app = Celery("mail", broker=URL)
r = redis.Redis.from_url(URL)


@app.task
def send_all(users: list[str]) -> None:
    """Put a mail for each user into the outbox: one round trip."""
    with r.pipeline(transaction=False) as pipe:
        for user in users:
            pipe.rpush("outbox", user)
        pipe.execute()


traced = {}


@signals.task_prerun.connect
def begin(task_id, **_):
    traced[task_id] = trace()
    traced[task_id].__enter__()


@signals.task_postrun.connect
def end(task_id, task, **_):
    tracing = traced.pop(task_id)
    tracing.__exit__(None, None, None)
    logging.getLogger("roundtrips").warning("%s: %s", task.name, tracing.trace)
