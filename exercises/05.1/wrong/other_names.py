# refused: 3 keys of yours did not begin with exercise:
def save(r, customer, number, text):
    r.hset(f"orders:{customer}", number, text)


def find(r, customer):
    return r.hvals(f"orders:{customer}")


lab.check("05.1", (save, find))
