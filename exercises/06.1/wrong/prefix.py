# refused: which looks like your own mark: note came back as
def pack(value):
    return ("decimal:" if isinstance(value, Decimal) else "datetime:") + str(value)


def turned_back(value):
    if isinstance(value, str) and value.startswith("decimal:"):
        return Decimal(value.removeprefix("decimal:"))
    if isinstance(value, str) and value.startswith("datetime:"):
        return datetime.fromisoformat(value.removeprefix("datetime:"))
    return value


def save_and_load(r, order):
    r.set("exercise:order", json.dumps(order, default=pack))
    return json.loads(
        r.get("exercise:order"),
        object_hook=lambda found: {k: turned_back(v) for k, v in found.items()},
    )


lab.check("06.1", save_and_load)
