# refused: the key had 12,345 s left, and now it has no expiry
def discount(r, key, percent):
    return r.eval(
        """
        local price = string.format('%.2f', redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100))
        redis.call('SET', KEYS[1], price)
        return price
    """,
        1,
        key,
        percent,
    )


lab.check("07.3", discount)
