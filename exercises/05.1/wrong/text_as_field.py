# refused: saved twice is found twice
def save(r, customer, number, text):
    r.hset(f"exercise:orders:{customer}", text, number)


def find(r, customer):
    return r.hkeys(f"exercise:orders:{customer}")


lab.check("05.1", (save, find))
