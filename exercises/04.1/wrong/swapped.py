# refused: left 130 and -10; it should leave 70 and 50
def transfer(r, source, target, amount):
    pipe = r.pipeline()
    pipe.incrby(source, amount)
    pipe.decrby(target, amount)
    pipe.execute()


lab.check("04.1", transfer)
