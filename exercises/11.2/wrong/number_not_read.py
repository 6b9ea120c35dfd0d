# refused: the network to the replica is broken: no replica has the value, and save returned True
def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.set(key, value)
    pipe.wait(1, 200)
    pipe.execute()
    return True


lab.check("11.2", save)
