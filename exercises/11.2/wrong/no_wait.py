# refused: the network to the replica is broken: no replica has the value, and save returned True
def save(r, key, value):
    return r.set(key, value)


lab.check("11.2", save)
