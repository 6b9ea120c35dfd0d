# refused: of them to open 1 connection); the budget is 1
RELEASE = (
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
)


def release(r, lock, token):
    with lab.connect() as own:
        return own.eval(RELEASE, 1, lock, token)


lab.check("07.1", release)
