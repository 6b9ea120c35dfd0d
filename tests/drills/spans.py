"""Programs under roundtrips and OpenTelemetry's instrumentation for Redis at once.

It runs where environments.libraries() is. `python spans.py` reads {"options": of a client,
"nodes": of a cluster's} from stdin, and prints what both counted of each.
"""

import json
import socket
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


def page(options, _):
    with redis.Redis(**options, decode_responses=True) as r:
        fill(r)
        return counted(lambda: render(r, TOKEN))


def pipeline(options, _):
    with redis.Redis(**options) as r:
        r.ping()
        return counted(lambda: gets(r, 10))


def gets(r, number):
    pipe = r.pipeline(transaction=False)
    for each in range(number):
        pipe.get(f"item:{each}")
    pipe.execute()


def first_get(options, _):
    with redis.Redis(**options) as r:
        return counted(lambda: r.get("item:1"))


def cluster_pipeline(_, nodes):
    with RedisCluster(
        startup_nodes=[ClusterNode(node["host"], node["port"]) for node in nodes],
        password=nodes[0]["password"],
    ) as r:
        gets(r, 30)  # its connections are open
        return counted(lambda: gets(r, 30))


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
    """Cuts a connection by a socket of its own, whose round trips nobody counts here."""
    with socket.create_connection((options["host"], options["port"])) as plain:
        plain.sendall(f"AUTH {options['password']}\r\nCLIENT KILL ID {victim}\r\n".encode())
        replies = plain.makefile("rb")
        assert [replies.readline(), replies.readline()] == [b"+OK\r\n", b":1\r\n"]


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
    return {
        "round_trips": t.round_trips,
        "setup": t.setup_trips,
        "waits": t.waits,
        "lost": t.lost,
        "spans": [span.name for span in exporter.get_finished_spans()],
    }


PROGRAMS = [page, pipeline, first_get, cluster_pipeline, lost_and_repeated, unknown_script]

if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(
        json.dumps(
            {program.__name__: program(given["options"], given["nodes"]) for program in PROGRAMS}
        )
    )
