"""Check exercise 14.2: write two variants of the same work that differ in one thing only."""

from lab_utils.course.checking import (
    Attempt,
    Refused,
    clean,
    counted,
    exercise_client,
    refuse_other_list,
)

KEYS = {f"exercise:{i}": b"x" * 1_000 for i in range(100)}


def check(answer) -> str:
    loop_of, pipeline_of = answer()
    with exercise_client() as client:
        loop = check_arm(client, "loop", loop_of, len(KEYS))
        pipeline = check_arm(client, "pipeline", pipeline_of, 1)
    refuse_other_list(pipeline, loop, "right keys, but compared with the loop the pipeline")
    return (
        f"both write {len(KEYS)} keys in {len(KEYS)} commands; one waits {len(KEYS)} times, "
        "the other once"
    )


def check_arm(client, name: str, fn, turns: int) -> list:
    """Call `fn(client)`, one of the learner's two variants; return the commands sent, sorted.

    A command is a list of bytes. `client` is a redis.Redis; `name`, "loop" or "pipeline", is the
    variant's in messages. Raises Refused unless the variant sends one SET for each key, in `turns`
    round trips, over the connection of that client.
    """
    clean(client)
    attempt = Attempt(fn, client)
    cost = attempt.cost
    if cost.connections:
        raise Refused(
            f"the {name} opens {counted(cost.connections, 'connection')} of its own: "
            f"{counted(cost.handshake_trips, 'round trip')} that the other variant does "
            "not make"
        )
    check_keys(client, name)
    if cost.commands != len(KEYS):
        raise Refused(
            f"right keys, but the {name} sends {counted(cost.commands, 'command')} for "
            f"{len(KEYS)} keys: one SET a key is the work, and MULTI and EXEC would be a second "
            "change beside the turns"
        )
    if cost.round_trips != turns:
        swapped = cost.round_trips == (1 if turns > 1 else len(KEYS))
        raise Refused(
            f"right keys, but the {name} makes {counted(cost.round_trips, 'round trip')} "
            f"and should make {turns}",
            *["The loop is returned first, the pipeline second: return loop, pipeline"] * swapped,
        )
    return sorted(attempt.commands)


def check_keys(client, name: str) -> None:
    found = {key.decode(): client.get(key) for key in client.scan_iter("exercise:*", count=1_000)}
    if found != KEYS:
        sizes = sorted({len(value) for value in found.values()})
        raise Refused(
            f"the {name} leaves {counted(len(found), 'key')} with values of {sizes} bytes; the "
            f"work is {len(KEYS)} keys, exercise:0 to exercise:99, of 1,000 times x"
        )
