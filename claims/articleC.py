"""Judge the claims of article C: each claim, its judge, and test cases for and against.

A judge is a function of measurements. It returns a Verdict: one of the words "holds", "depends",
"does not hold" and "untested", with a sentence that gives the measured reason.
"""

from lab_utils.course.claims import DEPENDS, FAILS, HOLDS, Verdict, by_degree, cases, judge
from lab_utils.words import counted, duration, milliseconds, times

ARTICLE = "Redis Pipeline and the round trip (30 March 2023)"

NO_GAIN = 1.2  # times faster: a ratio below is no gain
# C1: times the client's rate that the server must manage to call the client's wait the limit
SERVER_HAS_ROOM = 20
ABOVE = 1.1  # C1: times the ceiling
FAR_LESS = 0.7  # C4: of the memory
NEARLY_AS_FAST = 1.2  # C4: times the time of all at once
BENEFIT = 3  # C5: what the server must save in CPU for "read and write calls matter"
SEEN_TOO = 2  # C6: up to this factor above or below, a published gain is seen here too
SLOWER = 1.2  # C8: times the time of batches


@judge(
    "C1",
    "01",
    "At an RTT of 250 ms, a client that sends one request after another gets at most 4 a second.",
    "the distance",
    after="redis.io's page “Redis pipelining”",
)
def c1(rtt_ms: float, request_s: float, served_s: float) -> Verdict:
    """Judge C1 by the seconds of a request on a connection that waits for each reply (`request_s`).

    The RTT is `rtt_ms` ms. `served_s` is the seconds that the server takes for a command if it
    never waits, measured in one large pipeline. The claim does not hold if the connection gets
    clearly more than 1/RTT requests a second, depends if the server is less than twenty times as
    fast as the connection, and else holds.
    """
    rate, ceiling, served = 1 / request_s, 1000 / rtt_ms, 1 / served_s
    seen = f"one connection that waits got ~{rate:,.1f} requests a second at {milliseconds(rtt_ms)}"
    adds = (
        f"the same server answered a pipeline at ~{served:,.0f} a second: it is the limit of a "
        "connection that waits, not of the client or of the server"
    )
    if rate >= ABOVE * ceiling:
        return Verdict(FAILS, f"{seen}, and 1/RTT is no ceiling", adds)
    if served < SERVER_HAS_ROOM * rate:
        return Verdict(
            DEPENDS,
            f"on the server: {seen}, and the server is as much the limit as the distance",
            adds,
        )
    return Verdict(HOLDS, seen, adds)


cases(
    "C1",
    (HOLDS, {"rtt_ms": 250, "request_s": 0.2503, "served_s": 5e-6}),
    (FAILS, {"request_s": 0.2}),
    (DEPENDS, {"request_s": 0.26, "served_s": 0.1}),
)


@judge("C2", "01", "A pipeline makes one network trip of N.")
def c2(commands: int, loop_trips: int, pipeline_trips: int) -> Verdict:
    seen = (
        f"{counted(commands, 'command')}: {counted(loop_trips, 'round trip')} in a loop, "
        f"{pipeline_trips:,} in a pipeline"
    )
    if pipeline_trips == 1 and loop_trips == commands:
        return Verdict(HOLDS, seen)
    if pipeline_trips < loop_trips:
        return Verdict(DEPENDS, f"on the client: {seen}, fewer, but not N to 1")
    return Verdict(FAILS, seen)


cases(
    "C2",
    (HOLDS, {"commands": 100, "loop_trips": 100, "pipeline_trips": 1}),
    (DEPENDS, {"pipeline_trips": 7}),
    (FAILS, {"pipeline_trips": 100}),
)


@judge(
    "C3",
    "10",
    "When the data sent exceeds the input buffer's limit, 1 GB by default, the "
    "server closes the client.",
    "the command",
)
def c3(
    default_bytes: int, limit_bytes: int, one_cut: bool, pipeline_cut: bool, multi_cut: bool
) -> Verdict:
    """Judge C3 by whether the server closed a client that sent more than its limit, `limit_bytes`.

    "cut" is True if it did: for one command, a plain pipeline, and a transaction (MULTI). The claim
    holds if all three were cut off, depends if some were, and else does not hold. `default_bytes`
    is the server's default limit.
    """
    seen = (
        f"with a limit of {limit_bytes:,} bytes, and more than that sent, one large command "
        f"{was_cut(one_cut)}, a plain pipeline {was_cut(pipeline_cut)}, a transaction "
        f"{was_cut(multi_cut)}"
    )
    adds = f"the limit is a setting, client-query-buffer-limit: {default_bytes:,} bytes by default"
    if one_cut and pipeline_cut and multi_cut:
        return Verdict(HOLDS, seen, adds)
    if one_cut or pipeline_cut or multi_cut:
        return Verdict(
            DEPENDS, f"on what the server has to keep, not on what is sent: {seen}", adds
        )
    return Verdict(FAILS, f"{seen}. Nobody was cut off", adds)


def was_cut(cut: bool) -> str:
    return "was cut off" if cut else "passed"


cases(
    "C3",
    (
        DEPENDS,
        {
            "default_bytes": 1_073_741_824,
            "limit_bytes": 1_048_576,
            "one_cut": True,
            "pipeline_cut": False,
            "multi_cut": True,
        },
    ),
    (HOLDS, {"pipeline_cut": True}),
    (FAILS, {"one_cut": False, "multi_cut": False}),
)


@judge(
    "C4",
    "03",
    "Batches of 10,000, for example, are nearly as fast, and the server queues only their replies.",
    "the size",
    after="redis.io's page “Redis pipelining”",
    margin=1.2,
)
def c4(
    batch_times: float,
    all_at_once_s: float,
    smaller_s: float,
    batch_bytes: int,
    all_at_once_bytes: int,
    smaller_bytes: int,
    batch_queued_bytes: int,
    all_queued_bytes: int,
) -> Verdict:
    """Judge C4 by 20,000 commands in batches of 10,000, beside all at once and batches of 1,000.

    `batch_times` is the time of batches of 10,000 divided by that of all at once. "_s" are seconds
    for all commands, "_bytes" the peak bytes of the client's memory, and "_queued_bytes" the bytes
    of replies that waited at the server. "smaller" are batches of 1,000. The claim holds if batches
    of 10,000 are nearly as fast and far fewer replies wait, depends if one of the two is so, and
    else does not hold.
    """
    share = batch_queued_bytes / all_queued_bytes
    seen = (
        f"batches of 10,000 took ~{times(batch_times)} the time of 20,000 at once; "
        f"of as many replies of 1,000 bytes, ~{batch_queued_bytes / 1e6:.1f} MB waited at the "
        f"server instead of ~{all_queued_bytes / 1e6:.1f} MB"
    )
    client, smaller = (100 * held / all_at_once_bytes for held in (batch_bytes, smaller_bytes))
    adds = (
        f"batches of 1,000 took ~{times(smaller_s / all_at_once_s)} the time. They need "
        f"~{smaller:.0f}% of the client's memory, batches of 10,000 ~{client:.0f}%. Speed "
        "stops growing long before memory does"
    )
    fast, small = batch_times <= NEARLY_AS_FAST, share <= FAR_LESS
    return by_degree(fast and small, fast or small, "the size", seen, adds)


cases(
    "C4",
    (
        HOLDS,
        {
            "all_at_once_s": 0.139,
            "smaller_s": 0.157,
            "batch_bytes": 2400000.0,
            "all_at_once_bytes": 4600000.0,
            "smaller_bytes": 250000.0,
            "all_queued_bytes": 16_300_000,
            "batch_times": 1.01,
            "batch_queued_bytes": 6_300_000,
        },
    ),
    (DEPENDS, {"batch_queued_bytes": 16_000_000}),
    (DEPENDS, {"batch_times": 1.3}),
    (FAILS, {"batch_times": 2.4, "batch_queued_bytes": 16_000_000}),
)


@judge(
    "C5",
    "03",
    "Beyond the RTT, a pipeline raises what a server can do, by fewer read() and write() calls.",
    "the client",
    after="redis.io's page “Redis pipelining”",
)
def c5(
    loop_s: float, pipeline_s: float, server_us: dict[int, float], calls: tuple[tuple, tuple]
) -> Verdict:
    """Judge C5 by a loop and a pipeline of the same commands at RTT 0.

    `loop_s` and `pipeline_s` are seconds for all commands. `server_us` is {commands in a batch: the
    server's CPU time in µs a command}, for 1, 10 and 1,000 commands. `calls` has two pairs, for the
    loop and for the pipeline: numbers of the server's (read calls, write calls), each None if other
    clients used the server too. The claim does not hold if the pipeline is not clearly faster. It
    depends in three cases: a command takes more CPU time in a batch of 10 than alone, or more than
    a third of it in a batch of 1,000, or the pipeline needs as many calls as the loop. Else it
    holds.
    """
    wall, grown = loop_s / pipeline_s, server_us[1] / server_us[10]
    saved, (single, whole) = server_us[1] / server_us[1_000], calls
    known = None not in (*single, *whole)
    called = (
        f", with ~{single[0]:,} read and ~{single[1]:,} write calls one by one, "
        f"~{whole[0]:,} and ~{whole[1]:,} in a pipeline"
        if known
        else ""
    )
    seen = (
        f"with no distance the server's CPU for a command shrank ~{times(grown)} in pipelines "
        f"of ten, ~{times(saved)} in one of all{called}"
    )
    adds = (
        f"a client in Python gets ~{times(wall)} the commands a second, for redis-py still "
        "builds each of them. The article's 10 times is read off a figure, of a machine that "
        "it does not name"
    )
    if wall < NO_GAIN:
        return Verdict(FAILS, f"{seen}, and the throughput did not grow", adds)
    fewer = whole[0] < single[0] and whole[1] < single[1] if known else True
    if min(grown, saved / BENEFIT) < 1 or not fewer:
        return Verdict(DEPENDS, f"on the client: {seen}, so the gain is not the server's", adds)
    return Verdict(HOLDS, seen, adds)


cases(
    "C5",
    (
        HOLDS,
        {
            "loop_s": 0.031,
            "pipeline_s": 0.007,
            "server_us": {1: 5.6, 10: 1.5, 1_000: 0.4},
            "calls": [(1_000, 1_000), (2, 2)],
        },
    ),
    (HOLDS, {"calls": [(None, None), (None, None)]}),
    (DEPENDS, {"calls": [(1_000, 1_000), (2, 1_000)]}),
    (DEPENDS, {"server_us": {1: 5.6, 10: 6.6, 1_000: 0.4}}),
    (DEPENDS, {"server_us": {1: 5.6, 10: 5.4, 1_000: 5.0}}),
    (FAILS, {"pipeline_s": 0.03, "server_us": {1: 5.6, 10: 5.6, 1_000: 5.5}}),
)


@judge(
    "C6",
    "13",
    "100 PINGs, connection included, take 0.791 s one by one and 0.132 s in a pipeline.",
    "the distance",
)
def c6(rtt_ms: float, published_gain: float, connecting_gain: float, open_gain: float) -> Verdict:
    """Judge C6 by the gain of a pipeline: the time of the loop divided by that of the pipeline.

    There are three gains: the published one, the one here if loop and pipeline each open a
    connection, and the one on a connection that is already open. `rtt_ms` is the RTT computed from
    the published times; it and `open_gain` are only told. The claim holds if `connecting_gain` is
    within a factor of two of the published one, depends if it is above 1, and else does not hold.
    """
    seen = (
        f"at the fitted RTT of ~{rtt_ms:.2g} ms the pipeline gains ~{times(connecting_gain)} "
        "when each arm opens its own connection; the published figures make "
        f"~{times(published_gain)} (our division)"
    )
    adds = (
        f"on a connection that is open the gain is ~{times(open_gain)}: most of the published "
        "0.132 s is set-up, if the fit is right. Both figures went into it, so neither is "
        "evidence"
    )
    seen_too = published_gain / SEEN_TOO <= connecting_gain <= published_gain * SEEN_TOO
    return by_degree(seen_too, connecting_gain >= NO_GAIN, "what a connection costs", seen, adds)


cases(
    "C6",
    (HOLDS, {"rtt_ms": 6.6, "published_gain": 6, "connecting_gain": 6.1, "open_gain": 93}),
    (DEPENDS, {"connecting_gain": 18}),
    (DEPENDS, {"connecting_gain": 2.0}),
    (FAILS, {"connecting_gain": 1, "open_gain": 1.1}),
)


@judge(
    "C7",
    "07",
    "For reading, computing and writing, a Lua script is in some cases more "
    "effective than a pipeline.",
    "the size",
    after="redis.io's page “Redis pipelining”",
)
def c7(
    watch_turns: int,
    lua_turns: int,
    near_watch_s: float,
    near_lua_s: float,
    far_watch_s: float,
    far_lua_s: float,
    far_rtt_ms: float,
    pipeline_wait_s: float,
    script_wait_s: float,
    items: int,
) -> Verdict:
    """Judge C7 by one read, computation and write, made with WATCH and made by a Lua script.

    "turns" are round trips; "_s" are seconds, "near" at RTT 0 and "far" at an RTT of `far_rtt_ms`
    ms. "wait" is how many seconds another client waited for its reply while the same was done to
    `items` keys, by pipelines and by one script. The claim holds if the script takes fewer round
    trips and is clearly faster near or far, and else does not hold.
    """
    near, far = near_watch_s / near_lua_s, far_watch_s / far_lua_s
    seen = (
        f"one piece of work takes {counted(lua_turns, 'round trip')} against {watch_turns:,} "
        f"by a pipeline with WATCH, and is ~{far:.1f}x as fast at {milliseconds(far_rtt_ms)}, "
        f"~{near:.1f}x without distance"
    )
    turn = round(items * far_rtt_ms / 1000 / script_wait_s)
    adds = (
        f"everybody waits while a script runs: over {items:,} keys a bystander waited "
        f"{duration(script_wait_s)}, by pipelines {duration(pipeline_wait_s)}. From ~{turn:,} "
        f"keys in one script on, that is longer than a trip of {milliseconds(far_rtt_ms)}"
    )
    effective = lua_turns < watch_turns and max(near, far) >= NO_GAIN
    return Verdict(HOLDS if effective else FAILS, seen, adds)


cases(
    "C7",
    (
        HOLDS,
        {
            "watch_turns": 3,
            "lua_turns": 1,
            "near_watch_s": 1e-4,
            "near_lua_s": 4e-5,
            "far_watch_s": 0.0031,
            "far_lua_s": 0.00105,
            "far_rtt_ms": 1,
            "pipeline_wait_s": 4e-4,
            "script_wait_s": 0.01,
            "items": 10_000,
        },
    ),
    (HOLDS, {"near_watch_s": 4.1e-5}),
    (FAILS, {"watch_turns": 1}),
    (FAILS, {"near_watch_s": 4.1e-5, "far_watch_s": 0.00105}),
)


@judge(
    "C8",
    "10",
    "Too many commands at once may hurt, and buffers have limits: don't use too many.",
    "the size",
)
def c8(
    at_once_s: float,
    batches_s: float,
    queued_bytes: int,
    cut_off: bool,
    commands: int,
    pipeline_worst_s: float,
    multi_worst_s: float,
) -> Verdict:
    """Judge C8 by the same reads in one pipeline and in batches, in seconds for all of them.

    The claim holds if the server closed the client (`cut_off`) or the one pipeline was clearly
    slower than the batches, and else does not hold. The other arguments are for the sentence:
    `queued_bytes` is how many bytes of the pipeline's replies waited at the server. "worst" is the
    seconds of another client's slowest PING while `commands` SETs ran, in a plain pipeline and in
    one MULTI.
    """
    seen = (
        f"one long pipeline took {duration(at_once_s)}, batches {duration(batches_s)}; "
        f"~{queued_bytes / 1e6:.0f} MB of replies waited at the server. Redis limits them for "
        "ordinary clients only where it is told to; with a limit of the lab's own the client "
        f"{was_cut(cut_off)}. The lab's link never congests: that part is untested"
    )
    adds = (
        f"others: beside {counted(commands, 'SET')} a bystander's slowest PING took "
        f"{duration(pipeline_worst_s)} in a plain pipeline, {duration(multi_worst_s)} in one "
        "MULTI"
    )
    hurt = cut_off or at_once_s >= SLOWER * batches_s  # he says that it may, and that limits exist
    return Verdict(HOLDS if hurt else FAILS, seen, adds)


cases(
    "C8",
    (
        HOLDS,
        {
            "at_once_s": 0.062,
            "batches_s": 0.055,
            "queued_bytes": 36_000_000,
            "cut_off": True,
            "commands": 100_000,
            "pipeline_worst_s": 0.004,
            "multi_worst_s": 0.038,
        },
    ),
    (HOLDS, {"at_once_s": 0.09, "cut_off": False}),
    (FAILS, {"at_once_s": 0.05, "cut_off": False}),
)


@judge(
    "C9",
    "04",
    "A pipeline can't guarantee atomicity: other clients' commands may run in its midst.",
    "a default of the client",
)
def c9(looks: int, plain_midst: int, default_midst: int) -> Verdict:
    """Judge C9 by how often a second client saw a plain batch half done: holds if it ever did.

    All three are counts. The second client looked `looks` times at plain batches, and saw a
    half-done one `plain_midst` times. `default_midst` is that number for as many batches by
    redis-py's default, a transaction; it is only told.
    """
    seen = (
        "of pipelines with transaction=False, a second client that looked "
        f"~{looks:,} times found one half done ~{plain_midst:,} times"
    )
    adds = (
        "redis-py's pipeline() wraps it in a transaction by default, the remedy that the "
        f"article names: in as many batches found half done {default_midst:,} times"
    )
    return Verdict(HOLDS if plain_midst else FAILS, seen, adds)


cases(
    "C9",
    (HOLDS, {"looks": 400, "plain_midst": 120, "default_midst": 0}),
    (FAILS, {"plain_midst": 0}),
)


@judge(
    "C10",
    "04",
    "When a command in a pipeline fails, the later ones still run; there is no rollback.",
    "a default of the client",
)
def c10(
    commands: int,
    run_time_plain: int,
    run_time_multi: int,
    queue_time_plain: int,
    queue_time_multi: int,
) -> Verdict:
    """Judge C10 by how many of `commands` commands took effect when one of them failed.

    All are counts of commands. That one failed when it ran ("run_time") or when it was queued
    ("queue_time"), in a plain pipeline ("plain") or in MULTI ("multi"). The claim holds if all the
    others took effect in the plain pipeline in both cases, and else does not hold.
    """
    rest = commands - 1
    seen = (
        f"of {rest} good commands around a wrong one, a plain pipeline applied "
        f"{run_time_plain} where a type was wrong and {queue_time_plain} where a command was "
        "unknown"
    )
    adds = (
        f"redis-py's default is a transaction, and applied {run_time_multi} and "
        f"{queue_time_multi}: it does not roll back either, but what the server notices while "
        "it queues spoils all of it"
    )
    return Verdict(HOLDS if run_time_plain == queue_time_plain == rest else FAILS, seen, adds)


cases(
    "C10",
    (
        HOLDS,
        {
            "commands": 3,
            "run_time_plain": 2,
            "run_time_multi": 2,
            "queue_time_plain": 2,
            "queue_time_multi": 0,
        },
    ),
    (FAILS, {"queue_time_plain": 1}),
)


@judge(
    "C11",
    "04",
    "Don't use a pipeline where an earlier and a later command depend on each other.",
    "the command",
)
def c11(results_before_execute: int, turns: int, effects_kept: bool) -> Verdict:
    """Judge C11 by how many of a pipeline's replies the client could read before execute().

    That number is `results_before_execute`: unless it is 0, the claim does not hold. `effects_kept`
    is whether a later command of the pipeline saw what an earlier one wrote: the claim depends if
    it did, and holds if not. `turns` is the pipeline's number of round trips.
    """
    seen = (
        f"{counted(results_before_execute, 'result')} could be read before execute(), in a "
        f"pipeline of {counted(turns, 'round trip')}"
    )
    adds = (
        "a transaction does not mend the first kind: in MULTI the replies come with EXEC, when "
        "all has been sent"
    )
    if results_before_execute:
        return Verdict(FAILS, seen, adds)
    if not effects_kept:
        return Verdict(
            HOLDS, f"{seen}, and a later command did not find what an earlier one had written", adds
        )
    return Verdict(
        DEPENDS,
        f"on what the later command needs: {seen}, so a command can't be built "
        "from an earlier reply. One that needs only an earlier effect found it. "
        "Untested here: an earlier one that fails, and a rival in between",
        adds,
    )


cases(
    "C11",
    (DEPENDS, {"results_before_execute": 0, "turns": 1, "effects_kept": True}),
    (HOLDS, {"effects_kept": False}),
    (FAILS, {"results_before_execute": 1}),
)


@judge(
    "C12",
    "11",
    "In a cluster a pipeline with keys of several slots gives errors, -MOVE for one; it may fail.",
    "the client",
)
def c12(
    reply: str,
    commands: int,
    nodes: int,
    plain_failed: int,
    failed: int,
    mset_refused: bool,
    tagged_refused: bool,
) -> Verdict:
    """Judge C12 by a pipeline of `commands` commands for keys on `nodes` nodes of a cluster.

    `plain_failed` of them failed if a plain client sent the pipeline to one node, `failed` if the
    cluster's client sent it. `reply` is the text that a node answers for a key that it does not
    have. `mset_refused` and `tagged_refused` are whether MSET was refused for keys of several
    slots, and for keys with one hash tag. The claim holds if commands fail with both clients,
    depends if only with the plain one, and does not hold if they do not fail.
    """
    seen = (
        f"of {commands} commands for {nodes} nodes, a plain client's pipeline got "
        f"{plain_failed} errors ({reply!r}), the cluster client's {failed}"
    )
    one, tagged = ("refused" if each else "accepted" for each in (mset_refused, tagged_refused))
    adds = (
        f"one MSET over the same keys was {one}, and with one hash tag {tagged}; a transaction "
        "has to stay in one slot too"
    )
    if "MOVE" not in reply or not plain_failed:
        return Verdict(FAILS, seen, adds)
    if failed:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the client: {seen}; it groups by node", adds)


cases(
    "C12",
    (
        DEPENDS,
        {
            "commands": 30,
            "nodes": 3,
            "mset_refused": True,
            "tagged_refused": False,
            "reply": "error MOVED",
            "plain_failed": 17,
            "failed": 0,
        },
    ),
    (HOLDS, {"failed": 17}),
    (FAILS, {"reply": "nil", "plain_failed": 0}),
)


@judge(
    "C13",
    "10",
    "Until all its commands have run, a pipeline has its connection to itself.",
    "a default of the client",
)
def c13(
    queueing: int, executing: int, watching: int, plain_call: int, another_call: str
) -> Verdict:
    """Judge C13 by the number of connections in use: holds if execute() occupies some.

    They are counted while commands are queued (`queueing`), during execute() (`executing`), after
    watch() (`watching`), and during a single call (`plain_call`). `another_call` is the name of the
    error that another call got during execute(), with a pool of one connection; with "no error" the
    claim does not hold.
    """
    adds = (
        f"any single call holds {plain_call}, queueing commands {queueing}, and watch() "
        f"{watching} until you are done. Others take another connection, as long as the pool "
        "has one"
    )
    seen = (
        f"connections in use during execute(): {executing}; with a pool of one, another call "
        f"met {another_call}"
    )
    return Verdict(HOLDS if executing and another_call != "no error" else FAILS, seen, adds)


cases(
    "C13",
    (
        HOLDS,
        {
            "queueing": 0,
            "executing": 1,
            "watching": 1,
            "plain_call": 1,
            "another_call": "MaxConnectionsError",
        },
    ),
    (FAILS, {"another_call": "no error"}),
)


@judge(
    "C14",
    "03",
    "With a high RTT or a loaded server, a pipeline may be slower than single commands.",
)
def c14(near_gain: float, far_gain: float, loaded_gain: float, lossy_gain: float) -> Verdict:
    """Judge C14 by how many times as fast as single commands a pipeline is.

    The gains are at RTT 0 ("near"), at a high RTT ("far"), on a loaded server, and where the
    network loses packets ("lossy"). The claim holds if the pipeline is clearly slower in one of the
    last three, depends if a part of its gain is lost there, and else does not hold.
    """
    seen = (
        f"the pipeline was ~{times(near_gain)} as fast as single commands at RTT 0, "
        f"~{times(far_gain)} at a high RTT, ~{times(loaded_gain)} on a loaded server, "
        f"~{times(lossy_gain)} where packets are lost"
    )
    untested = ". Untested: a network whose bandwidth is used up"
    if min(far_gain, loaded_gain, lossy_gain) < 1 / NO_GAIN:
        return Verdict(HOLDS, f"{seen}{untested}")
    no_more = min(loaded_gain, lossy_gain) < NO_GAIN
    if no_more or far_gain < max(NO_GAIN, near_gain / NO_GAIN):
        return Verdict(
            DEPENDS,
            f"on the load, the distance or the network: {seen}, so a part of the gain is lost"
            f"{untested}",
        )
    dearer = {"at a high RTT": far_gain, "on a loaded server": loaded_gain}
    more = [where for where, gain in dearer.items() if gain > NO_GAIN * near_gain]
    pays_more = f". It paid more {' and '.join(more)} than at RTT 0" if more else ""
    return Verdict(FAILS, f"{seen}{pays_more}{untested}")


cases(
    "C14",
    (FAILS, {"near_gain": 3.0, "far_gain": 9.9, "loaded_gain": 40.0, "lossy_gain": 15.0}),
    (FAILS, {"far_gain": 3.0, "loaded_gain": 3.0}),
    (HOLDS, {"far_gain": 0.7}),
    (HOLDS, {"loaded_gain": 0.7}),
    (DEPENDS, {"far_gain": 1.5}),
    (DEPENDS, {"loaded_gain": 1.1}),
    (HOLDS, {"lossy_gain": 0.7}),
    (DEPENDS, {"lossy_gain": 1.1}),
)
