# refused: Each key has its own highest token
STORE = """
if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or 0) then
    return 0
end
redis.call('SET', KEYS[2], ARGV[2])
redis.call('HSET', KEYS[1], 'value', ARGV[1])
return 1
"""


def write(r, key, value, token):
    return r.eval(STORE, 2, key, "exercise:token", value, token) == 1


lab.check("11.3", write)
