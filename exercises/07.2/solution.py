LIMIT = r.register_script("""
redis.call('SET', KEYS[1], 0, 'PX', ARGV[2], 'NX')
return redis.call('INCR', KEYS[1]) <= tonumber(ARGV[1]) and 1 or 0
""")


def allow_fixed(r, key, limit, seconds):
    # sent again after a lost reply, a call counts twice: at worst one too many is refused
    return LIMIT(keys=[key], args=[limit, int(seconds * 1000)], client=r) == 1


lab.check("07.2", allow_fixed)
