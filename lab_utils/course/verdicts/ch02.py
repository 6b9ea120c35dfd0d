"""Chapter 02: what crosses the network. Article A."""

from ...words import many
from ..claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, judge


@judge("A1", "A pipeline is one send and one receive")
def a1(writes, turns):
    """`writes` and `turns` of one pipeline."""
    if turns != 1:
        return Verdict(FAILS, f"the client waited in {many(turns, 'turn')}")
    if writes == 1:
        return Verdict(HOLDS, "one write, one wait")
    return Verdict(DEPENDS, f"one wait, but {many(writes, 'write')}: redis-py sends a long pipeline in pieces")


@judge("A2", "Acknowledgements stand between requests because the commands are sent separately")
def a2(turns, acks):
    """`turns` of commands sent one by one, and the empty `acks` that the kernel sent meanwhile; None where it does not tell."""
    if acks is None:
        return Verdict(UNTESTED, "this system does not tell how many acknowledgements it sent")
    if acks >= turns:
        return Verdict(HOLDS, f"{many(turns, 'turn')} brought ~{acks} empty acknowledgements")
    return Verdict(FAILS, f"{many(turns, 'turn')} sent separately brought ~{acks} empty acknowledgements: "
                          "the kernel decides, and the wait is for the reply")
