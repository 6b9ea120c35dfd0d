# refused: token 99 wrote between two of your writes: the value is 'late'
FIRST = """
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[1])
return 1"""


def write(r, key, value, token):
    if not r.eval(FIRST, 1, key, token):
        return False
    r.hset(key, "value", value)
    return True


lab.check("11.3", write)
