WRITE = """
if tonumber(ARGV[2]) < tonumber(redis.call('GET', KEYS[2]) or '0') then return 0 end
redis.call('HSET', KEYS[1], 'value', ARGV[1])
redis.call('SET', KEYS[2], ARGV[2])
return 1
"""


def write(r, key, value, token):
    return bool(
        r.eval(WRITE, 2, key, f"{key}:token", value, token)
    )  # in a cluster: two slots, refused


lab.check("11.3", write)
