# refused: lies in another slot than the counters
RECORD = """
if redis.call('SET', KEYS[1], 1, 'NX') then
  for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
end"""


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    mark = "exercise:done:" + batch.split(":")[-1]
    r.eval(RECORD, 1 + len(counters), mark, *counters, *sales.values())


lab.check("10.1", record)
