TAKE = """
if tonumber(redis.call('GET', KEYS[1]) or 0) < tonumber(ARGV[1]) then return 0 end
redis.call('DECRBY', KEYS[1], ARGV[1])
return 1
"""


def take(r, key, amount):
    return r.eval(TAKE, 1, key, amount) == 1


lab.check("04.2", take)
