# refused: right values, but 202 round trips; the budget is 1
def page(r, users):
    return [(r.get(f"exercise:name:{user}"), r.incr(f"exercise:visits:{user}")) for user in users]


lab.check("01.2", page)
