STORE = r.register_script("""
local highest = tonumber(redis.call('HGET', KEYS[1], 'token') or 0)
if tonumber(ARGV[2]) < highest then
    return 0
end
redis.call('HSET', KEYS[1], 'value', ARGV[1], 'token', ARGV[2])
return 1
""")


def write(r, key, value, token):
    # sent again after a lost reply it writes the same again, or finds a higher token: False
    return STORE(keys=[key], args=[value, token], client=r) == 1


lab.check("11.3", write)
