# refused: MGET and SET and INCRBY let others in between
def visit(r, user, now):
    pipe = r.pipeline(transaction=False)
    pipe.mget([f"exercise:seen:{user}"])
    pipe.set(f"exercise:seen:{user}", now)
    pipe.incr(f"exercise:visits:{user}")
    [before], _, count = pipe.execute()
    return before, count


lab.check("12.3", visit)
