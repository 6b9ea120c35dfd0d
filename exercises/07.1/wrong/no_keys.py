# refused: the script names no key
RELEASE = (
    "if redis.call('GET', ARGV[1]) == ARGV[2] then return redis.call('DEL', ARGV[1]) end return 0"
)


def release(r, key, token):
    return r.eval(RELEASE, 0, key, token) == 1


lab.check("07.1", release)
