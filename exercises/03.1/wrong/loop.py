# refused: 150 round trips; the budget is 1
def read_all(r, keys):
    return [r.get(key) for key in keys]


lab.check("03.1", read_all)
