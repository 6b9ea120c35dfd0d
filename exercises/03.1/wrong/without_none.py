# refused: of which 2 do not exist, returned a list of 148, not of 150
def read_all(r, keys):
    return [value for value in r.mget(keys) if value is not None]


lab.check("03.1", read_all)
