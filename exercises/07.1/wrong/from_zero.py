# refused: your code raised ResponseError in line 9
RELEASE = r.register_script("""
if redis.call('GET', KEYS[0]) == ARGV[0] then return redis.call('DEL', KEYS[0]) end
return 0
""")


def release(r, key, token):
    return RELEASE(keys=[key], args=[token], client=r) == 1


lab.check("07.1", release)
