TRANSFER = """
for _, account in ipairs(KEYS) do  -- before anything is written
  local held = redis.call('GET', account) or '0'
  if held ~= '0' and not (#held < 19 and string.match(held, '^-?[1-9]%d*$')) then
    return redis.error_reply(account .. ' holds no number that can be added to')
  end
end
redis.call('DECRBY', KEYS[1], ARGV[1])
redis.call('INCRBY', KEYS[2], ARGV[1])
"""


def transfer(r, source, target, amount):
    r.eval(TRANSFER, 2, source, target, amount)


lab.check("04.1", transfer)
