DISCOUNT = r.register_script("""
local old = redis.call('GET', KEYS[1])
if not old then return nil end
local price = string.format('%.2f', old * (1 - ARGV[1] / 100))
redis.call('SET', KEYS[1], price, 'KEEPTTL')
return price
""")


def discount(r, key, percent):
    # None where there is no price. Sent again after a lost reply, it takes the percentage off
    # twice: give it an r that does not retry, or name each change, as 10.1 does.
    return DISCOUNT(keys=[key], args=[percent], client=r)


lab.check("07.3", discount)
