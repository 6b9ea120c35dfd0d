# refused: DECRBY and INCRBY are not in one transaction
def transfer(r, source, target, amount):
    pipe = r.pipeline(transaction=False)
    pipe.decrby(source, amount)
    pipe.incrby(target, amount)
    pipe.execute()


lab.check("04.1", transfer)
