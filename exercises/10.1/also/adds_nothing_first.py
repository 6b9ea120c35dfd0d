# accepted: every sale is counted once
RECORD = """
if redis.call('EXISTS', KEYS[1]) == 1 then return end
for i = 2, #KEYS do
  redis.call('INCRBY', KEYS[i], 0)  -- raises where it is no whole number, and adds nothing
end
for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
redis.call('SET', KEYS[1], 1, 'EX', 172800)"""


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    r.eval(RECORD, 1 + len(counters), batch, *counters, *sales.values())


lab.check("10.1", record)
