# refused: the network to the replica is broken: save had no answer within 1.2 s
def save(r, key, value):
    pipe = r.pipeline(transaction=False)
    pipe.set(key, value)
    pipe.wait(1, 0)
    return pipe.execute()[1] >= 1


lab.check("11.2", save)
