"""Programs under roundtrips and OpenTelemetry's instrumentation for Redis at once.

It runs where environments.libraries() is. `python spans.py` reads {"options": of a client,
"nodes": of a cluster's} from stdin, and prints what both counted of each.
"""

import json
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

sys.path.extend(str(Path(__file__).parents[2] / name) for name in ("notebooks", "roundtrips/tests"))
from game.data import TOKEN, fill
from game.page import page as render
from proxy import Proxy


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
    """Return the dict of `counted` for an INCR that redis-py sends twice, since the reply is lost.

    A proxy passes the first INCR on to the server, and cuts the connection before the reply.
    `options` are those of a client.
    """
    with Proxy((options["host"], options["port"])) as proxy:
        behind = {**options, "port": proxy.port}
        with redis.Redis(**behind, retry=Retry(NoBackoff(), 1)) as r:
            r.ping()
            proxy.cut("asked")
            return counted(lambda: r.incr("n"))


def unknown_script(options, _):
    with redis.Redis(**options) as r:
        r.script_flush()
        return counted(lambda: r.register_script("return 7")())


def counted(program):
    """Run `program()` under roundtrips and OpenTelemetry; return a dict of what both counted.

    From roundtrips' trace it has four numbers: "round_trips", "setup" (set-up round trips), "waits"
    and "lost" (round trips without a reply). "spans" lists the names of OpenTelemetry's spans.
    """
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
