# refused: what is stored is not JSON
def save_and_load(r, order):
    r.set("exercise:order", pickle.dumps(order, protocol=4))
    return pickle.loads(r.get("exercise:order"))


lab.check("06.1", save_and_load)
