# refused: 2.30 less 10% is 2.07, and the function returned 2.06
def discount(r, key, percent):
    return (
        r.eval(
            """
        local price = redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100)
        redis.call('SET', KEYS[1], string.format('%.2f', price), 'KEEPTTL')
        return price * 100
    """,
            1,
            key,
            percent,
        )
        / 100
    )


lab.check("07.3", discount)
