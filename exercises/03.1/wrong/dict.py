# refused: you returned a dict
def read_all(r, keys):
    return dict(zip(keys, r.mget(keys)))


lab.check("03.1", read_all)
