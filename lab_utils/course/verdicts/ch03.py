"""Chapter 03: what a pipeline saves, what it costs, and what two published tables time besides."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge

TWO_PERCENT = 0.05  # "2%" is confirmed up to this share
NO_GAIN = 1.2  # a ratio below is no gain
MOSTLY = 0.8  # the share of a gain, or of a distance, that counts as nearly all of it
TENFOLD = 10
BENEFIT = 3  # what the server must save in CPU for "read and write calls matter"
NEARLY_AS_FAST = 2  # times the time of all at once, where one by one takes fifty times as long and more
FAR_LESS = 0.7  # of the memory
TWICE = 2
CONSIDERABLE = 2  # times faster: a gain that the article calls considerable; its own is 4.25
HUNDREDS, HANDFUL = 100, 20
ALIKE = 2.5  # reads behave as writes do if no gain differs by more than this factor


@judge("A4", "10,000 SETs in a pipeline take 2% of the time that they take one by one.")
def a4(loop_far_s, pipeline_far_s, loop_near_s, pipeline_near_s):
    """Seconds of 10,000 SETs at the article's distance (far) and at RTT 0 (near)."""
    far, near = pipeline_far_s / loop_far_s, pipeline_near_s / loop_near_s
    seen = f"~{100 * far:.1f}% at the article's distance, ~{100 * near:.1f}% with no distance"
    if far > TWO_PERCENT:
        return Verdict(FAILS if far > 1 / NO_GAIN else DEPENDS, f"{seen}: the pipeline saves less here than there")
    if near > TWO_PERCENT:
        return Verdict(DEPENDS, f"{seen}. It is a figure about the distance: without it the client's CPU is what is left")
    return Verdict(HOLDS, seen)


@judge("B2", "Seven commands take 1.19 ms one by one and 280 µs in a pipeline.")
def b2(calls_s, transaction_s, pipeline_s, both_s):
    """Seconds of the seven commands: one by one, in MULTI one by one, in a plain pipeline, in redis-py's default pipeline."""
    gain, plain = calls_s / both_s, calls_s / pipeline_s
    seen = (f"{duration(calls_s)} one by one, {duration(both_s)} in redis-py's default pipeline, {duration(pipeline_s)} in one "
            f"without MULTI, {duration(transaction_s)} in MULTI without a pipeline")
    if gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: no gain here")
    if plain < CONSIDERABLE <= gain:
        return Verdict(DEPENDS, f"{seen}: the gain comes from the transaction")
    if gain < CONSIDERABLE:
        return Verdict(DEPENDS, f"{seen}: a gain of ~{times(gain)}, which is not considerable")
    return Verdict(HOLDS, f"{seen}. The gain, ~{times(gain)}, is the pipeline's; MULTI alone takes two turns more")


@judge("C4", "Batches of about 10,000 commands are nearly as fast as all at once, with far less memory.")
def c4(batch_s, all_at_once_s, batch_bytes, all_at_once_bytes, smaller_s, smaller_bytes):
    """Seconds and peak bytes of the client: batches of 10,000, everything at once, and batches of 1,000 (smaller).

    The article gives 10,000 as an example of a reasonable size; so one of the two sizes must be both, fast and small.
    """
    slower, share = batch_s / all_at_once_s, batch_bytes / all_at_once_bytes
    seen = (f"batches of 10,000 took ~{times(slower)} the time of all at once, with ~{100 * share:.0f}% of the client's memory; "
            f"batches of 1,000 ~{times(smaller_s / all_at_once_s)} the time with ~{100 * smaller_bytes / all_at_once_bytes:.0f}%")
    sizes = ((batch_s, batch_bytes), (smaller_s, smaller_bytes))
    fast, small = ([took <= NEARLY_AS_FAST * all_at_once_s for took, _ in sizes],
                   [held <= FAR_LESS * all_at_once_bytes for _, held in sizes])
    if any(map(all, zip(fast, small, strict=True))):
        return Verdict(HOLDS, f"{seen}. Memory grows with the batch; speed stops growing long before" if fast[1] else seen)
    return Verdict(DEPENDS if any(fast) or any(small) else FAILS, seen)


@judge("C5", "Beyond the RTT, a pipeline saves read and write calls: up to 10 times the throughput.")
def c5(loop_s, pipeline_s, loop_server_s, pipeline_server_s):
    """At RTT 0: seconds of the same commands one by one and in pipelines, and the server's CPU seconds in each."""
    wall, saved = loop_s / pipeline_s, loop_server_s / pipeline_server_s
    seen = f"with no distance the throughput grew ~{times(wall)}, while the server's CPU for a command shrank ~{times(saved)}"
    if wall < NO_GAIN:
        return Verdict(FAILS, seen)
    if wall >= TENFOLD:
        return Verdict(HOLDS, seen)
    if saved >= BENEFIT:
        return Verdict(DEPENDS, f"{seen}. The server could do it; redis-py building each command in Python is the limit here")
    return Verdict(DEPENDS, f"{seen}, so the saving is not the server's")


@judge("C14", "With a high RTT a pipeline may be slower than single commands.")
def c14(near_gain, far_gain):
    """How many times faster the pipeline was than the same commands one by one, at RTT 0 and at a high RTT."""
    seen = f"the pipeline was ~{times(near_gain)} as fast as single commands at RTT 0 and ~{times(far_gain)} at a high RTT"
    if far_gain < 1 / NO_GAIN:
        return Verdict(HOLDS, seen)
    if far_gain < max(NO_GAIN, near_gain / NO_GAIN):
        return Verdict(DEPENDS, f"{seen}: the distance takes part of the gain")
    return Verdict(FAILS, f"{seen}. It is the other way round: distance is what a pipeline is for")


@judge("D2", "A pipeline overcomes the latency between availability zones.")
def d2(loop_near_s, loop_far_s, pipeline_near_s, pipeline_far_s):
    """Seconds of the same commands near and far, one by one and in a pipeline."""
    share = 1 - (pipeline_far_s - pipeline_near_s) / (loop_far_s - loop_near_s)
    seen = (f"the distance cost the loop {duration(loop_far_s - loop_near_s)} and the pipeline "
            f"{duration(pipeline_far_s - pipeline_near_s)}, ~{100 * share:.0f}% less")
    if share >= MOSTLY:
        return Verdict(HOLDS, f"{seen}. One round trip always remains")
    return Verdict(DEPENDS if share >= 1 - MOSTLY else FAILS, seen)


@judge("D3", "For a single record a pipeline costs more than twice a plain call.")
def d3(plain_near_s, pipeline_near_s, plain_far_s, pipeline_far_s):
    """Seconds of one SET as a plain call and in a pipeline, at RTT 0 and far away."""
    near, far = pipeline_near_s / plain_near_s, pipeline_far_s / plain_far_s
    seen = f"in redis-py ~{times(near)} the time of a plain call at RTT 0, ~{times(far)} with a distance"
    if near < TWICE and far < TWICE:
        return Verdict(FAILS, f"{seen}. The price is a few µs of Python, not a second trip; another framework may differ")
    return Verdict(HOLDS if near >= TWICE and far >= TWICE else DEPENDS, seen)


@judge("D6", "Use a pipeline only for hundreds of records or more.")
def d6(break_even_near, break_even_far):
    """The number of commands from which on a pipeline is faster, at RTT 0 and far away."""
    seen = f"a pipeline was faster from ~{break_even_near} commands on at RTT 0, from ~{break_even_far} on far away"
    if max(break_even_near, break_even_far) <= HANDFUL:
        return Verdict(FAILS, seen)
    return Verdict(HOLDS if min(break_even_near, break_even_far) >= HUNDREDS else DEPENDS, seen)


@judge("E1", "10,000 writes take 5.071 s one by one, 0.282 s by hundreds, 0.229 s at once.")
def e1(loop_s, hundreds_s, once_s, constants_s, hundreds_work_s, once_work_s):
    """Seconds as the article timed them (`number=1`), of import and connection alone, and of the work without them."""
    seen = (f"{duration(loop_s)}, {duration(hundreds_s)} and {duration(once_s)} in a fresh Python, of which importing redis and "
            f"connecting is {duration(constants_s)}. The work alone: {duration(hundreds_work_s)} by hundreds, "
            f"{duration(once_work_s)} at once")
    if not loop_s > NO_GAIN * hundreds_s or once_s > NO_GAIN * hundreds_s:
        return Verdict(FAILS, f"{seen}: not in that order here")
    if constants_s > once_s / 2:
        return Verdict(DEPENDS, f"{seen}. The two batched figures time mostly the import; "
                                f"the step between them is a gain of ~{times(hundreds_work_s / once_work_s)}")
    return Verdict(HOLDS, seen)


@judge("E2", "MGET and MSET show Redis's true speed; a loop makes it 10 times slower.")
def e2(loop_s, mset_s, loop_client_s, mset_server_s):
    """At RTT 0: seconds of a loop of SETs and of one MSET, the client's CPU in the loop, the server's CPU in MSET."""
    slower, of_loop, of_mset = loop_s / mset_s, loop_client_s / loop_s, mset_server_s / mset_s
    seen = (f"with no distance the loop takes ~{times(slower)} the time of MSET, and the client's own CPU is "
            f"~{100 * of_loop:.0f}% of it. Even of MSET's time the server computes only ~{100 * of_mset:.0f}%")
    if slower >= TENFOLD:
        return Verdict(HOLDS, seen)
    return Verdict(DEPENDS if slower >= TWICE else FAILS, seen)


@judge("E3", "Reads behave as writes do.")
def e3(write_pipeline, write_multi, read_pipeline, read_multi):
    """Gains over a loop at the same distance: a pipeline of SETs, MSET, a pipeline of GETs, MGET."""
    factors = [max(a / b, b / a) for a, b in ((write_pipeline, read_pipeline), (write_multi, read_multi))]
    seen = (f"over a loop, a pipeline gains ~{times(write_pipeline)} on writes and ~{times(read_pipeline)} on reads, "
            f"MSET ~{times(write_multi)} and MGET ~{times(read_multi)}")
    alike = sum(factor <= ALIKE for factor in factors)
    return Verdict((FAILS, DEPENDS, HOLDS)[alike], seen)
