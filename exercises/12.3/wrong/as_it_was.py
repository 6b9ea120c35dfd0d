# refused: 4 round trips; the budget is 1
def visit(r, user, now):
    before = r.get(f"exercise:seen:{user}")
    r.set(f"exercise:seen:{user}", now)
    count = int(r.get(f"exercise:visits:{user}") or 0) + 1
    r.set(f"exercise:visits:{user}", count)
    return before, count


lab.check("12.3", visit)
