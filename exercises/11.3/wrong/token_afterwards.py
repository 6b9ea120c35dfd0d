# refused: The token has to be stored as one step with the value
STORE = """
if tonumber(ARGV[2]) < tonumber(redis.call('HGET', KEYS[1], 'token') or 0) then
    return 0
end
redis.call('HSET', KEYS[1], 'value', ARGV[1])
return 1
"""


def write(r, key, value, token):
    if token < int(r.hget(key, "token") or 0):
        return False
    stored = r.eval(STORE, 1, key, value, token) == 1
    r.hset(key, "token", token)
    return stored


lab.check("11.3", write)
