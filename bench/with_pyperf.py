"""The functions that lab.compare, timeit and pyperf all time; as a script, pyperf times them."""

import gc
import json
import os


def one_set(r):
    r.set("key1", "value1")


def pipeline_of_100(r):
    pipe = r.pipeline(transaction=False)
    for i in range(100):
        pipe.set(f"key{i}", "value1")
    pipe.execute()


# name -> function, its operations
FUNCTIONS = {"one SET": (one_set, 1), "pipeline of 100 SETs": (pipeline_of_100, 100)}

if __name__ == "__main__":
    import pyperf
    import redis

    client = redis.Redis(**json.loads(os.environ["LAB_BENCH_SERVER"]))
    runner = pyperf.Runner(processes=8, values=5, warmups=1, min_time=0.02)
    gc.disable()  # as timeit and the lab do
    for name, (fn, _) in FUNCTIONS.items():
        runner.bench_func(name, fn, client)
