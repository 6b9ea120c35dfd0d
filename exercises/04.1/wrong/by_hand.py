# refused: right values, but 4 round trips; the budget is 1
def transfer(r, source, target, amount):
    with r.client() as one:
        one.execute_command("MULTI")
        one.decrby(source, amount)
        one.incrby(target, amount)
        one.execute_command("EXEC")


lab.check("04.1", transfer)
