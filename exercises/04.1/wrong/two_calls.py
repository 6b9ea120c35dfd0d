# refused: right values, but 2 round trips; the budget is 1
def transfer(r, source, target, amount):
    r.decrby(source, amount)
    r.incrby(target, amount)


lab.check("04.1", transfer)
