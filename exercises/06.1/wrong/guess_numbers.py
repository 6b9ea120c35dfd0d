# refused: came back as Decimal Decimal('1'); it was int 1
def guess(value):
    try:
        return Decimal(value)
    except (ArithmeticError, TypeError, ValueError):
        return value


def unpack(found):
    return {key: guess(value) for key, value in found.items()}


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=str))
    return json.loads(r.get("exercise:order"), object_hook=unpack)


lab.check("06.1", save_and_load)
