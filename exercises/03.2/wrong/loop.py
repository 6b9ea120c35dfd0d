# refused: 9,500 round trips; the budget is 10
def write_all(r, values):
    for key, value in values.items():
        r.set(key, value, ex=3_600)


lab.check("03.2", write_all)
