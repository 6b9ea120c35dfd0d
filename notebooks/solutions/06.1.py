def pack(value):
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    raise TypeError(f"{type(value).__name__} has no JSON of ours")


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
