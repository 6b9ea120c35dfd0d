def save(r, customer, number, text):
    r.hset(f"exercise:orders:{customer}", number, text)


def find(r, customer):
    return r.hvals(f"exercise:orders:{customer}")


lab.check("05.1", (save, find))
