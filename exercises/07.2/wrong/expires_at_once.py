# refused: a window of 0.5 s is to last 500 ms, and the key expires in ~-2 ms
def allow_fixed(r, key, limit, seconds):
    return (
        r.eval(
            """
        local calls = redis.call('INCR', KEYS[1])
        if calls == 1 then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
        return calls <= tonumber(ARGV[1]) and 1 or 0
    """,
            1,
            key,
            limit,
            int(seconds),
        )
        == 1
    )


lab.check("07.2", allow_fixed)
