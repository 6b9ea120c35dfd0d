# refused: JSON outside and something else inside
def save_and_load(r, order):
    r.set("exercise:order", json.dumps(pickle.dumps(order, protocol=4).hex()))
    return pickle.loads(bytes.fromhex(json.loads(r.get("exercise:order"))))


lab.check("06.1", save_and_load)
