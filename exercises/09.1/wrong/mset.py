# refused: right values, but 1 command for 15003 values
def load(r, values):
    return r.mset(values)


lab.check("09.1", load)
