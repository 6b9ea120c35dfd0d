"""Chapter 10: what a server cuts off, and what a cluster refuses."""

from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge


@judge("C3", "The server closes a client whose query buffer passes 1 GB.")
def c3(default_bytes, limit_bytes, one_cut, pipeline_cut, multi_cut):
    """Whether a server with a limit of `limit_bytes` cut off a client that sent more: as one command, as a plain pipeline, in
    MULTI. `default_bytes` is the limit as it comes."""
    seen = (f"the limit is a setting, {default_bytes:,} bytes as it comes. Set to {limit_bytes:,}, and more than that sent: "
            f"one large command {was_cut(one_cut)}, a plain pipeline {was_cut(pipeline_cut)}; transactions cut off on this "
            f"server: ~{int(multi_cut)} of 1")
    if one_cut and pipeline_cut and multi_cut:
        return Verdict(HOLDS, seen)
    if one_cut or pipeline_cut or multi_cut:
        return Verdict(DEPENDS, f"{seen}. What counts is what the server has to keep, not what you send")
    return Verdict(FAILS, f"{seen}. Nobody was cut off")


def was_cut(cut):
    return "was cut off" if cut else "passed"


@judge("C12", "In a cluster, commands whose keys live in another slot fail with -MOVE.")
def c12(reply, commands, nodes, failed, mset_refused, tagged_refused):
    """What a node without the key replied; of a cluster client's pipeline of `commands` over `nodes` nodes, how many
    `failed`; whether MSET was refused across slots, and with one hash tag."""
    seen = (f"a plain client hears {reply!r} from a node that does not have the key; of {commands} commands that the cluster "
            f"client's pipeline sent to {nodes} nodes, {failed} failed")
    if "MOVE" not in reply:
        return Verdict(FAILS, seen)
    if failed:
        return Verdict(HOLDS, seen)
    several = "refused across slots" if mset_refused else "not refused across slots"
    tagged = "refused too" if tagged_refused else "accepted"
    return Verdict(DEPENDS, f"{seen}. On the client, which follows, and on the command: one MSET was {several}, "
                            f"and with a hash tag {tagged}")
