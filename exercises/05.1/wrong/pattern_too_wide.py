# refused: returned orders of 'anna:lena' too: that is another customer
def save(r, customer, number, text):
    r.set(f"exercise:order:{customer}:{number}", text)


def find(r, customer):
    keys = list(r.scan_iter(f"exercise:order:{customer}:*", count=1_000))
    return r.mget(keys) if keys else []


lab.check("05.1", (save, find))
