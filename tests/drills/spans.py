"""Programs under roundtrips and OpenTelemetry's instrumentation for Redis at once.

It runs where environments.libraries() is. `python spans.py` reads {"options": of a client,
"nodes": of a cluster's} from stdin, and prints what both counted of each.
"""

import json
import subprocess
import sys
from pathlib import Path

import redis
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry

from roundtrips import trace

sys.path.insert(0, str(Path(__file__).parents[2] / "notebooks"))
from game.data import TOKEN, fill
from game.page import page as render

KILL = """
import json, sys
import redis
options, said = json.load(sys.stdin)
redis.Redis(**options).execute_command(*said.split())
"""


def page(options, _):
    with redis.Redis(**options, decode_responses=True) as r:
        fill(r)
        return counted(lambda: render(r, TOKEN))


def pipeline(options, _):
    with redis.Redis(**options) as r:
        r.ping()

        def ten():
            pipe = r.pipeline(transaction=False)
            for number in range(10):
                pipe.get(f"item:{number}")
            pipe.execute()

        return counted(ten)


def first_get(options, _):
    with redis.Redis(**options) as r:
        return counted(lambda: r.get("item:1"))


def cluster_pipeline(_, nodes):
    with RedisCluster(startup_nodes=[ClusterNode(node["host"], node["port"]) for node in nodes],
                      password=nodes[0]["password"]) as r:
        def thirty():
            pipe = r.pipeline()
            for number in range(30):
                pipe.get(f"item:{number}")
            pipe.execute()

        thirty()  # its connections are open
        return counted(thirty)


def lost_and_repeated(options, _):
    again = redis.Redis(**options, client_name="victim", retry=Retry(NoBackoff(), 1))
    with redis.Redis(**options) as admin, again as r:
        r.ping()
        [victim] = [known["id"] for known in admin.client_list() if known["name"] == "victim"]
        pool, plain = r.connection_pool, r.connection_pool.get_connection

        def cut(*args, **kwargs):
            pool.get_connection = plain
            connection = plain(*args, **kwargs)
            kill(options, victim)
            return connection

        pool.get_connection = cut
        return counted(lambda: r.incr("n"))


def unknown_script(options, _):
    with redis.Redis(**options) as r:
        r.script_flush()
        return counted(lambda: r.register_script("return 7")())


def kill(options, victim):
    """Cuts a connection from another process, whose turns nobody counts here."""
    said = f"CLIENT KILL ID {victim}"
    subprocess.run([sys.executable, "-c", KILL], input=json.dumps([options, said]), text=True,
                   check=True)


def counted(program):
    """What the trace counted, and the names of the spans."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    RedisInstrumentor().instrument(tracer_provider=provider)
    try:
        with trace() as t:
            program()
    finally:
        RedisInstrumentor().uninstrument()
    return {"round_trips": t.round_trips, "setup": t.setup_trips, "waits": t.waits, "lost": t.lost,
            "spans": [span.name for span in exporter.get_finished_spans()]}


PROGRAMS = [page, pipeline, first_get, cluster_pipeline, lost_and_repeated, unknown_script]

if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps({program.__name__: program(given["options"], given["nodes"])
                      for program in PROGRAMS}))
