DISCOUNT = """
local price = string.format('%.2f', redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100))
redis.call('SET', KEYS[1], price, 'KEEPTTL')
return price
"""

def discount(r, key, percent):
    return r.eval(DISCOUNT, 1, key, percent)

lab.check("07.3", discount)
