# refused: not in the order of keys
def read_all(r, keys):
    return r.mget(sorted(keys))


lab.check("03.1", read_all)
