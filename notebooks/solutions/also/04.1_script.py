TRANSFER = """
local from, to = redis.call('GET', KEYS[1]) or '0', redis.call('GET', KEYS[2]) or '0'
if not (tonumber(from) and tonumber(to)) then
  return redis.error_reply('an account holds no number')
end
redis.call('DECRBY', KEYS[1], ARGV[1])
redis.call('INCRBY', KEYS[2], ARGV[1])
"""

def transfer(r, source, target, amount):
    r.eval(TRANSFER, 2, source, target, amount)

lab.check("04.1", transfer)
