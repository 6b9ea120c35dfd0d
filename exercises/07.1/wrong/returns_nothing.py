# refused: is gone, but the function returned None
def release(r, key, token):
    r.eval(
        "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end",
        1,
        key,
        token,
    )


lab.check("07.1", release)
