# refused: 48 values for 50 keys
def read_all(r, keys):
    return [value for value in r.mget(keys) if value is not None]


lab.check("03.1", read_all)
