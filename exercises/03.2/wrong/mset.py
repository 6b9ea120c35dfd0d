# refused: 9,500 keys never expire
def write_all(r, values):
    r.mset(values)


lab.check("03.2", write_all)
