# refused: SET and INCRBY are not one step
def allow_fixed(r, key, limit, seconds):
    pipe = r.pipeline(transaction=False)
    pipe.set(key, 0, px=int(seconds * 1000), nx=True)
    pipe.incr(key)
    return pipe.execute()[1] <= limit


lab.check("07.2", allow_fixed)
