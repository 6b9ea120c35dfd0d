# refused: the key has no expiry
def allow_fixed(r, key, limit, seconds):
    return r.incr(key) <= limit


lab.check("07.2", allow_fixed)
