"""Chapter 11: what a cluster refuses."""

from ..claims import DEPENDS, FAILS, HOLDS, Verdict, judge


@judge("C12", "In a cluster a pipeline with keys of several slots gives errors, -MOVE for one; it may fail.", "the client")
def c12(reply, commands, nodes, plain_failed, failed, mset_refused, tagged_refused):
    """What a node without the key replied. Of a pipeline of `commands` over keys on `nodes` nodes, how many failed when a plain
    client sent it to one node, and when the cluster client did. Whether MSET was refused across slots, and with one hash tag."""
    seen = (f"of {commands} commands for {nodes} nodes, a plain client's pipeline got {plain_failed} errors ({reply!r}), the "
            f"cluster client's {failed}")
    adds = (f"one MSET over the same keys was {refused(mset_refused)}, and with one hash tag {refused(tagged_refused)}; a "
            "transaction has to stay in one slot too")
    if "MOVE" not in reply or not plain_failed:
        return Verdict(FAILS, seen, adds)
    if failed:
        return Verdict(HOLDS, seen, adds)
    return Verdict(DEPENDS, f"on the client: {seen}; it groups by node", adds)


def refused(was):
    return "refused" if was else "accepted"
