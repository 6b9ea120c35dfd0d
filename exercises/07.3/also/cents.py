def discount(r, key, percent):
    cents = r.eval(
        """
        local cents = math.floor(redis.call('GET', KEYS[1]) * (100 - ARGV[1]) + 0.5)
        local left = redis.call('PTTL', KEYS[1])
        redis.call('SET', KEYS[1], string.format('%.2f', cents / 100))
        if left > 0 then redis.call('PEXPIRE', KEYS[1], left) end
        return cents
    """,
        1,
        key,
        percent,
    )
    return cents / 100


lab.check("07.3", discount)
