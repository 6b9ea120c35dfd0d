"""Chapter 10: what a server cuts off, what a long batch costs it and others, and who holds the connection."""

from ...words import counted, duration
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

SLOWER = 1.2


@judge("C3", "When the data sent exceeds the input buffer's limit, 1 GB by default, the server closes the client.", "the command")
def c3(default_bytes, limit_bytes, one_cut, pipeline_cut, multi_cut):
    """Whether a server with a limit of `limit_bytes` cut off a client that sent more: as one command, as a plain pipeline, in
    MULTI. `default_bytes` is its default."""
    seen = (f"with a limit of {limit_bytes:,} bytes, and more than that sent, one large command {was_cut(one_cut)}, a plain "
            f"pipeline {was_cut(pipeline_cut)}, a transaction {was_cut(multi_cut)}")
    adds = f"the limit is a setting, client-query-buffer-limit: {default_bytes:,} bytes by default"
    if one_cut and pipeline_cut and multi_cut:
        return Verdict(HOLDS, seen, adds)
    if one_cut or pipeline_cut or multi_cut:
        return Verdict(DEPENDS, f"on what the server has to keep, not on what is sent: {seen}", adds)
    return Verdict(FAILS, f"{seen}. Nobody was cut off", adds)


def was_cut(cut):
    return "was cut off" if cut else "passed"


@judge("C8", "Too many commands at once may hurt, and buffers have limits: don't use too many.", "the size")
def c8(at_once_s, batches_s, queued_bytes, cut_off, commands, pipeline_worst_s, multi_worst_s):
    """The same reads in one pipeline and in batches, in seconds; the bytes of replies that waited at the server for the one, and
    whether a limit on them cut it off. And seconds that a bystander's slowest PING took while so many SETs ran: in a plain
    pipeline, and in one MULTI."""
    seen = (f"one long pipeline took {duration(at_once_s)}, batches {duration(batches_s)}; ~{queued_bytes / 1e6:.0f} MB of "
            f"replies waited at the server, and with a limit on them the client {was_cut(cut_off)}. The lab's link never "
            "congests: that part is untested")
    adds = (f"others: beside {counted(commands, 'SET')} a bystander's slowest PING took {duration(pipeline_worst_s)} in a plain "
            f"pipeline, {duration(multi_worst_s)} in one MULTI")
    hurt = cut_off or at_once_s >= SLOWER * batches_s
    return Verdict(HOLDS if hurt else FAILS, seen, adds)


@judge("C13", "Until all its commands have run, a pipeline has its connection to itself.", "a default of the client")
def c13(queueing, executing, watching, plain_call):
    """Connections in use: while commands are queued, during execute(), after watch(), during a single call."""
    adds = (f"any single call holds {plain_call}, queueing commands {queueing}, and watch() {watching} until you are done. "
            "Others take another connection, as long as the pool has one")
    return Verdict(HOLDS if executing else FAILS, f"connections in use during execute(): {executing}", adds)
