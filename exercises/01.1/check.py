"""Chapter 01: the ceiling, one turn instead of many, and the RTT behind two published times."""

import random
from collections.abc import Iterator

import redis

from ...arguments import shown
from ...tracing.cost import cost_and_result
from ...words import counted
from ..checking import Refused, exercise_client, first_difference, refuse_over, refuse_pipelines
from ..exercises import exercise

# 01.1
CEILINGS = ((1, 1), (250, 1), (0.25, 1), (5, 8), (20, 50))  # (RTT in ms, connections that each wait)
# 01.2
USERS = range(20)
PAIRING = "Each user needs what a GET of the name replied and what an INCR of the visits replied, in the order of users."
# 01.3
PAIRS = ((20, 10.0, 0.125), (8, 8.0, 0.040))  # made up: turns, RTT in ms, the set-up in seconds that both times hold
OWN_SHARE = 0.03  # of a turn: who takes off the client's work for it, as lab.hidden_distance does, is right too
PINGS = 8
SET_UP = "The pipeline's time holds the same set-up. What is left when you take the one time from the other?"
MYSTERIES_MS = (4.0, 5.5, 7.0, 8.5)


@exercise("01.1", "write ceiling(rtt_ms, connections): the most requests a second that they can make", (
    "A connection that waits makes one request in each round trip. How many round trips fit into a second?",
    "The RTT is in milliseconds: 1000 / rtt_ms round trips fit into a second. Each connection makes that many requests.",
    "return connections * 1000 / rtt_ms",
))
def ceiling(answer):
    for rtt_ms, connections in CEILINGS:
        right = connections * 1000 / rtt_ms
        said = number(answer(rtt_ms, connections), f"ceiling({rtt_ms}, {connections})", "number")
        if not near(said, right) and said != int(right):
            raise Refused(*why_not_the_ceiling(rtt_ms, connections, said, right))
    return f"ceiling(250, 1) is {answer(250, 1):g} and ceiling(5, 8) is {answer(5, 8):,g} requests a second"


def why_not_the_ceiling(rtt_ms, connections, said, right):
    call = f"ceiling({rtt_ms}, {connections}) returned {said:g}; it is {right:,g}"
    if near(said * 1000, right):
        return (f"{call}. That is the number for an RTT in seconds, and this one is in milliseconds",
                "A second has 1000 milliseconds.")
    if connections > 1 and near(said * connections, right):
        return (f"{call}. That is right for 1 connection, and here {connections} wait side by side",
                "While one waits, the others go on. Each makes as many requests as one alone would.")
    if near(said, right * 2) or near(said, right / 2):
        return f"{call}. Factor 2: an RTT is already there and back", "One request takes one RTT, no more and no less."
    return (call,)


def near(said, right, tolerance=0.01):
    return abs(said - right) <= tolerance * right


def number(said, call, wanted):
    """What a call returned, if it is a number. Raises Refused otherwise."""
    if not isinstance(said, (int, float)) or isinstance(said, bool):
        raise Refused(f"{call} returned {said!r}, not a {wanted}", f"Let the function return the {wanted} itself, not print it.")
    return said


@exercise("01.2", "write page(r, users) so that it returns the same as today's version, in one round trip", (
    "Nothing here needs an earlier reply to be built. So what stops you from sending it all before you read?",
    "pipe = r.pipeline(transaction=False); queue a GET and an INCR for each user; execute() returns one flat list of replies.",
    "replies = pipe.execute(), then list(zip(replies[::2], replies[1::2])): even places are names, odd ones visits.",
))
def page(answer):
    names = [f"exercise:name:{user}" for user in USERS]
    visits = [f"exercise:visits:{user}" for user in USERS]
    with exercise_client(decode_responses=True) as client:
        client.mset({key: f"user {i}" for i, key in enumerate(names)} | {key: 10 * i for i, key in enumerate(visits)})
        pages = []  # kept here, so that what lab.count would refuse is told by this exercise's own words
        cost, _ = cost_and_result(lambda r: pages.append(answer(r, list(USERS))), client)
        after = [int(value) for value in client.mget(visits)]
    check_page(*pages, after)
    refuse_over(cost, 1)
    return f"{len(USERS)} users in 1 round trip, {counted(cost.commands, 'command')}"


def check_page(got, after):
    """Raises Refused unless `got` is [(name, visits after counting), ...] and every visit was counted once."""
    right = [(f"user {i}", 10 * i + 1) for i in USERS]
    refuse_pipelines(got)
    flat = [each for pair in right for each in pair]
    if not isinstance(got, list):
        what = f"a {type(got).__name__}, which can be read once only" if isinstance(got, Iterator) else shown(got)
        raise Refused(f"page returned {what}; today's version returns a list with one (name, visits) for each user",
                      "list(...) makes a list of whatever can be read in order; return that.")
    if got == flat:
        raise Refused("one flat list of replies; the page wants a (name, visits) pair for each user",
                      "The replies alternate: name, visits, name, visits. replies[::2] is every other one, from the first.",
                      "list(zip(replies[::2], replies[1::2])) puts each name beside its visits.")
    if any(isinstance(pair, list) for pair in got):
        raise Refused(f"page returned {shown(got[0])} for a user where today's version returns a tuple",
                      "zip makes tuples: list(zip(names, visits)). Or tuple(pair) for each pair.")
    said = [(pair[0], int(pair[1])) if is_pair(pair) else pair for pair in got]
    if said != right:
        first = first_difference(said, right)
        if first is None:
            raise Refused(f"{len(said)} entries for {len(right)} users", PAIRING)
        raise Refused(f"user {first}: returned {shown(said[first])} where today's version returns {right[first]!r}", PAIRING)
    if after != [visit for _, visit in right]:
        raise Refused("right values, but the visit counters in Redis are not what INCR would have left",
                      "Today's version sends one INCR a user, no more and no less. Queue just that.")


def is_pair(pair):
    return isinstance(pair, tuple) and len(pair) == 2 and str(pair[1]).lstrip("-").isdigit()


@exercise("01.3", "write hidden_rtt(turns, loop_s, pipeline_s): the round trip in milliseconds behind two measured times", (
    "Both times hold the same set-up. What is left when you take the one from the other?",
    "loop_s - pipeline_s is turns - 1 round trips: the pipeline made one turn, and the set-up cancels.",
    "return (loop_s - pipeline_s) / (turns - 1) * 1000",
))
def hidden_rtt(answer):
    for turns, rtt_ms, set_up_s in PAIRS:
        loop_s = set_up_s + turns * rtt_ms / 1000
        said = number(answer(turns, loop_s, set_up_s + rtt_ms / 1000), "hidden_rtt", "number of milliseconds")
        if not near(said, rtt_ms, OWN_SHARE):
            raise Refused(*why_not_the_distance(said, rtt_ms, turns, loop_s))
    rtt_ms = random.choice(MYSTERIES_MS)
    found = answer(PINGS, *mystery(rtt_ms))
    return f"both made-up pairs are right; on a mystery link you found ~{found:.2f} ms, and it was set to ~{rtt_ms:g} ms"


def why_not_the_distance(said, right, turns, loop_s):
    call = f"for {turns} turns you found {said:.4g} ms where the link has {right:g} ms"
    if near(said * 1000, right, 0.02):
        return f"{call}. That is in seconds, and the answer is in milliseconds", "A second has 1000 milliseconds."
    if near(said, loop_s / turns * 1000, 0.001):
        return f"{call}. You spread the whole time over {turns} turns, but it holds the set-up of a connection too", SET_UP
    if near(said * turns, right * (turns - 1), 0.001):
        return (f"{call}. The difference of the two times is {turns - 1} round trips, not {turns}: the pipeline made one as well",
                "How many turns did the loop make more than the pipeline?")
    return (call,)


def mystery(rtt_ms):
    """(seconds of a loop of PINGs, of one pipeline of them), each on a connection opened within the time."""
    from ...timing.comparison import compare

    times = compare({"loop": fresh(loop_of_pings), "pipeline": fresh(pipeline_of_pings)}, rtt_ms=rtt_ms, rounds=3, same=False)
    return min(times.rounds("loop")), min(times.rounds("pipeline"))


def fresh(work):
    """`work` on a new connection that is closed afterwards."""
    def run(client):
        pool = client.connection_pool
        with redis.Redis.from_pool(redis.ConnectionPool(pool.connection_class, **pool.connection_kwargs)) as own:
            work(own)
    return run


def loop_of_pings(r):
    for _ in range(PINGS):
        r.ping()


def pipeline_of_pings(r):
    pipe = r.pipeline(transaction=False)
    for _ in range(PINGS):
        pipe.ping()
    pipe.execute()
