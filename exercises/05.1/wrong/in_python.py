# refused: each order is saved, but no round trip through the client that was passed in
saved = {}


def save(r, customer, number, text):
    saved.setdefault(customer, {})[number] = text


def find(r, customer):
    return list(saved.get(customer, {}).values())


lab.check("05.1", (save, find))
