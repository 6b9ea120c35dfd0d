# refused: you released a lock that somebody else holds
RELEASE = """
if string.find(redis.call('GET', KEYS[1]) or '', ARGV[1], 1, true) then
    return redis.call('DEL', KEYS[1])
end
return 0"""


def release(r, key, token):
    return r.eval(RELEASE, 1, key, token) == 1


lab.check("07.1", release)
