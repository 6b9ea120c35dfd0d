"""Check exercise 04.1: move money between two accounts in one transaction."""

from redis.backoff import NoBackoff
from redis.retry import Retry

from lab_utils.course.checking import (
    Attempt,
    Refused,
    counted,
    exercise_client,
    refuse_over,
    refuse_pieces,
)

ALICE, BOB = "exercise:alice", "exercise:bob"
TRANSFERS = (
    (100, 20, 30),
    (7, 0, 7),
    (1_000_000, -500, 250_000),
)  # alice's and bob's money before, the amount


def check(answer) -> str:
    with exercise_client(retry=Retry(NoBackoff(), 0)) as client:
        client.mset({ALICE: 1, BOB: 1})
        answer(client, ALICE, BOB, 1)  # opens what it opens, loads what it loads
        for alice, bob, amount in TRANSFERS:
            client.mset({ALICE: alice, BOB: bob})
            attempt = Attempt(answer, client, ALICE, BOB, amount)
            check_transfer(client, attempt, alice, bob, amount)
    return (
        f"both accounts in 1 round trip, {counted(attempt.cost.commands, 'command')}, and "
        "nobody sees the money in between"
    )


def check_transfer(client, attempt: Attempt, alice: int, bob: int, amount: int) -> None:
    after = [int(value or 0) for value in client.mget(ALICE, BOB)]
    right = [alice - amount, bob + amount]
    if after != right:
        raise Refused(
            f"{amount} from {alice} to {bob} left {after[0]} and {after[1]}; it should "
            f"leave {right[0]} and {right[1]}",
            "A pipeline keeps what you queue until execute(); DECRBY takes from "
            "`source`, INCRBY gives to `target`.",
        )
    refuse_over(attempt.cost, 1)
    refuse_pieces(
        attempt,
        "another client can be served between them, and then the money is in neither account",
        "A pipeline may be a transaction too. Which of its options decides?",
    )
