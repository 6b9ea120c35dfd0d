# refused: there was no lock to release
RELEASE = """
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
return 1
"""


def release(r, key, token):
    return r.eval(RELEASE, 1, key, token) == 1


lab.check("07.1", release)
