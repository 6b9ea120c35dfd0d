def visit(r, user, now):
    pipe = r.pipeline(transaction=True)  # no visit between the two: both replies speak of one
    pipe.set(f"exercise:seen:{user}", now, get=True)
    pipe.incr(f"exercise:visits:{user}")
    before, count = pipe.execute()  # sent again after a lost reply, a visit counts twice
    return before, count


lab.check("12.3", visit)
