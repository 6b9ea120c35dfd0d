# refused: DECRBY and INCRBY are not one step: another client
def transfer(r, source, target, amount):
    pipe = r.pipeline(transaction=False)
    pipe.decrby(source, amount)
    pipe.incrby(target, amount)
    pipe.execute()


lab.check("04.1", transfer)
