"""Check exercise 07.1: release a lock only if it holds the caller's own token."""

from lab_utils.course.checking import Refused, exercise_client, in_one_turn

RETURNS = (
    "A script's `return` is the reply: DEL's is 1 or 0, and where nothing was deleted the "
    "script can return 0."
)


def check(answer) -> str:
    lock = "exercise:lock"
    with exercise_client() as client:
        client.set(lock, "mine", px=60_000)
        released = answer(client, lock, "mine")
        if client.exists(lock):
            raise Refused(
                "the lock held your token, and is still there",
                "Is your comparison ever true? In Python GET returns bytes, and b'mine' "
                "is not 'mine'. Compare in the script, where both are text, and delete "
                "there: redis.call('DEL', KEYS[1]).",
                "Lua counts from 1: KEYS[1] and ARGV[1]. ARGV[0] is nil, and equals no token.",
            )
        if not released:
            raise Refused(
                f"the lock was yours and is gone, but the function returned {released!r}", RETURNS
            )
        for other in ("not mine", "mine not", "Mine", "nine"):
            client.set(lock, other, px=60_000)
            released = answer(client, lock, "mine")
            if client.get(lock) != other.encode():
                raise Refused("you released a lock that somebody else holds")
            if released:
                raise Refused(
                    f"another's lock was left alone, but you returned {released!r}", RETURNS
                )
        client.delete(lock)
        if answer(client, lock, "mine"):
            raise Refused(
                "there was no lock to release, but the function says that it released one", RETURNS
            )
        for token in ("not mine", "mine"):
            client.set(lock, token, px=60_000)
            in_one_turn(answer, client, lock, "mine")
    return "released when yours, left alone when not, in 1 round trip"
