# refused: That is data that looks like your own mark
def save_and_load(r, order):
    if any(isinstance(value, dict) for value in order.values()):
        raise ValueError("a dict may look like a mark of ours")

    def pack(value):
        kind = "$decimal" if isinstance(value, Decimal) else "$datetime"
        return {kind: str(value)}

    def unpack(found):
        if found.keys() == {"$decimal"}:
            return Decimal(found["$decimal"])
        if found.keys() == {"$datetime"}:
            return datetime.fromisoformat(found["$datetime"])
        return found

    r.set("exercise:order", json.dumps(order, default=pack))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
