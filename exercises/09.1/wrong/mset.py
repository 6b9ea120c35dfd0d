# refused: right values, but 1 command in
def load(r, values):
    return r.mset(values)


lab.check("09.1", load)
