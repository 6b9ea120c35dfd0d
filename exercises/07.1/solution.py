RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
    return redis.call('DEL', KEYS[1])
end
return 0
"""

def release(r, key, token):
    return r.eval(RELEASE, 1, key, token) == 1

lab.check("07.1", release)
