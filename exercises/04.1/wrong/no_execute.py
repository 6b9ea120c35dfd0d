# refused: 30 from 100 to 20 left 100 and 20; it should leave 70 and 50
def transfer(r, source, target, amount):
    pipe = r.pipeline()
    pipe.decrby(source, amount)
    pipe.incrby(target, amount)


lab.check("04.1", transfer)
