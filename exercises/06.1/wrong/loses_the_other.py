# refused: That is data that looks like your own mark
def pack(value):
    return (
        {"$decimal": str(value)} if isinstance(value, Decimal) else {"$datetime": value.isoformat()}
    )


def unpack(found):
    if "$decimal" in found:
        return Decimal(found["$decimal"])
    if "$datetime" in found:
        return datetime.fromisoformat(found["$datetime"])
    return found


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=pack))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
