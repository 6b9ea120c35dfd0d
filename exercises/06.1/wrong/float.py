# refused: total came back as float
def pack(value):
    return float(value) if isinstance(value, Decimal) else {"$datetime": value.isoformat()}


def unpack(found):
    return datetime.fromisoformat(found["$datetime"]) if "$datetime" in found else found


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=pack))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
