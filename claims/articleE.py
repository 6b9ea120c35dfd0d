"""Chapter 13: published tables, run again at the distance that was solved from them."""

from ...words import duration, times
from ..claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, judge

ABOUT_TWO_PERCENT = 0.025  # a larger share rounds to more
NO_GAIN = 1.2  # a ratio below is no gain
TENFOLD = 10
CONSIDERABLE = 2  # times faster: a gain that the article calls considerable; its own is 4.25
SEEN_TOO = 2  # up to this factor below a published gain, the gain is seen here too


@judge("A4", "10,000 SETs in a pipeline took about 2% of the time: for bulk inserts it is faster.", "the distance")
def a4(loop_far_s, pipeline_far_s, loop_near_s, pipeline_near_s):
    """Seconds of 10,000 SETs at the article's distance (far) and at RTT 0 (near)."""
    far, near = pipeline_far_s / loop_far_s, pipeline_near_s / loop_near_s
    seen = f"~{100 * far:.1f}% at the article's distance"
    adds = (f"the share varies with the distance: with none it is ~{100 * near:.1f}%, and the client's own CPU is what takes the "
            "time. The distance was solved from the article's loop, so only its pipeline is evidence, and of the "
            "client's cost alone")
    if max(far, near) > 1 / NO_GAIN:
        where = "there" if far > near else f"with no distance, at ~{100 * near:.1f}%,"
        return Verdict(FAILS, f"{seen}, and {where} the pipeline is not clearly faster", adds)
    if far > 1 / TENFOLD:  # the claim is that it is faster; how many hundredths it takes is the client's speed
        return Verdict(DEPENDS, f"on the client: {seen}, so the pipeline saves less here than there", adds)
    if far > ABOUT_TWO_PERCENT:
        seen += ", more than about 2%, since this client takes longer for its part; it is faster more than tenfold still"
    return Verdict(HOLDS, seen, adds)


@judge("B2", "Seven commands take 1.19 ms one by one and 280 µs in a pipeline: a considerable gain.", "a default of the client")
def b2(calls_s, plain_s, default_s):
    """Seconds of the seven commands: one by one, in a plain pipeline, in redis-py's default pipeline."""
    gain, plain = calls_s / default_s, calls_s / plain_s
    seen = f"{duration(calls_s)} one by one, {duration(default_s)} in redis-py's default pipeline, a gain of ~{times(gain)}"
    adds = f"that default is a transaction, so 9 commands left. Without MULTI and EXEC the pipeline took {duration(plain_s)}"
    if gain < NO_GAIN:
        return Verdict(FAILS, f"{seen}: none here", adds)
    if plain < CONSIDERABLE <= gain:
        return Verdict(DEPENDS, f"on the transaction: {seen}, which comes from MULTI", adds)
    if gain < CONSIDERABLE:
        return Verdict(DEPENDS, f"on the distance: {seen}, which is not considerable", adds)
    return Verdict(HOLDS, seen, adds)


@judge("C6", "100 PINGs, connection included, take 0.791 s one by one and 0.132 s in a pipeline.", "the distance")
def c6(rtt_ms, published_gain, connecting_gain, open_gain):
    """Gains are loop over pipeline: as published, here with a connection opened in each arm, and with one already open."""
    seen = (f"at the fitted RTT of ~{rtt_ms:.2g} ms the pipeline gains ~{times(connecting_gain)} when each arm opens its own "
            f"connection; the published figures make ~{times(published_gain)} (our division)")
    adds = (f"on a connection that is open the gain is ~{times(open_gain)}: most of the published 0.132 s is set-up, if the fit "
            "is right. Both figures went into it, so neither is evidence")
    if connecting_gain >= published_gain / SEEN_TOO:
        return Verdict(HOLDS, seen, adds)
    if connecting_gain >= NO_GAIN:
        return Verdict(DEPENDS, f"on what a connection costs: {seen}", adds)
    return Verdict(FAILS, seen, adds)


@judge("E1", "Of 10,000 writes, batches are 10 times faster or more, and one MSET of all is faster still.", "the distance")
def e1(loop_s, hundreds_s, once_s, constants_s, hundreds_work_s, once_work_s):
    """Seconds as the article timed them (`number=1`), of import and connection alone, and of the work without them."""
    seen = f"{duration(loop_s)} one by one, {duration(hundreds_s)} by hundreds and {duration(once_s)} at once"
    adds = (f"the article's timer holds the import and the connection too, here {duration(constants_s)}. The work alone took "
            f"{duration(hundreds_work_s)} by hundreds and {duration(once_work_s)} at once, a step of "
            f"~{times(hundreds_work_s / once_work_s)}")
    if loop_s <= constants_s:  # of writes alone nothing is left: the whole was measured as short as a part of it
        return Verdict(UNTESTED, "writing one by one took no longer than importing and connecting, which only a "
                                 f"disturbed machine measures: {seen}", adds)
    tenfold, still_faster = loop_s >= TENFOLD * hundreds_s, hundreds_work_s >= NO_GAIN * once_work_s
    if tenfold and still_faster:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the distance: {seen}", adds) if tenfold or still_faster else Verdict(FAILS, seen, adds)
