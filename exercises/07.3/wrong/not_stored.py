# refused: the function returned 17.99, but 19.99 is stored
def discount(r, key, percent):
    return r.eval(
        "return string.format('%.2f', redis.call('GET', KEYS[1]) * (1 - ARGV[1] / 100))",
        1,
        key,
        percent,
    )


lab.check("07.3", discount)
