"""Notes timings in the file LAB_TIMES, to see whether a chapter's figures agree."""

import functools
import inspect
import json
import os

from .. import setting


def note(variants, about, samples):
    """Append a line for each variant and distance: its cell, its work, its rounds' seconds."""
    if path := os.environ.get("LAB_TIMES"):
        cell = len(setting.shell().user_ns["In"]) - 1 if setting.shell() else 0
        with open(path, "a", encoding="utf-8") as file:
            for (name, rtt), seconds in samples.items():
                does = hash(repr((work(variants[name]), *map(work, about))))
                line = {"cell": cell, "name": name, "work": does, "rtt": rtt, "seconds": seconds}
                file.write(json.dumps(line) + "\n")


def work(thing, deep=4):
    """Return what a function does: code, what it reads from outside, and calls, so many deep."""
    if isinstance(thing, functools.partial):
        return work(thing.func, deep), thing.args, thing.keywords
    if not inspect.isfunction(thing) or not deep:
        return repr(thing)
    code, around = thing.__code__, inspect.getclosurevars(thing)
    read = around.nonlocals | around.globals
    outside = {name: work(value, deep - 1) for name, value in read.items()}
    constants = [getattr(each, "co_code", each) for each in code.co_consts]
    return code.co_code, constants, code.co_names, thing.__defaults__, outside
