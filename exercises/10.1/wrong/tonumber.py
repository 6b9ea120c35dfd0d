# refused: holds '1.5', to which INCRBY can't add: raise an error before anything is counted
RECORD = """
if redis.call('EXISTS', KEYS[1]) == 1 then return end
for i = 2, #KEYS do
  if not tonumber(redis.call('GET', KEYS[i]) or '0') then
    return redis.error_reply(KEYS[i] .. ' holds no number')
  end
end
for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
redis.call('SET', KEYS[1], 1, 'EX', 172800)"""


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    r.eval(RECORD, 1 + len(counters), batch, *counters, *sales.values())


lab.check("10.1", record)
