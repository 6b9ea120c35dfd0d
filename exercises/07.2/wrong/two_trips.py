# refused: right so far, but 2 round trips; the budget is 1
def allow_fixed(r, key, limit, seconds):
    calls = r.incr(key)
    if calls == 1:
        r.expire(key, seconds)
    return calls <= limit


lab.check("07.2", allow_fixed)
