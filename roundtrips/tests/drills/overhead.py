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

ROUNDS = 60
CALLS = 50  # of a program, in one block
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

    def get():
        client.get("user:1")

    def pipeline():
        pipe = client.pipeline(transaction=False)
        for _ in range(100):
            pipe.get("user:1")
        pipe.execute()

    async def gather():
        await asyncio.gather(*(tasks.get("user:1") for _ in range(100)))

    return {
        "a GET": get,
        "a pipeline of 100": pipeline,
        "100 gathered": lambda: loop.run_until_complete(gather()),
    }


def seconds(program, around):
    """Return a list: the CPU seconds of each of CALLS calls of `program()`, in one `with` block.

    The block is that of `around()`. What opens and closes it is not counted.
    """

    def call():
        began = time.thread_time()
        program()
        return time.thread_time() - began

    with around():
        return [call() for _ in range(CALLS)]


def main(port):
    """Print {program: [seconds that a trace adds to a call, seconds that spans add]}.

    Each is of the call that a tenth of all calls stayed below: a disturbance only makes a call
    longer. So the first call in a block, which takes longer, doesn't matter.
    """
    added, ways = {}, (contextlib.nullcontext, trace, instrumented)
    for name, program in programs(int(port), asyncio.new_event_loop()).items():
        program()
        rounds = [[seconds(program, way) for way in ways] for _ in range(ROUNDS)]
        plain, *others = (
            sorted(time_s for times_s in each for time_s in times_s)[ROUNDS * CALLS // 10]
            for each in zip(*rounds, strict=True)
        )
        added[name] = [each - plain for each in others]
    print(json.dumps(added))


if __name__ == "__main__":
    main(*sys.argv[1:])
