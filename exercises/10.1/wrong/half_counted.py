# refused: holds 'twelve', to which INCRBY can't add: raise an error before anything is counted
RECORD = """
if redis.call('SET', KEYS[1], 1, 'NX', 'EX', 172800) then
  for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
end"""


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    r.eval(RECORD, 1 + len(counters), batch, *counters, *sales.values())


lab.check("10.1", record)
