# refused: right values, but Redis now holds
def visit(r, user, now):
    pipe = r.pipeline()
    pipe.get(f"exercise:seen:{user}")
    pipe.incr(f"exercise:visits:{user}")
    before, count = pipe.execute()
    return before, count


lab.check("12.3", visit)
