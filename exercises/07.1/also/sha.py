RELEASE = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0"


def release(r, key, token):
    return bool(r.register_script(RELEASE)(keys=[key], args=[token]))


lab.check("07.1", release)
