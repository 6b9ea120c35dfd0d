# refused: returned orders of 'anna:lena' too: that is another customer, whose name only begins the same
def save(r, customer, number, text):
    r.set(f"exercise:order:{customer}:{number}", text)


def find(r, customer):
    keys = r.keys(f"exercise:order:{customer}:*")
    return r.mget(keys) if keys else []


lab.check("05.1", (save, find))
