# refused: your code raised ResponseError
def allow_fixed(r, key, limit, seconds):
    return (
        r.eval(
            """
        redis.call('SET', KEYS[1], 0, 'PX', ARGV[2], 'NX')
        return redis.call('INCR', KEYS[1]) <= ARGV[1] and 1 or 0
    """,
            1,
            key,
            limit,
            int(seconds * 1000),
        )
        == 1
    )


lab.check("07.2", allow_fixed)
