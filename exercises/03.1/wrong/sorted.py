# refused: not in the right order
def read_all(r, keys):
    return r.mget(sorted(keys))


lab.check("03.1", read_all)
