# refused: right so far, but 2 round trips; the budget is 1
def discount(r, key, percent):
    r.eval(
        """
        local price = string.format('%.2f', redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100))
        redis.call('SET', KEYS[1], price, 'KEEPTTL')
    """,
        1,
        key,
        percent,
    )
    return r.get(key)


lab.check("07.3", discount)
