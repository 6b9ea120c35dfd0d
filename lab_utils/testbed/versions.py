"""The oldest Redis that the lab works with."""

from ..errors import LabError

OLDEST = (6, 2)  # RESP3, listpacks' ancestor, GETEX and CLIENT INFO are in


def refuse_old(version: tuple[int, int], where: str):
    """Raise LabError for a (major, minor) that is too old."""
    if version < OLDEST:
        raise LabError(
            f"{where} is Redis {version[0]}.{version[1]}; the lab needs {OLDEST[0]}.{OLDEST[1]} or "
            "newer. Unset REDIS_URL and LAB_REDIS_SERVER to use the server that requirements.txt "
            "brings."
        )
