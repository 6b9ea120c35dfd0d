# refused: other customers' orders came along
def save(r, customer, number, text):
    r.hset("exercise:orders", f"{customer}/{number}", text)


def find(r, customer):
    return [
        text
        for field, text in r.hgetall("exercise:orders").items()
        if field.startswith(f"{customer}/".encode())
    ]


lab.check("05.1", (save, find))
