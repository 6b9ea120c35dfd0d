"""A ratchet: how many round trips each call site made, written down, so that a later run can't quietly make more.

A call site is a file, a function and what it sends. The line is left out, since every edit above moves it; so are the keys'
patterns and a pipeline's length, which change with the data. What is new counts as grown from 0.
"""

import contextlib
import json
import os
import re
import shutil
from collections import Counter

from .errors import RoundTripsError
from .words import counted

FORMAT = 1
OTHER = "{path} is no ratchet: --ratchet did not write it. Choose another name, or delete it."
NO_RATCHET = ValueError, KeyError, TypeError, OverflowError, RecursionError  # what reading a file raises that is none
OF_SEVERAL = re.compile(r"(pipeline|transaction) of ")


def kind_of(call_site):
    """'GET', 'pipeline', 'transaction': what a call site sends, as far as that is the code's and not the data's."""
    several = OF_SEVERAL.match(call_site.label)
    return several[1] if several else " or ".join(sorted(call_site.names))


def state_of(trace, folder):
    """{(file, function, what): round trips} of a Trace's work; files are told from `folder`."""
    state = Counter()
    for each in trace.call_sites:
        if not each.setup:
            state[file_from(each.site.file, folder), each.site.function, kind_of(each)] += each.round_trips
    return state


def file_from(file, folder):
    """A file as the ratchet names it on every machine: from the folder, or by its last two parts where it lies elsewhere."""
    if file.startswith(folder + os.sep):
        file = os.path.relpath(file, folder)
    elif os.path.isabs(file):
        file = os.sep.join(file.split(os.sep)[-2:])
    return file.replace(os.sep, "/")


def worse(before, after):
    """What grew, in words, the worst first; [] if nothing did."""
    grown = sorted(((number - before[site], site, number) for site, number in after.items() if number > before[site]),
                   key=lambda each: (-each[0], each[1]))
    return [f"{file} in {function.rsplit('.', 1)[-1]}: {what}: {before[file, function, what]:,} → {counted(number, 'round trip')}"
            for _, (file, function, what), number in grown]


def better(before, after):
    """How many round trips fewer there are at the sites that shrank."""
    return sum(max(0, number - after[site]) for site, number in before.items())


def write(path, state):
    rows = [{"file": file, "function": function, "sends": what, "round_trips": number}
            for (file, function, what), number in sorted(state.items())]
    text = json.dumps({"ratchet": FORMAT, "call_sites": rows}, indent=1, ensure_ascii=False) + "\n"
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):  # such as /dev/stdout, which nothing may replace
        write_text(target, text)
        return
    scratch = f"{target}.{os.getpid()}"
    try:
        write_text(scratch, text)
        if os.path.exists(target):
            with open(target, "r+b"):  # raises OSError where it is read-only: replacing would not ask
                shutil.copymode(target, scratch)
        os.replace(scratch, target)  # whole: the old one stands until then
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(scratch)


def write_text(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def refuse_others(path):
    """Raises RoundTripsError where something else than a ratchet stands, which --accept would write over."""
    if not os.path.isfile(path):  # nothing, or what cannot be looked at without taking from it, such as a pipe
        return
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.strip():
            json.loads(text)["ratchet"]
    except OSError:
        return  # there is none, or writing it says what is wrong
    except NO_RATCHET:
        raise RoundTripsError(OTHER.format(path=path)) from None


def read(path):
    """The state in a file. Raises RoundTripsError for a file that is not there, or is no ratchet."""
    how = f"Run again with --accept to write it: roundtrips --ratchet {os.path.basename(path)} --accept …"
    try:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        if stored["ratchet"] != FORMAT:
            raise RoundTripsError(f"{path} is a ratchet of format {stored['ratchet']}, and this version reads {FORMAT}. {how}.")
        return Counter({(row["file"], row["function"], row["sends"]): int(row["round_trips"]) for row in stored["call_sites"]})
    except FileNotFoundError:
        raise RoundTripsError(f"There is no ratchet {path} yet. {how}.") from None
    except OSError as error:
        raise RoundTripsError(f"{path} can't be read ({error}). Choose a file that you may read.") from None
    except NO_RATCHET:
        raise RoundTripsError(OTHER.format(path=path)) from None
