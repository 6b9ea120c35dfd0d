READ = {"placed": datetime.fromisoformat, "total": Decimal, "price": Decimal}


def plain(value):
    return value.isoformat() if isinstance(value, datetime) else str(value)


def typed(found):
    return {key: READ[key](value) if key in READ else value for key, value in found.items()}


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=plain))
    return json.loads(r.get("exercise:order"), object_hook=typed)


lab.check("06.1", save_and_load)
