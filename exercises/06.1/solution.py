def pack(value):
    if isinstance(value, dict):
        if any(str(key).startswith("$") for key in value):
            raise ValueError("keys that begin with $ are our own marks")
        return {key: pack(each) for key, each in value.items()}
    if isinstance(value, list):
        return [pack(each) for each in value]
    if isinstance(value, Decimal):
        return {"$decimal": str(value)}
    if isinstance(value, datetime):
        text = value.isoformat()
        if repr(datetime.fromisoformat(text)) != repr(value):
            raise ValueError(f"{value!r} has a zone of which ISO 8601 keeps only the offset")
        return {"$datetime": text}
    return value


def unpack(found):
    if found.keys() == {"$decimal"}:
        return Decimal(found["$decimal"])
    if found.keys() == {"$datetime"}:
        return datetime.fromisoformat(found["$datetime"])
    return found


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(pack(order), allow_nan=False))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
