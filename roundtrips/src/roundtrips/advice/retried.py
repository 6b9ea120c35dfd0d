'''A write that got no answer and was sent again, though done twice is not done once.

    r.incr("visits")                            # redis-py sends it again: perhaps 2 for 1

    once = r.register_script("""if redis.call('SET', KEYS[2], 1, 'NX', 'EX', 86400) then
      return redis.call('INCRBY', KEYS[1], ARGV[1]) end""")
    once(keys=["visits", f"done:{uuid4()}"], args=[1])

It costs a key for each write, and saves the wrong number. What takes a job is better moved than
taken, for a lost reply takes it along. Of a script only who wrote it knows whether twice is once.
'''

from itertools import pairwise

from ..commands import SCRIPTED
from ..roundtrip import LOST
from .finding import Finding, Found
from .work import ADDS_UP, TAKES_A_JOB, Work

ONCE = '''\
once = r.register_script("""if redis.call('SET', KEYS[2], 1, 'NX', 'EX', 86400) then
  return redis.call('INCRBY', KEYS[1], ARGV[1]) end""")
%sonce(keys=[key, f"{{{key}}}:done:{uuid4()}"], args=[amount])  # or what it is that is done once'''
RETRIES_OFF = "\n# Where that can't be: retry=Retry(NoBackoff(), 0), and look whether it was done."
MOVED = """\
job = %sr.lmove(key, "doing", "LEFT", "RIGHT")  # a lost reply leaves it in "doing"; when done:
%sr.lrem("doing", 1, job)"""
TAKEN = "# a lost reply takes it along: have a script move it, and remove it when it is done"
SAID = {
    **dict.fromkeys(TAKES_A_JOB, TAKEN),
    **dict.fromkeys(("LPOP", "RPOP", "BLPOP", "BRPOP"), MOVED),
    **dict.fromkeys(("LMOVE", "BLMOVE", "RPOPLPUSH", "BRPOPLPUSH"), "# both stand where they went"),
    **dict.fromkeys(("XREADGROUP", "XAUTOCLAIM"), "# both are pending: XAUTOCLAIM finds them"),
    **dict.fromkeys(SCRIPTED, "# if twice is not once here: an id with each call, for it to note"),
}


def find(work: Work) -> Found:
    """Yield what was sent again."""
    for trips in work.by_worker.values():
        for lost, again in pairwise(trips):
            both = zip(lost.commands, again.commands, strict=False)
            same = [one.name for one, two in both if (one.name, one.key) == (two.name, two.key)]
            name = next((name for name in same if name in ADDS_UP), None)
            if lost.outcome != LOST or name is None:
                continue
            client = work.client(again)
            # A cluster's pipeline is sent again whatever its retries say.
            instead = SAID.get(name, ONCE + ("" if client.cluster else RETRIES_OFF))
            instead = instead.replace("%s", client.wait)
            shows = f"{name} got no answer and was sent once more"
            yield Finding("retried", "sent again, though twice is not once", shows, 0, again.site,
                          instead, name not in SCRIPTED)  # fmt: skip
