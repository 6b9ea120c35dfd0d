LIMIT = """
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return calls
"""


def allow_fixed(r, key, limit, seconds):
    return r.eval(LIMIT, 1, key, limit, round(seconds * 1000)) <= limit


lab.check("07.2", allow_fixed)
