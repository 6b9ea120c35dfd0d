def visit(r, user, now):
    with r.pipeline() as pipe:
        pipe.get(f"exercise:seen:{user}")
        pipe.set(f"exercise:seen:{user}", now)
        pipe.incr(f"exercise:visits:{user}")
        before, _, count = pipe.execute()
    return before, count


lab.check("12.3", visit)
