"""CPU time that counting adds to a program, and what OpenTelemetry's instrumentation adds to it.

`python overhead.py PORT`, where requirements.txt is installed, runs each program plain, traced and
instrumented in turn. `make bench` runs it; spans are kept in memory, and sent nowhere.
"""

import asyncio
import contextlib
import json
import sys
import time

import redis
import redis.asyncio
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from roundtrips import trace

ROUNDS = 40
spans = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
instrumentor = RedisInstrumentor()


@contextlib.contextmanager
def instrumented():
    """In a `with` block, instrument redis-py with OpenTelemetry.

    The spans that it recorded are dropped at the end.
    """
    instrumentor.instrument(tracer_provider=provider)
    yield
    instrumentor.uninstrument()
    spans.clear()


def programs(port, loop):
    """Return {name of a small program: function without arguments that runs it}.

    The programs use clients of the server at `port`. The third one uses a client for asyncio, in
    the event loop `loop`.
    """
    client, tasks = redis.Redis(port=port), redis.asyncio.Redis(port=port)

    def gets():
        for _ in range(1_000):
            client.get("user:1")

    def pipelines():
        for _ in range(100):
            pipe = client.pipeline(transaction=False)
            for _ in range(100):
                pipe.get("user:1")
            pipe.execute()

    async def gather():
        await asyncio.gather(*(tasks.get("user:1") for _ in range(100)))

    def gathered():
        for _ in range(10):
            loop.run_until_complete(gather())

    return {
        "1,000 GETs": gets,
        "100 pipelines of 100": pipelines,
        "10 times 100 gathered": gathered,
    }


def seconds(program, around):
    """Return the CPU seconds of `program()`, run in the `with` block of `around()`.

    What opens and closes that block is not counted.
    """
    with around():
        began = time.process_time()
        program()
        return time.process_time() - began


def main(port):
    """Print {program: [seconds that a trace adds, seconds that spans add]}.

    Each is of the run that a tenth of all runs stayed below: a disturbance only makes a run longer.
    """
    added, ways = {}, (contextlib.nullcontext, trace, instrumented)
    for name, program in programs(int(port), asyncio.new_event_loop()).items():
        program()
        took = [[seconds(program, way) for way in ways] for _ in range(ROUNDS)]
        plain, *others = (sorted(each)[ROUNDS // 10] for each in zip(*took, strict=True))
        added[name] = [each - plain for each in others]
    print(json.dumps(added))


if __name__ == "__main__":
    main(*sys.argv[1:])
