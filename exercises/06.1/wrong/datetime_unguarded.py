# refused: which looks like your own mark: note came back as
def pack(value):
    if isinstance(value, dict):
        if "$decimal" in value:
            raise ValueError("$decimal is our own mark")
        return {key: pack(each) for key, each in value.items()}
    if isinstance(value, list):
        return [pack(each) for each in value]
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, datetime):
        return {"$datetime": value.isoformat()}
    return value


def unpack(found):
    if found.keys() == {"$decimal"}:
        return Decimal(found["$decimal"])
    if found.keys() == {"$datetime"}:
        return datetime.fromisoformat(found["$datetime"])
    return found


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(pack(order)))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
