# refused: of 9,500 keys 9,500 do not expire in an hour
def write_all(r, values):
    r.mset(values)


lab.check("03.2", write_all)
