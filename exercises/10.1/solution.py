RECORD = r.register_script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return end
local function fits(number)  -- INCRBY takes it, and two of them can be added
  return number == '0' or #number < 19 and string.match(number, '^-?[1-9]%d*$')
end
for i = 2, #KEYS do  -- before anything is written, which nothing would take back
  local held, more = redis.call('GET', KEYS[i]) or '0', ARGV[i - 1]
  if not (fits(held) and fits(more)) then
    return redis.error_reply(KEYS[i] .. ' holds ' .. held .. ": can't add " .. more)
  end
end
for i = 2, #KEYS do redis.call('INCRBY', KEYS[i], ARGV[i - 1]) end
redis.call('SET', KEYS[1], 1, 'EX', 172800)
""")


def record(r, batch, sales):
    counters = [f"exercise:{{shop}}:{product}" for product in sales]
    RECORD(keys=[batch, *counters], args=list(map(int, sales.values())), client=r)


lab.check("10.1", record)
