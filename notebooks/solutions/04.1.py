def transfer(r, source, target, amount):
    pipe = r.pipeline()
    pipe.decrby(source, amount)
    pipe.incrby(target, amount)
    pipe.execute()

lab.check("04.1", transfer)
