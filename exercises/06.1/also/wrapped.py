def pack(value):
    if isinstance(value, dict):
        inside = {key: pack(each) for key, each in value.items()}
        return {"$": "dict", "of": inside} if "$" in value else inside
    if isinstance(value, list):
        return [pack(each) for each in value]
    if isinstance(value, (Decimal, datetime)):
        return {"$": type(value).__name__, "of": str(value)}
    return value


def unpack(found):
    if not isinstance(found, dict):
        return [unpack(each) for each in found] if isinstance(found, list) else found
    kind = found.get("$")
    if kind == "Decimal":
        return Decimal(found["of"])
    if kind == "datetime":
        return datetime.fromisoformat(found["of"])
    return {key: unpack(each) for key, each in (found["of"] if kind else found).items()}


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(pack(order)))
    return unpack(json.loads(r.get("exercise:order")))


lab.check("06.1", save_and_load)
