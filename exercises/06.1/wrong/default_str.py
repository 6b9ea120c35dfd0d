# refused: placed came back as str
def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=str))
    return json.loads(r.get("exercise:order"))


lab.check("06.1", save_and_load)
