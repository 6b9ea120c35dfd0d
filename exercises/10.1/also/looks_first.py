# accepted: look in the script, or WATCH the counters too
ONCE_EACH = """
if redis.call('SET', KEYS[1], 1, 'NX', 'EX', 172800) then
  for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
end"""


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    for held in r.mget(counters):
        if held is not None and str(int(held)).encode() != held:
            raise ValueError(f"{held!r} is no number to add to")
    r.eval(ONCE_EACH, 1 + len(counters), batch, *counters, *sales.values())


lab.check("10.1", record)
