"""Check exercise 01.3: compute the RTT that explains two published times."""

import random

import redis

import lab_utils as lab
from lab_utils.course.checking import NUMBER, Refused, near, of_kind

# made up: turns, RTT in ms, the set-up in seconds that both times hold
PAIRS = ((20, 10.0, 0.125), (8, 8.0, 0.040), (1_001, 0.4, 0.020))
# of a turn: who takes off the client's work for it, as hidden_distance does, is right too
OWN_SHARE = 0.03
PINGS = 8
SET_UP = (
    "The pipeline's time holds the same set-up. What is left when you take the one time from "
    "the other?"
)
MYSTERIES_MS = (4.0, 5.5, 7.0, 8.5)


def check(answer) -> str:
    for turns, rtt_ms, set_up_s in PAIRS:
        loop_s = set_up_s + turns * rtt_ms / 1000
        said = of_kind(
            NUMBER,
            answer(turns, loop_s, set_up_s + rtt_ms / 1000),
            "hidden_rtt",
            "a number of milliseconds",
        )
        if not near(said, rtt_ms, OWN_SHARE):
            raise Refused(*why_not_the_distance(said, rtt_ms, turns, loop_s))
    rtt_ms = random.choice(MYSTERIES_MS)
    found = answer(PINGS, *mystery(rtt_ms))
    return (
        f"both made-up pairs are right; on a mystery link you found ~{found:.2f} ms, and it "
        f"was set to ~{rtt_ms:g} ms"
    )


def why_not_the_distance(said: float, right: float, turns: int, loop_s: float) -> tuple[str, ...]:
    call = f"for {turns} turns you found {said:.4g} ms where the link has {right:g} ms"
    if near(said * 1000, right, 0.02):
        return (
            f"{call}. That is in seconds, and the answer is in milliseconds",
            "A second has 1000 milliseconds.",
        )
    if near(said, loop_s / turns * 1000, 0.001):
        return (
            f"{call}. You spread the whole time over {turns} turns, but it holds the set-up of "
            "a connection too",
            SET_UP,
        )
    if near(said * turns, right * (turns - 1), 0.001):
        return (
            f"{call}. The difference of the two times is {turns - 1} round trips, not {turns}: "
            "the pipeline made one as well",
            "How many turns did the loop make more than the pipeline?",
        )
    return (call,)


def mystery(rtt_ms: float) -> tuple[float, float]:
    """Measure 8 PINGs at an RTT of `rtt_ms` ms: return (seconds in a loop, seconds in a pipeline).

    Both are seconds for all 8, the smallest of 3 rounds, the opening of a connection included.
    """
    times = lab.compare(
        {"loop": loop_of_pings, "pipeline": pipeline_of_pings}, rtt_ms=rtt_ms, rounds=3, same=False
    )
    return min(times.rounds("loop")), min(times.rounds("pipeline"))


def fresh(client: redis.Redis) -> redis.Redis:
    """Return a new redis.Redis with the options of `client`; its connection is not open yet."""
    pool = client.connection_pool
    return redis.Redis.from_pool(
        redis.ConnectionPool(pool.connection_class, **pool.connection_kwargs)
    )


def loop_of_pings(client: redis.Redis) -> None:
    with fresh(client) as r:
        for _ in range(PINGS):
            r.ping()


def pipeline_of_pings(client: redis.Redis) -> None:
    with fresh(client) as r, r.pipeline(transaction=False) as pipe:
        for _ in range(PINGS):
            pipe.ping()
        pipe.execute()
