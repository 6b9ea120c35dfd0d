# refused: and should return (None, 1)
def visit(r, user, now):
    pipe = r.pipeline()
    pipe.set(f"exercise:seen:{user}", now)
    pipe.incr(f"exercise:visits:{user}")
    before, count = pipe.execute()
    return before, count


lab.check("12.3", visit)
