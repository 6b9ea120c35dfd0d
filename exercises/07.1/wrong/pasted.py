# refused: stands in the script's text
def release(r, key, token):
    return (
        r.eval(
            f'if redis.call("GET", "{key}") == "{token}" then return redis.call("DEL", "{key}") end return 0',
            0,
        )
        == 1
    )


lab.check("07.1", release)
