"""What was timed is noted in the file that LAB_TIMES names: whoever keeps a chapter asks whether its figures agree."""

import functools
import inspect
import json
import os

from .. import setting

DEEP = 4  # functions that a function calls


def note(variants, about, samples):
    """Append a line for each variant and distance: its cell, what it does, and the seconds of its rounds."""
    path = os.environ.get("LAB_TIMES")
    if not path:
        return
    cell = len(setting.shell().user_ns["In"]) - 1 if setting.shell() else 0
    works = {name: hash(repr((work(fn), *map(work, about)))) for name, fn in variants.items()}
    with open(path, "a", encoding="utf-8") as file:
        for (name, rtt), seconds in samples.items():
            line = {"cell": cell, "name": name, "work": works[name], "rtt": rtt, "seconds": seconds}
            file.write(json.dumps(line) + "\n")


def work(thing, deep=DEEP):
    """Return what a function does: its code, what it reads from around it, and that of what it calls."""
    if isinstance(thing, functools.partial):
        return work(thing.func, deep), thing.args, thing.keywords
    if not inspect.isfunction(thing) or not deep:
        return repr(thing)
    code, around = thing.__code__, inspect.getclosurevars(thing)
    outside = {name: work(value, deep - 1) for name, value in (around.nonlocals | around.globals).items()}
    constants = [getattr(each, "co_code", each) for each in code.co_consts]
    return code.co_code, constants, code.co_names, thing.__defaults__, outside
