# refused: token 5, after 5, 3: the value is 'a' and should be 'c'
STORE = """
if tonumber(ARGV[2]) <= tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then
    return 0
end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2])
return 1
"""


def write(r, key, value, token):
    return r.eval(STORE, 1, key, value, token) == 1


lab.check("11.3", write)
