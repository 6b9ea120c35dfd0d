# refused: token 10, after 5, 3, 5, 9: the value is 'd' and should be 'e'
STORE = """
local highest = redis.call('HGET', KEYS[1], 'token') or ''
if ARGV[2] < highest then
    return 0
end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2])
return 1
"""


def write(r, key, value, token):
    return r.eval(STORE, 1, key, value, token) == 1


lab.check("11.3", write)
