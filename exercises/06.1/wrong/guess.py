# refused: customer came back as Decimal
def guess(value):
    for read in (datetime.fromisoformat, Decimal):
        try:
            return read(value)
        except (ValueError, ArithmeticError):
            pass
    return value


def unpack(found):
    return {key: guess(value) if isinstance(value, str) else value for key, value in found.items()}


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=str))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
