# refused: but 9.297 is stored
def discount(r, key, percent):
    return r.eval(
        """
        local price = redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100)
        redis.call('SET', KEYS[1], price, 'KEEPTTL')
        return string.format('%.2f', price)
    """,
        1,
        key,
        percent,
    )


lab.check("07.3", discount)
