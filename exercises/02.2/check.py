"""Check exercise 02.2: predict how many bytes an MSET command takes."""

from lab_utils.course.checking import Refused, packer

GROWING = (
    "Right for one key. What grows with n beside the number of keys: which names, and which "
    "numbers?",
    "k9 has 2 letters, k10 has 3. The number of parts is 2 * n + 1, and it grows in digits too.",
)


def check(answer) -> str:
    pack_command = packer()
    for n in (1, 5, 10, 100, 1000):
        parts = [part for i in range(n) for part in (f"k{i}", "v")]
        sent = len(b"".join(pack_command("MSET", *parts)))
        found = answer(n)
        if found != sent:
            raise Refused(
                f"for n = {n:,} you say {found}, and redis-py sends {sent:,} bytes",
                *(GROWING if n > 1 else ()),
            )
    return "to the byte, for 1, 5, 10, 100 and 1,000 keys"
