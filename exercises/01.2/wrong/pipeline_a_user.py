# refused: right values, but 101 round trips; the budget is 1
def page(r, users):
    rows = []
    for user in users:
        pipe = r.pipeline()
        pipe.get(f"exercise:name:{user}")
        pipe.incr(f"exercise:visits:{user}")
        rows.append(tuple(pipe.execute()))
    return rows


lab.check("01.2", page)
