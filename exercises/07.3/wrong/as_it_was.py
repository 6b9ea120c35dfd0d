# refused: 19.99 less 10% is 17.99, and the function returned 17
def discount(r, key, percent):
    return r.eval(
        """
        local price = redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100)
        redis.call('SET', KEYS[1], price)
        return price
    """,
        1,
        key,
        percent,
    )


lab.check("07.3", discount)
