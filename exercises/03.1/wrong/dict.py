# refused: returned a dict, not a list of 150
def read_all(r, keys):
    return dict(zip(keys, r.mget(keys)))


lab.check("03.1", read_all)
