# refused: GET and SET are 2 commands
def visit(r, user, now):
    pipe = r.pipeline(transaction=False)
    pipe.get(f"exercise:seen:{user}")
    pipe.set(f"exercise:seen:{user}", now)
    pipe.incr(f"exercise:visits:{user}")
    before, _, count = pipe.execute()
    return before, count


lab.check("12.3", visit)
