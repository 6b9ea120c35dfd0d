"""Chapter 02: what crosses the network. Article A."""

from ...words import counted
from ..claims import DEPENDS, FAILS, HOLDS, UNTESTED, Verdict, judge


@judge("A1", "With a pipeline, sending and receiving are needed only once each.", "the size")
def a1(commands, writes, turns):
    """`writes` and `turns` of one pipeline of so many commands."""
    adds = (f"a pipeline of {commands:,} SETs left in {writes:,} writes: a long one goes in pieces, cut by redis-py's own write "
            "buffer and not by the network. The server answers meanwhile; that all comes together is the client's view")
    if turns == 1 and writes < commands:
        return Verdict(HOLDS, f"{counted(commands, 'command')}, and the client waited once", adds)
    return Verdict(FAILS, f"{counted(commands, 'command')} left in {counted(writes, 'write')}, and the client waited in "
                          f"{counted(turns, 'turn')}", adds)


@judge("A2", "Empty ACKs stand between request and reply because each SET is sent separately.", "the system")
def a2(turns, acks, pipeline_acks):
    """The empty acks that the system sent during so many turns, one by one, and during one pipeline of the same commands;
    None where it does not tell."""
    adds = "nothing of yours waits for an acknowledgement: count the turns"
    if acks is None or pipeline_acks is None:
        return Verdict(UNTESTED, "this system does not tell how many acknowledgements it sent", adds)
    seen = (f"this system sent ~{acks} empty acknowledgements in {counted(turns, 'turn')}, ~{pipeline_acks} in one "
            "pipeline of the same commands")
    if acks >= turns and not pipeline_acks:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the system: {seen}. It decides when to send one. The article's sent one each "
                            "way, in its pipeline too, so there sending separately only multiplied them", adds)
