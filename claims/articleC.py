"""Chapter 03: what a pipeline saves, and what it costs."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

NO_GAIN = 1.2  # a ratio below is no gain
MOSTLY = 0.8  # the share of a distance that counts as overcome
TENFOLD = 10
BENEFIT = 3  # what the server must save in CPU for "read and write calls matter"
NEARLY_AS_FAST = 2  # times the time of all at once, where one by one takes fifty times as long and more
FAR_LESS = 0.7  # of the memory
TWICE = 2
HUNDREDS = 100
A_TENTH = 1.1  # times faster, from which on a pipeline counts as faster


@judge("C4", "Batches of 10,000, for example, are nearly as fast, and the server queues only their replies.", "the size")
def c4(batch_s, all_at_once_s, smaller_s, batch_bytes, all_at_once_bytes, smaller_bytes, batch_queued_bytes, all_queued_bytes):
    """Batches of 10,000, everything at once, and batches of 1,000 (smaller): seconds, and the client's peak bytes. And the
    bytes of replies that waited at the server, when as many large values were asked for."""
    share = batch_queued_bytes / all_queued_bytes
    seen = (f"batches of 10,000 took ~{times(batch_s / all_at_once_s)} the time of 20,000 at once; of as many replies of 1,000 "
            f"bytes, ~{batch_queued_bytes / 1e6:.1f} MB waited at the server instead of ~{all_queued_bytes / 1e6:.1f} MB")
    client, smaller = (100 * held / all_at_once_bytes for held in (batch_bytes, smaller_bytes))
    adds = (f"batches of 1,000 took ~{times(smaller_s / all_at_once_s)} the time. They need ~{smaller:.0f}% of the client's "
            f"memory, batches of 10,000 ~{client:.0f}%. Speed stops growing long before memory does")
    fast, small = batch_s <= NEARLY_AS_FAST * all_at_once_s, share <= FAR_LESS
    if fast and small:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the size: {seen}", adds) if fast or small else Verdict(FAILS, seen, adds)


@judge("C5", "Beyond the RTT, a pipeline raises what a server can do, by fewer read() and write() calls.", "the client")
def c5(loop_s, pipeline_s, loop_server_s, pipeline_server_s, loop_reads, pipeline_reads):
    """At RTT 0: seconds of the same commands one by one and in pipelines, the server's CPU seconds in each, and its read calls
    (None where others use the server too)."""
    wall, saved = loop_s / pipeline_s, loop_server_s / pipeline_server_s
    known = None not in (loop_reads, pipeline_reads)
    calls = f", with ~{loop_reads:,} read calls one by one and ~{pipeline_reads:,} in a pipeline" if known else ""
    seen = f"with no distance the server's CPU for a command shrank ~{times(saved)}{calls}"
    adds = (f"a client in Python gets ~{times(wall)} the commands a second, for redis-py still builds each of them. The "
            "article's 10 times is read off a figure, of a machine that it does not name")
    if wall < NO_GAIN:
        return Verdict(FAILS, f"{seen}, and the throughput did not grow", adds)
    if saved < BENEFIT or (known and pipeline_reads >= loop_reads):
        return Verdict(DEPENDS, f"on the client: {seen}, so the gain is not the server's", adds)
    return Verdict(HOLDS, seen, adds)


@judge("C14", "With a high RTT or a loaded server, a pipeline may be slower than single commands.")
def c14(near_gain, far_gain, loaded_gain):
    """How many times faster the pipeline was than the same commands one by one: at RTT 0, at a high RTT, beside clients that
    keep the server busy."""
    seen = (f"the pipeline was ~{times(near_gain)} as fast as single commands at RTT 0, ~{times(far_gain)} at a high RTT, "
            f"~{times(loaded_gain)} on a loaded server")
    if min(far_gain, loaded_gain) < 1 / NO_GAIN:
        return Verdict(HOLDS, seen)
    if far_gain < max(NO_GAIN, near_gain / NO_GAIN) or loaded_gain < NO_GAIN:
        return Verdict(DEPENDS, f"on the load or the distance: {seen}, so a part of the gain is lost")
    return Verdict(FAILS, f"{seen}. It is the other way round: the more a round trip costs, the more it pays to make only one")


@judge("D2", "Pipelining can overcome the limit that network delay sets, at some overhead.", "the distance")
def d2(loop_near_s, loop_far_s, pipeline_near_s, pipeline_far_s):
    """Seconds of the same commands near and far, one by one and in a pipeline."""
    share = 1 - (pipeline_far_s - pipeline_near_s) / (loop_far_s - loop_near_s)
    seen = (f"the distance cost the loop {duration(loop_far_s - loop_near_s)} and the pipeline "
            f"{duration(pipeline_far_s - pipeline_near_s)}, ~{100 * share:.0f}% less. One round trip always remains")
    if share >= MOSTLY:
        return Verdict(HOLDS, seen)
    return Verdict(DEPENDS, f"on the distance: {seen}") if share >= 1 - MOSTLY else Verdict(FAILS, seen)


@judge("D3", "For one record a pipeline takes twice as long as a plain call, or longer.", "the client")
def d3(plain_near_s, pipeline_near_s, plain_far_s, pipeline_far_s):
    """Seconds of one SET as a plain call and in a pipeline, at RTT 0 and far away."""
    near, far = pipeline_near_s / plain_near_s, pipeline_far_s / plain_far_s
    seen = f"in redis-py ~{times(near)} the time of a plain call at RTT 0"
    adds = f"with a distance it is ~{times(far)}: the price is CPU, and no second trip"
    if near >= TWICE:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the client: {seen}. Spring Data Redis, of which the article says it, does not run here", adds)


@judge("D6", "Because of its overhead, a pipeline is best only for batches of hundreds to thousands.", "the client")
def d6(near_gains, far_gains):
    """How many times faster a pipeline was than plain calls, {1: …, 2: …, 100: …} by commands, at RTT 0 and far away."""
    near, far = (min((size for size, gain in gains.items() if gain > A_TENTH), default=None) for gains in (near_gains, far_gains))
    seen = "in redis-py a pipeline was faster " + (
        f"{since(near)}, near and far" if near == far else f"{since(near)} at RTT 0, {since(far)} far away")
    if near is None and far is None:
        return Verdict(FAILS, f"{seen}, not with ~{max(near_gains)} either")
    if min(size for size in (near, far) if size) >= HUNDREDS:
        return Verdict(HOLDS, seen)
    return Verdict(DEPENDS, f"on the client: {seen}. Spring Data Redis, of which the article says it, does not run here")


def since(size):
    return f"from ~{size} commands on" if size else "with no number of commands that was tried"


@judge("E2", "A loop of single GETs and SETs costs performance, down to a tenth or less of MGET and MSET.", "the client")
def e2(loop_s, mset_s, loop_client_s, mset_server_s):
    """At RTT 0: seconds of a loop of SETs and of one MSET, the client's CPU in the loop, the server's CPU in MSET."""
    slower = loop_s / mset_s
    seen = f"with no distance the loop takes ~{times(slower)} the time of MSET"
    adds = (f"the client's own CPU is ~{100 * loop_client_s / loop_s:.0f}% of the loop's time. Of MSET's time the server "
            f"computes only ~{100 * mset_server_s / mset_s:.0f}%: the rest is the client and the way between")
    if slower >= TENFOLD:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the client: {seen}", adds) if slower >= TWICE else Verdict(FAILS, seen, adds)


@judge("E3", "Reading has the same tendency, so reading together is overwhelmingly better.", "the distance")
def e3(write_pipeline, write_multi, read_pipeline, read_multi):
    """Gains over a loop at the same distance: a pipeline of SETs, MSET, a pipeline of GETs, MGET."""
    seen = f"over a loop of GETs, MGET gains ~{times(read_multi)} and a pipeline ~{times(read_pipeline)}"
    adds = f"on writes, at the same distance, MSET gains ~{times(write_multi)} and a pipeline ~{times(write_pipeline)}"
    if read_multi >= TENFOLD:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the distance: {seen}", adds) if read_multi >= TWICE else Verdict(FAILS, seen, adds)
