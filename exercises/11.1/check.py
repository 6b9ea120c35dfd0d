"""Check exercise 11.1: store the keys of one user in one cluster slot."""

from redis.crc import key_slot

from lab_utils.course.checking import Refused, counted, shown, text

USERS = [f"user{number}" for number in range(120)]
FIELDS = ["name", "mail", "city", "last seen", "newsletter"]
SLOTS, NODES = 16384, 3
FEWEST_SLOTS = 60  # of 120 users' slots; all different in most cases


def check(answer) -> str:
    taken, slots = {}, []
    for user in USERS:
        keys = as_keys(answer(user, list(FIELDS)), user, len(FIELDS))
        for field, key in zip(FIELDS, keys, strict=True):
            if key in taken:
                raise Refused(
                    f"{taken[key]} and the {field} of {user} share the key {key!r}",
                    "The whole name of the field belongs into its key, and the whole "
                    "name of the user.",
                )
            taken[key] = f"the {field} of {user}"
        alone = as_keys(answer(user, [FIELDS[2]]), user, 1)
        if alone != keys[2:3]:
            raise Refused(
                f"asked for the {FIELDS[2]} of {user} alone you name the key "
                f"{alone[0]!r}, and among {len(FIELDS)} fields {keys[2]!r}: what the one "
                "writes the other never finds",
                "A key is made from the user and the field, and from nothing else.",
            )
        own = {key_slot(key.encode()) for key in keys}
        if len(own) > 1:
            raise Refused(
                f"the {len(FIELDS)} keys of {user} ({keys[0]!r} and so on) lie in "
                f"{len(own)} different slots: MSET would be refused"
            )
        slots += own
    different = len(set(slots))
    if different < FEWEST_SLOTS:
        raise Refused(
            f"each user's keys are together, but {len(USERS)} users lie in "
            f"{counted(different, 'slot')}: one node would do the work of all"
        )
    return (
        f"{len(USERS)} users, the keys of each in one slot, on all "
        f"{len({slot * NODES // SLOTS for slot in slots})} nodes"
    )


def as_keys(said, user: str, number: int):
    if not isinstance(said, (list, tuple)) or len(said) != number:
        raise Refused(
            f"for {user} and {counted(number, 'field')} a list of "
            f"{counted(number, 'key')} was expected, not {shown(said)}",
            "[… for field in fields]",
        )
    return [str(text(key)) for key in said]
