"""The little programs that the drills of the command run."""

APP = """
import json, os, redis

r = redis.Redis(**json.loads(os.environ["CLIENT"]))

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            await send({"type": kind + ".complete"})
            if kind == "lifespan.shutdown":
                return
    for _ in range(5):
        r.get("k")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"ok"})
"""
JOBS = """
import json, os, celery, redis

options = json.loads(os.environ["CLIENT"])
url = f"redis://:{options['password']}@127.0.0.1:{options['port']}/1"
app = celery.Celery("jobs", broker=url)
r = redis.Redis(**options)

@app.task
def work(number):
    for _ in range(number):
        r.get("job")
"""
RQ_JOB = """
import json, os, redis

def work(number):
    with redis.Redis(**json.loads(os.environ["CLIENT"])) as r:
        for _ in range(number):
            r.get("job")
"""
RQ_WORKER = """
import json, os, redis, rq, rqjob

connection = redis.Redis(**json.loads(os.environ["CLIENT"]), db=2)
queue = rq.Queue(connection=connection)
for _ in range(3):
    queue.enqueue(rqjob.work, 5)
rq.Worker([queue], connection=connection).work(burst=True, logging_level="ERROR")
"""
