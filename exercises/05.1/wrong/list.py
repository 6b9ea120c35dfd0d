# refused: saved twice is found twice
def save(r, customer, number, text):
    r.rpush(f"exercise:orders-of:{customer}", text)


def find(r, customer):
    return r.lrange(f"exercise:orders-of:{customer}", 0, -1)


lab.check("05.1", (save, find))
